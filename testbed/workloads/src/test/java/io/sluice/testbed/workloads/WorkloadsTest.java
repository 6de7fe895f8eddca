package io.sluice.testbed.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.GridOutcome;
import io.sluice.gpu.sm.GridRun;
import io.sluice.gpu.sm.Interpreter;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All workloads at small sizes, against their references. */
final class WorkloadsTest {
  static List<Workload> small() {
    return List.of(
        new MatrixProduct(128),
        new WordProduct(128),
        new WordProduct(37),
        new LuDecomposition(16),
        new LuDecomposition(128),
        new NearestNeighbours(1000),
        new Backpropagation(1024),
        new Blur(40, 23));
  }

  @ParameterizedTest
  @MethodSource("small")
  void interpreter_workload_givesTheReference(Workload workload) {
    try (Device device = Device.of(workload)) {
      Interpreter interpreter = new Interpreter(device, () -> false);

      GridOutcome outcome = device.run(workload, interpreter::run);

      assertThat(outcome).isEqualTo(new GridOutcome.Completed());
      check(workload, device);
    }
  }

  @ParameterizedTest
  @MethodSource("small")
  void compiled_workload_givesTheReference(Workload workload) {
    CompiledPrograms programs = new CompiledPrograms();
    try (Device device = Device.of(workload)) {
      long[] executed = new long[2];
      GridOutcome outcome =
          device.run(
              workload,
              grid -> {
                GridRun run = GridRun.compiled(grid, programs, () -> device, 1);
                run.start(Runnable::run, () -> false);
                executed[0] += run.instructions();
                executed[1] += run.interpreted();
                return run.outcome();
              });

      assertThat(outcome).isEqualTo(new GridOutcome.Completed());
      check(workload, device);
      assertThat(executed[0]).isPositive();
      assertThat(executed[1]).as("interpreted").isZero();
    }
  }

  static void check(Workload workload, Device device) {
    for (Workload.Expected expected : workload.expected()) {
      int[] actual = device.read(expected.buffer(), expected.words().length);
      int wrong = expected.firstWrong(actual);
      assertThat(wrong)
          .as("%s, first wrong word of %s", workload.name(), expected.buffer())
          .isEqualTo(-1);
    }
  }

  @Test
  void check_wrongWord_isFound() {
    Workload.Expected expected = new Workload.Expected("c", new int[] {1, 2, 3}, 1);

    assertThat(expected.firstWrong(new int[] {1, 3, 5})).isEqualTo(2);
    assertThat(expected.firstWrong(new int[] {1, 3, 4})).isEqualTo(-1);
  }
}
