package io.sluice.gpu.sm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.math.Fp32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reciprocal of a root as compiled code computes it: the float that docs/numerics.md says. */
final class ReciprocalRootTest {
  private static final int FUNCTION = 5;
  private static final int MANTISSAS = 1 << 23;

  private static boolean isRight(int bits) {
    float found = Fp32.reciprocalRoot(Float.intBitsToFloat(bits));
    return Fp32.canonical(found) == Fp32.special(FUNCTION, bits, false);
  }

  /** Four times an operand halves the result, exactly: an even and an odd exponent are enough. */
  @Test
  void reciprocalRoot_everyMantissa_isTheDoubleResultRounded() {
    int first = Float.floatToRawIntBits(1f);
    int wrong = 0;
    for (int n = 0; n < 2 * MANTISSAS; n++) {
      wrong += isRight(first + n) ? 0 : 1;
    }

    assertThat(wrong).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      floats = {
        0f,
        -0f,
        Float.MIN_VALUE,
        -Float.MIN_VALUE,
        0x0.fffffep-126f,
        Float.MIN_NORMAL,
        -Float.MIN_NORMAL,
        -1f,
        Float.MAX_VALUE,
        -Float.MAX_VALUE,
        Float.POSITIVE_INFINITY,
        Float.NEGATIVE_INFINITY,
        Float.NaN
      })
  void reciprocalRoot_specialOperand_isTheDoubleResultRounded(float operand) {
    assertThat(isRight(Float.floatToRawIntBits(operand))).isTrue();
  }

  @Test
  @Tag("long")
  void reciprocalRoot_everyFloat_isTheDoubleResultRounded() {
    long wrong = 0;
    for (long bits = 0; bits < 1L << Integer.SIZE; bits++) {
      wrong += isRight((int) bits) ? 0 : 1;
    }

    assertThat(wrong).isZero();
  }
}
