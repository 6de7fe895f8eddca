package io.sluice.testbed.bench.sessions;

import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.results.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** R1, R2, R3 and R9: single calls of OpenCL in a session, beside the same calls natively. */
public final class SessionCallBench implements Measurement {
  private static final int RUNS = 5;
  private static final double FINISH_GOAL_US = 10;
  private static final double FINISH_GOAL_TWO_CORES_US = 20;
  private static final double ROW_GOAL_US = 3;
  private static final double TRANSFER_GOAL = 0.8;
  private static final double CONTEXT_GOAL_MS = 50;

  private final String id;
  private final String title;
  private final Function<CallTimes, List<Figure>> figures;

  private SessionCallBench(String id, String title, Function<CallTimes, List<Figure>> figures) {
    this.id = id;
    this.title = title;
    this.figures = figures;
  }

  /** Kernel and finish. */
  public static SessionCallBench finish() {
    return new SessionCallBench(
        "R1",
        "sessions: what a waited-for call adds to kernel and finish",
        SessionCallBench::finishes);
  }

  /** Launches in a row. */
  public static SessionCallBench rows() {
    return new SessionCallBench("R2", "sessions: launches in a row, each", SessionCallBench::rows);
  }

  /** Reads, writes and maps. */
  public static SessionCallBench transfers() {
    return new SessionCallBench(
        "R3", "sessions: reads, writes and maps", SessionCallBench::transfers);
  }

  /** The beginning of an application. */
  public static SessionCallBench beginning() {
    return new SessionCallBench(
        "R9", "sessions: from the first call to a context", SessionCallBench::beginnings);
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    if (!OpenClPrograms.areThere(context)) {
      return List.of();
    }
    try (OpenClPrograms programs = OpenClPrograms.build(context)) {
      List<String> _ = programs.remoted("figures", id); // the session host has run it once
      CallTimes times = CallTimes.measure(programs, id, context.samples(RUNS));
      List<Figure> all = new ArrayList<>(figures.apply(times));
      times
          .byPeer()
          .forEach((name, value) -> {
            if (name.startsWith(id)) {
              all.add(Figure.info(id, "by the peer: " + name, value, unit(name)));
            }
          });
      return all;
    }
  }

  /** The unit in which testbed/opencl/figures prints. */
  private static String unit(String name) {
    return switch (name.substring(0, 2)) {
      case "R9" -> "ms";
      case "R3" -> name.contains("map") ? "us" : "GiB/s";
      default -> "us";
    };
  }

  private static List<Figure> finishes(CallTimes times) {
    String name = "R1-kernel-and-finish";
    double added = times.remoted(name) - times.natively(name);
    boolean apart = Runtime.getRuntime().availableProcessors() > 2;
    return List.of(
        Figure.info("R1", "kernel and finish, natively: p50", times.natively(name), "us"),
        Figure.atMost(
                "R1",
                "kernel and finish, more than natively: p50",
                added,
                "us",
                apart ? FINISH_GOAL_US : FINISH_GOAL_TWO_CORES_US)
            .ofMany(times.runs()));
  }

  private static List<Figure> rows(CallTimes times) {
    String name = "R2-launch-in-a-row";
    return List.of(
        Figure.info("R2", "a launch in a row, natively", times.natively(name), "us"),
        Figure.atMost("R2", "a launch in a row", times.remoted(name), "us", ROW_GOAL_US)
            .ofMany(times.runs()));
  }

  private static List<Figure> transfers(CallTimes times) {
    List<Figure> figures = new ArrayList<>();
    for (String way : List.of("write", "read")) {
      String small = "R3-" + way + "-4KiB";
      figures.add(
          Figure.info(
              "R3",
              way + " of 4 KiB / natively",
              times.remoted(small) / times.natively(small),
              ""));
      for (String size : List.of("1", "16", "64")) {
        String name = "R3-" + way + "-" + size + "MiB";
        figures.add(
            Figure.atLeast(
                    "R3",
                    way + " of " + size + " MiB / natively",
                    times.remoted(name) / times.natively(name),
                    "",
                    TRANSFER_GOAL)
                .ofMany(times.runs()));
      }
    }
    String map = "R3-map-and-unmap-16MiB";
    figures.add(
        Figure.info("R3", "map and unmap of 16 MiB, natively: p50", times.natively(map), "us"));
    figures.add(Figure.info("R3", "map and unmap of 16 MiB: p50", times.remoted(map), "us"));
    return figures;
  }

  private static List<Figure> beginnings(CallTimes times) {
    String name = "R9-first-call-to-context-and-queue";
    return List.of(
        Figure.info("R9", "first call to context and queue, natively", times.natively(name), "ms"),
        Figure.atMost(
                "R9", "first call to context and queue", times.remoted(name), "ms", CONTEXT_GOAL_MS)
            .ofMany(times.runs()));
  }
}
