package io.sluice.testbed.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.CompiledPrograms;
import io.sluice.gpu.sm.GridOutcome;
import io.sluice.gpu.sm.GridRun;
import io.sluice.gpu.sm.Interpreter;
import io.sluice.testbed.workloads.asm.Assembler;
import io.sluice.testbed.workloads.asm.Kernel;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A branch that splits a warp whose call stack is full: the fault names it, compiled or not. */
final class StackFaultTest {
  /** In every round one lane leaves and waits; 63 tokens are there before. */
  private static final String ROUNDS =
      """
        S2R R2, SR_TID.X
        MOV32I R3, 0
        MOV32I R4, 0
      top:
        IADD R3, R3, 1
      %s
        ISETP.NE P0, R2, R3
        @P0 BRA top
      end:
        EXIT
      """;

  private static final int TOKENS = 63;

  @ParameterizedTest
  @ValueSource(strings = {"", "  STS [R4], R3"})
  void run_stackThatIsFull_faultsAtTheBranch(String inLoop) {
    String text =
        ".kernel k\n.shared 0x80\n" + " SSY end\n".repeat(TOKENS) + ROUNDS.formatted(inLoop);
    Kernel kernel = Assembler.assemble(text).get(0);
    Workload.Launch launch = new Workload.Launch(kernel, 1, 1, 32, 1, List.of());
    try (Device device = new Device(1 << 20)) {
      GridOutcome expected = new Interpreter(device, () -> false).run(device.prepare(launch));
      GridRun run =
          GridRun.compiled(device.prepare(launch), new CompiledPrograms(), () -> device, 1);

      run.start(Runnable::run, () -> false);

      assertThat(expected).isInstanceOf(GridOutcome.Faulted.class);
      assertThat(run.outcome()).isEqualTo(expected);
    }
  }
}
