package io.sluice.testbed.bench.migration;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A workload of the guest that submits kernel after kernel while its machine moves, with one
 * channel, and checks its result in the end.
 *
 * @param name mmul, whose kernels are long, or lud, which has many short ones
 * @param size rows of its matrices
 * @param iterations of a run whose time is taken
 */
record MoveProgram(String name, int size, int iterations) {
  private static final Pattern EXECUTED = Pattern.compile("exec_ms=([0-9.]+)");

  /** A run lasts longer than a move: one that ends before is told on the console that is left. */
  private static final double LEAST_RUN_MS = 4000;

  private static final int MAX_RUNS_ALONE = 6;

  /**
   * A program with so many iterations that its run outlasts a move.
   *
   * @param ms how long a run takes when nothing moves; not the first run
   */
  record Alone(MoveProgram program, double ms) {}

  /**
   * Both.
   *
   * @param thesis with the memory that they had in the thesis, 48 and 39 MiB
   */
  static List<MoveProgram> all(boolean thesis) {
    return thesis
        ? List.of(new MoveProgram("mmul", 2048, 3), new MoveProgram("lud", 3200, 2))
        : List.of(new MoveProgram("mmul", 1024, 8), new MoveProgram("lud", 1024, 8));
  }

  /** Mebibytes of video memory. */
  int mebibytes() {
    return (int) ((name.equals("mmul") ? 3L : 1L) * size * size * Float.BYTES >> 20);
  }

  /** Starts it, for as long as it is not told to end; returns when it works. */
  void start(MovedMachine machine) throws IOException, InterruptedException {
    machine.type("rm -f /tmp/end");
    machine.type(
        String.format(Locale.ROOT, "%s --size %d --until /tmp/end </dev/null & p=$!", name, size));
    String _ = machine.await("iteration: " + name);
  }

  /** Ends it; its result must be right. */
  void end(MovedMachine machine) throws IOException, InterruptedException {
    machine.type("touch /tmp/end; wait $p; echo ended $?");
    String status = machine.await("ended ");
    if (!status.equals("0")) {
      throw new IOException(name + " ended with " + status);
    }
  }

  /** Starts a run whose time is taken; returns when it is about to work. */
  void startRun(MovedMachine machine) throws IOException, InterruptedException {
    machine.type(
        String.format(
            Locale.ROOT,
            "%s --size %d --iterations %d --pause; echo ended $?",
            name,
            size,
            iterations));
    String _ = machine.await("phase: ready");
    machine.type("");
  }

  /**
   * Runs it without a move, with more and more iterations until a run takes long enough.
   *
   * @throws IOException when it never does
   */
  Alone alone(MovedMachine machine) throws IOException, InterruptedException {
    MoveProgram program = this;
    for (int run = 0; run < MAX_RUNS_ALONE; run++) {
      program.startRun(machine);
      double took = program.awaitRun(machine, System.nanoTime());
      if (took < LEAST_RUN_MS) {
        int more = (int) Math.ceil(1.2 * program.iterations * LEAST_RUN_MS / took);
        program = new MoveProgram(name, size, more);
      } else if (run > 0) {
        return new Alone(program, took);
      }
    }
    throw new IOException(program + " ends too early, however often it iterates");
  }

  /**
   * Waits for its end; its result must be right.
   *
   * @return how long it took by the host's clock, in ms, from a time on
   */
  double awaitRun(MovedMachine machine, long startNs) throws IOException, InterruptedException {
    String _ = machine.await("phase: done");
    double took = (System.nanoTime() - startNs) / 1e6;
    machine.type("");
    Matcher executed = EXECUTED.matcher(machine.await("run: " + name));
    if (!executed.find()) {
      throw new IOException(name + " did not say how long it took");
    }
    String status = machine.await("ended ");
    if (!status.equals("0")) {
      throw new IOException(name + " ended with " + status);
    }
    return took;
  }
}
