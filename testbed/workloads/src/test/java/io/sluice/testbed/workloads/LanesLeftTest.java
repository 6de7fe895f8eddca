package io.sluice.testbed.workloads;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.GridOutcome;
import io.sluice.gpu.sm.GridRun;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.testbed.workloads.asm.Assembler;
import io.sluice.testbed.workloads.asm.Kernel;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lanes whose compiled code gives up in the middle of a segment, and that are interpreted. */
final class LanesLeftTest {
  /** Half of the lanes read shared memory at an address that wraps around. */
  private static final String TEXT =
      """
      .kernel k
      .param 8 out
      .shared 0x100
        S2R R2, SR_TID.X
        LOP.AND R3, R2, 1
        ISETP.NE P0, R3, 0
        ISETP.GE.S32 P1, R2, 16
        SHL R4, R2, 2
        MOV32I R5, 0xfffffffc
        SEL R5, R5, R4, P1
        MOV32I R6, 0
        BAR.SYNC 0
        @P0 IADD R6, R6, 1             // odd lanes
        ISETP.GE.S32 P0, R2, 4
        LDS R7, [R5+0x4]
        BAR.SYNC 0
        @P0 IADD R6, R6, 2             // all but the first four
        IADD R6, R6, R7
        MOV32I R8, 4
        IMAD R10.CC, R2, R8, %out
        IMAD.HI.X R11, R2, R8, %out+4
        ST.E [R10], R6
        EXIT
      """;

  /** The same within a region whose odd lanes wait for the others to leave it. */
  private static final String REGION =
      """
      .kernel k
      .param 8 out
      .shared 0x100
        S2R R2, SR_TID.X
        LOP.AND R3, R2, 1
        ISETP.GE.S32 P1, R2, 16
        SHL R4, R2, 2
        MOV32I R5, 0xfffffffc
        SEL R5, R5, R4, P1
        MOV32I R6, 1
        BAR.SYNC 0
        IADD R6, R6, 2
        SSY met
        LDS R7, [R5+0x4]
        ISETP.NE P0, R3, 0
        @P0 NOP.S
        IADD R6, R6, 4
        NOP.S
      met:
        IADD R6, R6, R7
        MOV32I R8, 4
        IMAD R10.CC, R2, R8, %out
        IMAD.HI.X R11, R2, R8, %out+4
        ST.E [R10], R6
        EXIT
      """;

  private static final int LANES = 32;

  @Test
  void run_lanesLeftAfterAPredicateWasWritten_areInterpretedWithTheFormerOne() {
    int[] expected = new int[LANES];
    Arrays.setAll(expected, lane -> (lane & 1) + (lane >= 4 ? 2 : 0));
    assertGives(TEXT, expected);
  }

  @Test
  void run_lanesLeftInARegion_meetTheOthersBehindIt() {
    int[] expected = new int[LANES];
    Arrays.setAll(expected, lane -> 3 + ((lane & 1) == 0 ? 4 : 0));
    assertGives(REGION, expected);
  }

  private static void assertGives(String text, int[] expected) {
    Kernel kernel = Assembler.assemble(text).get(0);
    try (Device device = new Device(1 << 20)) {
      device.add(new Workload.Buffer("out", new int[LANES]));
      List<Workload.Argument> arguments = List.of(Workload.Argument.of("out"));
      GridRun run =
          GridRun.compiled(
              device.prepare(new Workload.Launch(kernel, 1, 1, LANES, 1, arguments)),
              new CompiledPrograms(),
              () -> device,
              1);

      run.start(Runnable::run, () -> false);

      assertThat(run.outcome()).isEqualTo(new GridOutcome.Completed());
      assertThat(run.interpreted()).isPositive();
      assertThat(device.read("out", LANES)).isEqualTo(expected);
    }
  }
}
