package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.pair;
import static io.sluice.gpu.sm.OneInstruction.word;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.testbed.fakes.Seeds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Conversions against integers without bounds and exact fractions. */
@ExtendWith(Seeds.class)
final class ConversionOracleTest {
  private static final long OPERANDS = OneInstruction.ALWAYS | 12L << 14 | 6L << 26;
  private static final long NEGATE = 1L << 8;
  private static final long ABSOLUTE = 1L << 6;
  private static final RoundingMode[] MODES = {
    RoundingMode.HALF_EVEN, RoundingMode.FLOOR, RoundingMode.CEILING, RoundingMode.DOWN
  };

  /** log2 of the bytes of target and source. */
  private static long sizes(int to, int from) {
    return (long) to << 20 | (long) from << 23;
  }

  private static Result result(Operands in, int size, long value) {
    return size == 3 ? pair(in, value) : word(in, (int) value);
  }

  private static double floatSource(Operands in, int size) {
    return size == 3 ? Double.longBitsToDouble(in.wideB()) : Float.intBitsToFloat(in.b());
  }

  private static double signed(double value, boolean absolute, boolean negate) {
    double magnitude = absolute ? Math.abs(value) : value;
    return negate ? -magnitude : magnitude;
  }

  @Test
  @Covers({Opcode.F2I})
  void f2i_allRoundings_clamps(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 128; m++) {
      int mode = m & 3;
      boolean signed = (m & 4) != 0;
      int to = (m & 8) != 0 ? 3 : 2;
      int from = (m & 16) != 0 ? 3 : 2;
      boolean absolute = (m & 32) != 0;
      boolean negate = (m & 64) != 0;
      one.check(
          "F2I",
          0x1400000000000004L
              | OPERANDS
              | sizes(to, from)
              | (signed ? 1L << 7 : 0)
              | (absolute ? ABSOLUTE : 0)
              | (negate ? NEGATE : 0)
              | (long) mode << 49,
          in -> {
            double value = signed(floatSource(in, from), absolute, negate);
            return result(in, to, clamped(value, MODES[mode], 8 << to, signed));
          });
    }
  }

  private static long clamped(double value, RoundingMode mode, int bits, boolean signed) {
    if (Double.isNaN(value)) {
      return 0;
    }
    BigInteger least = signed ? BigInteger.ONE.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
    BigInteger most = BigInteger.ONE.shiftLeft(signed ? bits - 1 : bits).subtract(BigInteger.ONE);
    if (Double.isInfinite(value)) {
      return (value < 0 ? least : most).longValue();
    }
    BigInteger rounded = new BigDecimal(value).setScale(0, mode).toBigInteger();
    return rounded.max(least).min(most).longValue();
  }

  /** An integer of 1 to 8 bytes; part n of a word is its n-th byte. */
  private static BigInteger integer(Operands in, int size, boolean signed, int part) {
    BigInteger all = BigInteger.valueOf(size == 3 ? in.wideB() : in.b());
    int bits = 8 << size;
    int shift = size == 0 ? 8 * part : size == 1 ? 16 * (part / 2) : 0;
    BigInteger modulus = BigInteger.ONE.shiftLeft(bits);
    BigInteger value = all.shiftRight(shift).mod(modulus);
    return signed && value.testBit(bits - 1) ? value.subtract(modulus) : value;
  }

  @Test
  @Covers({Opcode.I2F})
  void i2f_allSizesAndRoundings_roundsOnce(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 256; m++) {
      int mode = m & 3;
      boolean signed = (m & 4) != 0;
      int to = (m & 8) != 0 ? 3 : 2;
      int from = m >> 4 & 3;
      boolean absolute = (m & 64) != 0;
      boolean negate = (m & 128) != 0;
      int part = from == 0 ? random.nextInt(4) : from == 1 ? 2 * random.nextInt(2) : 0;
      one.check(
          "I2F",
          0x1800000000000004L
              | OPERANDS
              | sizes(to, from)
              | (signed ? 1L << 9 : 0)
              | (absolute ? ABSOLUTE : 0)
              | (negate ? NEGATE : 0)
              | (long) part << 55
              | (long) mode << 49,
          in -> {
            BigInteger value = integer(in, from, signed, part);
            value = absolute ? value.abs() : value;
            value = negate ? value.negate() : value;
            if (value.signum() == 0) {
              return result(in, to, 0);
            }
            Dyadic exact = Dyadic.of(value);
            long bits =
                to == 3
                    ? Double.doubleToRawLongBits(exact.toDouble(mode))
                    : Float.floatToRawIntBits(exact.toFloat(mode));
            return result(in, to, bits);
          });
    }
  }

  @Test
  @Covers({Opcode.I2I})
  void i2i_allSizes_cutsOrClamps(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 128; m++) {
      int to = m & 3;
      int from = (m >> 2 & 3) % 3;
      boolean signed = (m & 16) != 0;
      boolean signedTarget = (m & 32) != 0;
      boolean saturate = (m & 64) != 0 && to != 3;
      one.check(
          "I2I",
          0x1c00000000000004L
              | OPERANDS
              | sizes(to, from)
              | (signed ? 1L << 9 : 0)
              | (signedTarget ? 1L << 7 : 0)
              | (saturate ? 1L << 5 : 0),
          in -> {
            BigInteger value = integer(in, from, signed, 0);
            int bits = 8 << to;
            if (saturate) {
              BigInteger least =
                  signedTarget ? BigInteger.ONE.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
              BigInteger most =
                  BigInteger.ONE.shiftLeft(signedTarget ? bits - 1 : bits).subtract(BigInteger.ONE);
              value = value.max(least).min(most);
            }
            BigInteger modulus = BigInteger.ONE.shiftLeft(bits);
            BigInteger cut = value.mod(modulus);
            boolean negative = signedTarget && cut.testBit(bits - 1);
            return result(in, to, (negative ? cut.subtract(modulus) : cut).longValue());
          });
    }
  }

  @Test
  @Covers({Opcode.F2F})
  void f2f_betweenSizes_roundsOnce(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 64; m++) {
      int mode = m & 3;
      int to = (m & 4) != 0 ? 3 : 2;
      int from = (m & 8) != 0 ? 3 : 2;
      boolean integral = (m & 16) != 0;
      boolean negate = (m & 32) != 0;
      one.check(
          "F2F",
          0x1000000000000004L
              | OPERANDS
              | sizes(to, from)
              | (integral ? 1L << 7 : 0)
              | (negate ? NEGATE : 0)
              | (long) mode << 49,
          in -> {
            double value = signed(floatSource(in, from), false, negate);
            if (integral && Double.isFinite(value)) {
              BigDecimal rounded = new BigDecimal(value).setScale(0, MODES[mode]);
              value = Math.copySign(rounded.abs().doubleValue(), value);
            }
            if (Double.isNaN(value)) {
              return result(in, to, to == 3 ? Long.MAX_VALUE : Integer.MAX_VALUE);
            }
            boolean exact = value == 0 || Double.isInfinite(value);
            if (to == 3) {
              return result(in, to, Double.doubleToRawLongBits(value));
            }
            float narrowed = exact ? (float) value : Dyadic.of(value).toFloat(mode);
            return result(in, to, Float.floatToRawIntBits(narrowed));
          });
    }
  }
}
