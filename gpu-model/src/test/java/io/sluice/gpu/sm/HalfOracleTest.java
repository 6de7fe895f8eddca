package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.word;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.testbed.fakes.Seeds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Conversions from and to half precision, whose bits are taken apart and put together by hand. */
@ExtendWith(Seeds.class)
final class HalfOracleTest {
  private static final long OPERANDS = ALWAYS | 12L << 14 | 6L << 26;
  private static final int NAN = 0x7fff;
  private static final int INFINITY = 0x7c00;
  private static final RoundingMode[] MODES = {
    RoundingMode.HALF_EVEN, RoundingMode.FLOOR, RoundingMode.CEILING, RoundingMode.DOWN
  };

  private static long sizes(int to, int from) {
    return (long) to << 20 | (long) from << 23;
  }

  /** The value of a half: 1 sign, 5 exponent, 10 fraction bits. */
  private static double value(int half) {
    int exponent = half >> 10 & 31;
    int fraction = half & 1023;
    double magnitude =
        exponent == 31
            ? (fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN)
            : exponent == 0
                ? fraction * 0x1p-24
                : (1024 + fraction) * Math.scalb(1.0, exponent - 25);
    return (half & 0x8000) != 0 ? -magnitude : magnitude;
  }

  /** The half nearest to a float, ties to the even one. */
  private static int nearest(double value) {
    if (Double.isNaN(value)) {
      return NAN;
    }
    int sign = Math.copySign(1, value) < 0 ? 0x8000 : 0;
    BigDecimal magnitude =
        Double.isInfinite(value) ? new BigDecimal("1e30") : new BigDecimal(Math.abs(value));
    // Halves in order are numbered in order, so that the last one that is not larger is a search.
    int low = 0;
    int high = INFINITY;
    while (high - low > 1) {
      int middle = (low + high) / 2;
      boolean less = new BigDecimal(value(middle)).compareTo(magnitude) <= 0;
      low = less ? middle : low;
      high = less ? high : middle;
    }
    BigDecimal below = magnitude.subtract(new BigDecimal(value(low)));
    // What would come after the largest one, if halves went on.
    double next = high == INFINITY ? 65536 : value(high);
    int order = below.compareTo(new BigDecimal(next).subtract(magnitude));
    boolean up = order > 0 || order == 0 && (low & 1) != 0;
    return sign | (up ? high : low);
  }

  private static float rounded(double value, int mode) {
    boolean plain = value == 0 || Double.isNaN(value) || Double.isInfinite(value);
    return plain ? (float) value : Dyadic.of(value).toFloat(mode);
  }

  @Test
  @Covers(Opcode.F2F)
  void f2f_toHalf_roundsToSingleThenToNearest(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 64; m++) {
      int mode = m & 3;
      boolean negate = (m & 4) != 0;
      boolean absolute = (m & 8) != 0;
      boolean saturate = (m & 16) != 0;
      int from = (m & 32) != 0 ? 1 : 2;
      one.check(
          "F2F.F16",
          0x1000000000000004L
              | OPERANDS
              | sizes(1, from)
              | modifiers(mode, negate, absolute)
              | (saturate ? 1L << 5 : 0),
          in -> {
            double value = from == 1 ? value(in.b() & 0xffff) : Float.intBitsToFloat(in.b());
            value = signed(value, absolute, negate);
            value = !saturate ? value : value >= 1 ? 1 : value > 0 ? value : 0;
            return word(in, nearest(rounded(value, mode)));
          });
    }
  }

  private static long modifiers(int mode, boolean negate, boolean absolute) {
    return (long) mode << 49 | (negate ? 1L << 8 : 0) | (absolute ? 1L << 6 : 0);
  }

  private static double signed(double value, boolean absolute, boolean negate) {
    double magnitude = absolute ? Math.abs(value) : value;
    return negate ? -magnitude : magnitude;
  }

  @Test
  @Covers(Opcode.F2F)
  void f2f_fromHalf_isExact(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 32; m++) {
      boolean negate = (m & 1) != 0;
      boolean absolute = (m & 2) != 0;
      boolean upper = (m & 4) != 0;
      boolean integral = (m & 8) != 0;
      int mode = random.nextInt(4);
      one.check(
          "F2F.F32.F16",
          0x1000000000000004L
              | OPERANDS
              | sizes(2, 1)
              | modifiers(mode, negate, absolute)
              | (upper ? 1L << 56 : 0)
              | (integral ? 1L << 7 : 0),
          in -> {
            double value = signed(half(in, upper), absolute, negate);
            if (integral && Double.isFinite(value)) {
              double whole = new BigDecimal(value).setScale(0, MODES[mode]).abs().doubleValue();
              value = Math.copySign(whole, value);
            }
            int bits = Float.floatToRawIntBits((float) value);
            return word(in, Double.isNaN(value) ? Integer.MAX_VALUE : bits);
          });
    }
  }

  private static double half(Operands in, boolean upper) {
    return value(in.b() >>> (upper ? 16 : 0) & 0xffff);
  }

  @Test
  @Covers(Opcode.F2I)
  void f2i_fromHalfOrToShort_clamps(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 64; m++) {
      int mode = m & 3;
      boolean signed = (m & 4) != 0;
      int to = (m & 8) != 0 ? 1 : 2;
      int from = to == 2 || (m & 16) != 0 ? 1 : 2;
      boolean negate = (m & 32) != 0;
      one.check(
          "F2I",
          0x1400000000000004L
              | OPERANDS
              | sizes(to, from)
              | modifiers(mode, negate, false)
              | (signed ? 1L << 7 : 0),
          in -> {
            double value = from == 1 ? half(in, false) : Float.intBitsToFloat(in.b());
            return word(in, clamped(negate ? -value : value, MODES[mode], 8 << to, signed));
          });
    }
  }

  private static int clamped(double value, RoundingMode mode, int bits, boolean signed) {
    if (Double.isNaN(value)) {
      return 0;
    }
    BigInteger most = BigInteger.ONE.shiftLeft(signed ? bits - 1 : bits).subtract(BigInteger.ONE);
    BigInteger least = signed ? most.not() : BigInteger.ZERO;
    if (Double.isInfinite(value)) {
      return (value < 0 ? least : most).intValue();
    }
    BigInteger whole = new BigDecimal(value).setScale(0, mode).toBigInteger();
    return whole.max(least).min(most).intValue();
  }

  @Test
  @Covers(Opcode.I2F)
  void i2f_toHalf_roundsToSingleThenToNearest(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 32; m++) {
      int mode = m & 3;
      boolean signed = (m & 4) != 0;
      int from = m >> 3;
      one.check(
          "I2F.F16",
          0x1800000000000004L
              | OPERANDS
              | sizes(1, from)
              | modifiers(mode, false, false)
              | (signed ? 1L << 9 : 0),
          in -> {
            BigInteger all = BigInteger.valueOf(from == 3 ? in.wideB() : in.b());
            BigInteger modulus = BigInteger.ONE.shiftLeft(8 << from);
            BigInteger value = all.mod(modulus);
            boolean negative = signed && value.testBit((8 << from) - 1);
            BigInteger number = negative ? value.subtract(modulus) : value;
            boolean zero = number.signum() == 0;
            return word(in, zero ? 0 : nearest(Dyadic.of(number).toFloat(mode)));
          });
    }
  }
}
