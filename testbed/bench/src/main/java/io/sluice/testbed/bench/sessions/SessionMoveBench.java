package io.sluice.testbed.bench.sessions;

import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.bench.sessions.MovingApplication.Moved;
import java.util.ArrayList;
import java.util.List;

/**
 * R6: how long an application waits while its session moves between two session hosts, with buffers
 * of which it writes a twentieth all the time.
 */
public final class SessionMoveBench implements Measurement {
  private static final String ID = "R6";
  private static final int MOVES = 6;
  private static final int BUFFERS = 100;
  private static final int WRITTEN = 5;
  private static final int LAUNCHES = 200;
  private static final List<Integer> SIZES_MIB = List.of(64, 1024);

  /** The goal is what is dirty over a link, and this. */
  private static final double GOAL_MS = 30;

  /** 10 Gbit/s, as the link that the goal has between hosts. */
  private static final double LINK_BYTES_PER_MS = 1.25e6;

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String title() {
    return "sessions: how long an application waits while its session moves";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    if (!OpenClPrograms.areThere(context)) {
      return List.of();
    }
    List<Figure> figures = new ArrayList<>();
    try (OpenClPrograms programs = OpenClPrograms.build(context)) {
      for (int mib : SIZES_MIB) {
        figures.addAll(figures(programs, mib, context.samples(MOVES)));
      }
    }
    return figures;
  }

  /** The first move to and fro starts the other host, and compiles; it is left out. */
  private static List<Figure> figures(OpenClPrograms programs, int mib, int moves)
      throws Exception {
    List<Moved> all = new ArrayList<>();
    double usual = 0;
    try (MovingApplication application = MovingApplication.start(programs, mib, BUFFERS, WRITTEN)) {
      Moved _ = application.move();
      Moved _ = application.move();
      for (int i = 0; i < LAUNCHES; i++) { // each answer comes between two launches
        usual = Math.max(usual, application.longestMs());
      }
      for (int i = 0; i < moves; i++) {
        all.add(application.move());
      }
    }
    String of = mib + " MiB, 5 % written: ";
    double dirtyMs = mib * 1048576.0 * WRITTEN / BUFFERS / LINK_BYTES_PER_MS;
    return List.of(
        Figure.info(ID, of + "longest wait without a move", usual, "ms"),
        Figure.info(ID, of + "a move, from beginning to end", median(all, Moved::tookMs), "ms"),
        Figure.info(
            ID, of + "sent", median(all, each -> each.move().sentBytes() / 1048576.0), "MiB"),
        Figure.info(
            ID, of + "no call taken", median(all, each -> each.move().stoppedNs() / 1e6), "ms"),
        Figure.atMost(
                ID,
                of + "longest wait of the application",
                median(all, Moved::longestMs),
                "ms",
                GOAL_MS + dirtyMs)
            .ofMany(moves));
  }

  private static double median(List<Moved> moves, java.util.function.ToDoubleFunction<Moved> of) {
    return CallTimes.median(moves.stream().mapToDouble(of).boxed().toList());
  }
}
