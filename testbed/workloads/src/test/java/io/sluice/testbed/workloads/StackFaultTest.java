package io.sluice.testbed.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.GridOutcome;
import io.sluice.gpu.sm.GridRun;
import io.sluice.gpu.sm.Interpreter;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.testbed.workloads.asm.Assembler;
import io.sluice.testbed.workloads.asm.Kernel;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
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

  /**
   * The last SSY stands between instructions of lanes, of which those behind it must not execute.
   */
  private static final String BETWEEN =
      """
      .kernel k
      .param 8 out
        S2R R2, SR_TID.X
        MOV32I R3, 4
        IMAD R4.CC, R2, R3, %out
        IMAD.HI.X R5, R2, R3, %out+4
        IADD R2, R2, 1
        ST.E [R4], R2
        MOV32I R6, 5
      """
          + "  SSY end\n".repeat(TOKENS + 1)
          + """
            IADD R2, R2, R6
            SSY end
            ST.E [R4], R2
          end:
            EXIT
          """;

  @Test
  void run_stackThatIsFullAtAnSsy_faultsThereWithWhatWasBeforeIt() {
    Kernel kernel = Assembler.assemble(BETWEEN).get(0);
    List<Workload.Argument> arguments = List.of(Workload.Argument.of("out"));
    Workload.Launch launch = new Workload.Launch(kernel, 1, 1, 32, 1, arguments);
    try (Device interpreted = new Device(1 << 20);
        Device compiled = new Device(1 << 20)) {
      interpreted.add(new Workload.Buffer("out", new int[32]));
      compiled.add(new Workload.Buffer("out", new int[32]));
      GridOutcome expected =
          new Interpreter(interpreted, () -> false).run(interpreted.prepare(launch));
      GridRun run =
          GridRun.compiled(compiled.prepare(launch), new CompiledPrograms(), () -> compiled, 1);

      run.start(Runnable::run, () -> false);

      assertThat(expected).isInstanceOf(GridOutcome.Faulted.class);
      assertThat(run.outcome()).isEqualTo(expected);
      int[] stored = new int[32];
      Arrays.setAll(stored, lane -> lane + 1);
      assertThat(interpreted.read("out", 32)).isEqualTo(stored);
      assertThat(compiled.read("out", 32)).isEqualTo(stored);
    }
  }
}
