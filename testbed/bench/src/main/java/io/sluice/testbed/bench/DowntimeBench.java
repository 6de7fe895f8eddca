package io.sluice.testbed.bench;

import io.sluice.testbed.bench.MovedMachine.Move;
import io.sluice.testbed.machine.MachineEnvironment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * P5: how long a machine stands still for its move when programs use its GPU, and when none does,
 * in the same run.
 */
final class DowntimeBench implements Measurement {
  private static final int ROUNDS = 3;
  private static final double NOTHING_DIRTY_MS = 25;
  private static final double REST_MS = 10;
  private static final Map<String, String> OPTIONS = Map.of("drain-timeout", "120s");

  @Override
  public String id() {
    return "P5";
  }

  @Override
  public String title() {
    return "downtime of a migration over 100 MB/s, 1 ms, with and without GPU work";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    MachineEnvironment environment =
        MachineEnvironment.find()
            .orElseThrow(() -> new IOException("no machine environment: see above"));
    List<Figure> figures = new ArrayList<>();
    try (MovedMachine machine = new MovedMachine(environment, context.directory())) {
      Move quiet = idleMove(context, machine);
      for (int i = 1; i < ROUNDS; i++) {
        Move move = idleMove(context, machine);
        quiet = move.pauseNs() < quiet.pauseNs() ? move : quiet;
      }
      double idle = quiet.pauseNs() / 1e6;
      figures.add(Figure.info("P5", "downtime, no program uses the GPU", idle, "ms"));
      figures.addAll(split("idle", quiet));
      for (MoveProgram program : MoveProgram.all(context.longRun())) {
        Move best = move(context, machine, program);
        for (int i = 1; i < ROUNDS; i++) {
          Move move = move(context, machine, program);
          best = move.pauseNs() < best.pauseNs() ? move : best;
        }
        figures.addAll(figures(program, best, idle));
        figures.addAll(split(program.name(), best));
      }
    }
    return figures;
  }

  private static Move idleMove(BenchContext context, MovedMachine machine) throws Exception {
    Move move = machine.move(OPTIONS);
    context.log().printf("idle: %s%n", move);
    return move;
  }

  /** Where the pause goes. */
  private static List<Figure> split(String name, Move move) {
    return move.split().entrySet().stream()
        .map(phase -> Figure.info("P5", name + ": of it " + phase.getKey(), phase.getValue(), "ms"))
        .toList();
  }

  private static Move move(BenchContext context, MovedMachine machine, MoveProgram program)
      throws Exception {
    program.start(machine);
    Move move = machine.move(OPTIONS);
    program.end(machine);
    context.log().printf("%s: %s%n", program.name(), move);
    return move;
  }

  private static List<Figure> figures(MoveProgram program, Move move, double idleMs) {
    String name = program.name();
    double vramBytes = move.pausePages() * 4096.0;
    double goal =
        vramBytes == 0
            ? NOTHING_DIRTY_MS
            : 1000 * vramBytes / MovedMachine.LINK_BYTES_PER_SECOND + REST_MS;
    return List.of(
        Figure.info("P5", name + ": downtime", move.pauseNs() / 1e6, "ms"),
        Figure.info("P5", name + ": video memory sent meanwhile", vramBytes / 1e6, "MB"),
        Figure.atMost(
            "P5", name + ": downtime more than idle", move.pauseNs() / 1e6 - idleMs, "ms", goal));
  }
}
