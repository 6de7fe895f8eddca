package io.sluice.testbed.bench.submission;

import io.sluice.testbed.workloads.Backpropagation;
import io.sluice.testbed.workloads.LuDecomposition;
import io.sluice.testbed.workloads.MatrixProduct;
import io.sluice.testbed.workloads.NearestNeighbours;
import io.sluice.testbed.workloads.Workload;
import java.util.OptionalInt;

/**
 * The workload that a bench runs.
 *
 * @param program its name
 * @param size what the user asked for; otherwise it depends on whether the run is a long one
 */
public record WorkloadChoice(Program program, OptionalInt size) {
  /** The programs of the thesis. */
  public enum Program {
    /** Product of two matrices. */
    mmul(1024, 2048),
    /** LU decomposition. */
    lud(1024, 2048),
    /** Nearest neighbours. */
    nn(NearestNeighbours.DEFAULT_RECORDS, NearestNeighbours.DEFAULT_RECORDS),
    /** Training step of a neural network. */
    backprop(Backpropagation.DEFAULT_INPUTS, Backpropagation.DEFAULT_INPUTS);

    private final int usual;
    private final int large;

    Program(int usual, int large) {
      this.usual = usual;
      this.large = large;
    }
  }

  private int sizeOf(boolean longRun) {
    return size.orElse(longRun ? program.large : program.usual);
  }

  /** With its input. */
  public Workload workload(boolean longRun) {
    int n = sizeOf(longRun);
    return switch (program) {
      case mmul -> new MatrixProduct(n);
      case lud -> new LuDecomposition(n);
      case nn -> new NearestNeighbours(n);
      case backprop -> new Backpropagation(n);
    };
  }

  /**
   * Runs in a machine that are not counted, beside the first: until HotSpot has compiled the
   * kernels of short programs, as it has before the runs of the others.
   */
  public int warmUpRuns() {
    return switch (program) {
      case mmul, lud -> 1;
      case nn, backprop -> 60;
    };
  }

  /** The same as a guest program. */
  public String command(boolean longRun, int runs) {
    return "%s --size %d --runs %d --wait interrupt".formatted(program, sizeOf(longRun), runs);
  }
}
