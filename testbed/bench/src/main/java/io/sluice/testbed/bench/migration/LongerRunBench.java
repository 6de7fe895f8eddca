package io.sluice.testbed.bench.migration;

import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.measure.ProcessorAccount;
import io.sluice.testbed.bench.measure.ProcessorAccount.Moment;
import io.sluice.testbed.bench.migration.MovedMachine.Move;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.MachineEnvironment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * P6 alone: how much longer a program takes when its machine is moved meanwhile, and who uses the
 * processors then. The first move is of daemons that have moved nothing and not met the program;
 * those after it are not.
 */
public final class LongerRunBench implements Measurement {
  public static final String ID = "P6-run";
  private static final int ROUNDS = 3;
  private static final Map<String, String> OPTIONS = Map.of("drain-timeout", "120s");
  private static final List<String> STAGES =
      List.of("until access is taken", "until it has moved", "rest of the run");

  private final Optional<String> only;
  private final boolean apart;

  /**
   * @param only the program to run; both if empty
   * @param apart whether each host has a processor of its own
   */
  public LongerRunBench(Optional<String> only, boolean apart) {
    this.only = only;
    this.apart = apart;
  }

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String title() {
    return "how much longer a program runs for a move, and who uses the processors";
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    MachineEnvironment environment =
        MachineEnvironment.find()
            .orElseThrow(() -> new IOException("no machine environment: see above"));
    List<Figure> figures = new ArrayList<>();
    try (MovedMachine machine = new MovedMachine(environment, context.directory(), apart)) {
      for (MoveProgram any : programs(context.longRun())) {
        MoveProgram.Alone run = any.alone(machine);
        MoveProgram program = run.program();
        Figure first = moved(context, machine, program, ", first move", run.ms());
        figures.add(first);
        double alone = alone(machine, program);
        machine.prepare();
        double beside = alone(machine, program);
        figures.add(Figure.info("P6", program.name() + ": run without a move", alone, "ms"));
        figures.add(
            Figure.info(
                "P6", program.name() + ": longer beside a QEMU that waits", beside - alone, "ms"));
        for (int i = 0; i < ROUNDS; i++) {
          figures.add(moved(context, machine, program, "", alone));
          alone = alone(machine, program);
          figures.add(Figure.info("P6", program.name() + ": run without a move", alone, "ms"));
        }
      }
    }
    return figures;
  }

  private List<MoveProgram> programs(boolean thesis) {
    return MoveProgram.all(thesis).stream()
        .filter(program -> only.isEmpty() || only.get().equals(program.name()))
        .toList();
  }

  private static double alone(MovedMachine machine, MoveProgram program) throws Exception {
    program.startRun(machine);
    return program.awaitRun(machine, System.nanoTime());
  }

  private static Figure moved(
      BenchContext context, MovedMachine machine, MoveProgram program, String which, double aloneMs)
      throws Exception {
    machine.prepare();
    program.startRun(machine);
    ProcessorAccount account = machine.account();
    long start = System.nanoTime();
    Move move = machine.move(OPTIONS);
    double took = program.awaitRun(machine, start);
    List<Moment> moments = new ArrayList<>(move.moments());
    moments.add(account.now());
    context.log().printf("%s%s: %.0f ms, %s%n", program.name(), which, took, move.split());
    context
        .log()
        .printf(
            "  migration %.0f ms, drain %.0f, pause %.0f%n",
            move.totalNs() / 1e6, move.drainNs() / 1e6, move.pauseNs() / 1e6);
    ProcessorAccount.print(context.log(), STAGES, moments);
    return Figure.info("P6", program.name() + which + ": run longer by", took - aloneMs, "ms");
  }
}
