package io.sluice.gpu.sm.jit;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.decode.InstructionDecoder;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.jit.plan.Segment;
import io.sluice.gpu.sm.jit.plan.Step;
import io.sluice.gpu.sm.jit.plan.UniformChain;
import io.sluice.gpu.sm.warp.Warp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is executed once for a warp: found where it may be, and nowhere else. */
final class UniformChainTest {
  private static final long SIZES = 2L << 20 | 2L << 23;
  private static final long SSY_NEXT = 0x6000000000000007L;
  private static final long LOAD = 0x8000000000000085L | ALWAYS | 1L << 58 | 2L << 20;

  private static long i2f(int to, int from) {
    return 0x1800000000000204L | ALWAYS | SIZES | (long) to << 14 | (long) from << 26;
  }

  private static long f2i(int to, int from) {
    return 0x1406000000000084L | ALWAYS | SIZES | (long) to << 14 | (long) from << 26;
  }

  private static long powerOfTwo(int to, int from) {
    return 0xc800000000000000L | ALWAYS | (long) to << 14 | (long) from << 20 | 2L << 26;
  }

  private static long addRegisters(int to, int a, int b) {
    return 0x4800000000000003L | ALWAYS | (long) to << 14 | (long) a << 20 | (long) b << 26;
  }

  private static Optional<UniformChain> chain(long... words) {
    List<Instruction> instructions = new ArrayList<>();
    for (long word : words) {
      instructions.add(InstructionDecoder.decode(word));
    }
    return UniformChain.of(new Segment(Step.Kind.SEGMENT, 0x100, instructions));
  }

  @Test
  void of_aCountersPower_isAChainOfThatCounter() {
    UniformChain chain =
        chain(
                i2f(7, 6),
                powerOfTwo(8, 7),
                addRegisters(5, 5, 4), // of other registers
                f2i(9, 8),
                addRegisters(6, 9, 6)) // changes the counter afterwards
            .orElseThrow();

    assertThat(chain.inputs()).containsExactly(6);
    assertThat(chain.selected().keySet()).containsExactly(0x100, 0x108, 0x118, 0x120);
  }

  @Test
  void of_nothingThatTakesLong_isNone() {
    assertThat(chain(addRegisters(5, 5, 4))).isEmpty();
  }

  @Test
  void of_somethingLoaded_isNone() {
    assertThat(chain(LOAD | 7L << 14, powerOfTwo(8, 7))).isEmpty();
  }

  @Test
  void of_aGuardedWriter_isNone() {
    long guarded = i2f(7, 6) & ~(7L << 10) | 1L << 10;
    assertThat(chain(guarded, powerOfTwo(8, 7))).isEmpty();
  }

  @Test
  void of_threeInputs_isNone() {
    assertThat(chain(addRegisters(7, 6, 5), addRegisters(7, 7, 4), powerOfTwo(8, 7))).isEmpty();
  }

  @Test
  void isUniform_someLanesOfOneRegister_looksAtThose() {
    int[] registers = new int[Warp.REGISTERS * Warp.LANES];
    Arrays.fill(registers, 5 * Warp.LANES, 6 * Warp.LANES, 7);
    assertThat(UniformChain.isUniform(registers, 5, -1)).isTrue();
    registers[5 * Warp.LANES + 31] = 8;

    assertThat(UniformChain.isUniform(registers, 5, -1)).isFalse();
    assertThat(UniformChain.isUniform(registers, 5, 0x7fffffff)).isTrue();
    assertThat(UniformChain.isUniform(registers, 5, 0xc0000000)).isFalse();
    assertThat(UniformChain.isUniform(registers, 5, 0x80000000)).isTrue();
    assertThat(UniformChain.isUniform(registers, 5, 0)).isFalse();
  }

  /** The same instructions with an input that is the same in all lanes, and one that is not. */
  @Test
  void run_uniformOrNot_givesTheSame() {
    List<Long> program = LargeProgramTest.begin();
    program.add(0x1800000000000002L | 0x1e0L | ALWAYS | 6L << 14 | 3L << 26); // MOV32I R6, 3
    appendChain(program);
    // Lanes from the eighth on go through it alone: R0 is four times the lane.
    program.add(0x1b0ec0000001dc03L | 32L << 26); // ISETP.GE.U32 P0, R0, 32
    program.add(LargeProgramTest.relative(0x40000000000021e7L, 8)); // @!P0 BRA
    appendChain(program);
    program.add(LargeProgramTest.add(5, 1));
    program.add(addRegisters(6, 6, 0));
    appendChain(program);

    LargeProgramTest.assertRunsAlike(LargeProgramTest.end(program));
  }

  /** Seven instructions. */
  private static void appendChain(List<Long> program) {
    program.add(SSY_NEXT);
    program.add(i2f(7, 6));
    program.add(powerOfTwo(8, 7));
    program.add(addRegisters(5, 5, 0));
    program.add(f2i(9, 8));
    program.add(addRegisters(5, 5, 9));
    program.add(LargeProgramTest.add(6, 1));
  }
}
