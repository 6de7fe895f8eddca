package io.sluice.testbed.bench.migration;

import io.sluice.migrate.qmp.QemuMachine;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.migration.MovedMachine.Move;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.MachineEnvironment;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * P5: how long a machine stands still for its move when programs use its GPU, when none does, and
 * when it has no GPU and QEMU moves it by itself, all in one run.
 */
public final class DowntimeBench implements Measurement {
  private static final int ROUNDS = 3;
  private static final double NOTHING_DIRTY_MS = 25;
  private static final double REST_MS = 10;
  private static final Map<String, String> OPTIONS = Map.of("drain-timeout", "120s");

  /** What Sluice has QEMU stop within when that is possible, and what QEMU takes by itself. */
  private static final List<Duration> PLAIN_LIMITS =
      List.of(Duration.ofMillis(30), QemuMachine.USUAL_DOWNTIME);

  private static final String IDLE = "idle";

  @Override
  public String id() {
    return "P5";
  }

  @Override
  public String title() {
    return "downtime of a migration over 100 MB/s, 1 ms, with and without a GPU and its work";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    MachineEnvironment environment =
        MachineEnvironment.find()
            .orElseThrow(() -> new IOException("no machine environment: see above"));
    List<Figure> figures = new ArrayList<>();
    double plainMs = plain(context, environment, figures);
    Map<String, List<Move>> moves = moves(context, environment);
    moves.forEach((name, all) -> figures.addAll(figures(name, all, plainMs)));
    return figures;
  }

  /** The middle one of moves by QEMU alone, in milliseconds: the shorter for what it is allowed. */
  private static double plain(
      BenchContext context, MachineEnvironment environment, List<Figure> figures)
      throws IOException, InterruptedException {
    double shorter = Double.MAX_VALUE;
    try (PlainMachine machine = new PlainMachine(environment, context.directory())) {
      for (Duration limit : PLAIN_LIMITS) {
        List<Double> pauses = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
          double ms = machine.move(limit) / 1e6;
          context.log().printf("no GPU, %d ms allowed: pause %.1f%n", limit.toMillis(), ms);
          pauses.add(ms);
        }
        double ms = pauses.stream().sorted().toList().get(ROUNDS / 2);
        String what = "downtime without a GPU, QEMU alone, allowed " + limit.toMillis() + " ms";
        figures.add(Figure.info("P5", what, ms, "ms"));
        shorter = Math.min(shorter, ms);
      }
    }
    return shorter;
  }

  /** In turns, so that what a daemon does for the first time is nobody's alone. */
  private static Map<String, List<Move>> moves(BenchContext context, MachineEnvironment environment)
      throws Exception {
    Map<String, List<Move>> moves = new LinkedHashMap<>();
    try (MovedMachine machine = new MovedMachine(environment, context.directory())) {
      for (int i = 0; i < ROUNDS; i++) {
        add(context, moves, IDLE, machine.move(OPTIONS));
        for (MoveProgram program : MoveProgram.all(context.longRun())) {
          program.start(machine);
          Move move = machine.move(OPTIONS);
          program.end(machine);
          add(context, moves, program.name(), move);
        }
      }
    }
    return moves;
  }

  private static void add(
      BenchContext context, Map<String, List<Move>> moves, String name, Move move) {
    context.log().printf("%s: %s%n", name, move);
    moves.computeIfAbsent(name, _ -> new ArrayList<>()).add(move);
  }

  private static List<Figure> figures(String name, List<Move> moves, double plainMs) {
    List<Move> sorted = moves.stream().sorted(Comparator.comparingLong(Move::pauseNs)).toList();
    Move middle = sorted.get(sorted.size() / 2);
    double ms = middle.pauseNs() / 1e6;
    double vramBytes = middle.pausePages() * 4096.0;
    double goal =
        vramBytes == 0
            ? NOTHING_DIRTY_MS
            : 1000 * vramBytes / MovedMachine.LINK_BYTES_PER_SECOND + REST_MS;
    List<Figure> figures = new ArrayList<>();
    figures.add(Figure.info("P5", name + ": downtime", ms, "ms"));
    figures.add(
        Figure.info("P5", name + ": downtime, shortest", sorted.getFirst().pauseNs() / 1e6, "ms"));
    figures.add(Figure.info("P5", name + ": video memory sent meanwhile", vramBytes / 1e6, "MB"));
    figures.add(
        Figure.atMost("P5", name + ": downtime more than without a GPU", ms - plainMs, "ms", goal)
            .ofMany(moves.size()));
    middle
        .split()
        .forEach((phase, length) ->
            figures.add(Figure.info("P5", name + ": of it " + phase, length, "ms")));
    return figures;
  }
}
