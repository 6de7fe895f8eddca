package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.REGISTERS;
import static io.sluice.gpu.sm.OneInstruction.THIRD;
import static io.sluice.gpu.sm.OneInstruction.pair;
import static io.sluice.gpu.sm.OneInstruction.predicates;
import static io.sluice.gpu.sm.OneInstruction.word;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.math.Exponential;
import io.sluice.testbed.fakes.Seeds;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Floating point against exact arithmetic, rounded by hand, with every modifier. */
@ExtendWith(Seeds.class)
final class FloatOracleTest {
  private static final int NAN = 0x7fffffff;
  private static final long NAN_64 = 0x7fffffffffffffffL;

  private static float flushed(float value, boolean ftz) {
    return ftz && Math.abs(value) < 0x1p-126f ? Math.copySign(0f, value) : value;
  }

  /** The bits of a result with flushing and saturation. */
  static int bits(float value, boolean ftz, boolean saturate) {
    if (saturate) {
      return Float.floatToIntBits(value >= 1 ? 1f : value > 0 ? flushed(value, ftz) : 0f);
    }
    return Float.isNaN(value) ? NAN : Float.floatToRawIntBits(flushed(value, ftz));
  }

  /** a * b + c with one rounding; the sign of a zero is that of IEEE 754, section 6.3. */
  static double fused(double a, double b, double c, int direction, boolean wide) {
    double product = a * b;
    if (!Double.isFinite(a) || !Double.isFinite(b) || !Double.isFinite(c)) {
      // The product of two finite numbers may overflow, but is no infinity here.
      boolean finite = Double.isFinite(a) && Double.isFinite(b);
      return finite ? c : product + c;
    }
    Dyadic exact = Dyadic.of(a).times(Dyadic.of(b)).plus(Dyadic.of(c));
    if (!exact.isZero()) {
      return wide ? exact.toDouble(direction) : exact.toFloat(direction);
    }
    double signOfProduct = Math.copySign(1, a) * Math.copySign(1, b);
    boolean zeros = (a == 0 || b == 0) && c == 0;
    if (zeros && signOfProduct == Math.copySign(1, c)) {
      return c;
    }
    return direction == Dyadic.DOWN ? -0.0 : 0.0;
  }

  /** a * b with one rounding. */
  static double product(double a, double b, int direction, boolean wide) {
    double nearest = a * b;
    boolean special = !Double.isFinite(a) || !Double.isFinite(b) || a == 0 || b == 0;
    if (special) {
      return nearest;
    }
    Dyadic exact = Dyadic.of(a).times(Dyadic.of(b));
    return wide ? exact.toDouble(direction) : exact.toFloat(direction);
  }

  static float sign(int bits, boolean absolute, boolean negated) {
    int magnitude = absolute ? bits & 0x7fffffff : bits;
    return Float.intBitsToFloat(negated ? magnitude ^ 0x80000000 : magnitude);
  }

  @Test
  @Covers({Opcode.FADD})
  void fadd_allModifiers_roundsOnce(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 256; m++) {
      int direction = m & 3;
      boolean ftz = (m & 4) != 0;
      boolean saturate = (m & 8) != 0;
      boolean negateA = (m & 16) != 0;
      boolean absoluteA = (m & 32) != 0;
      boolean negateB = (m & 64) != 0;
      boolean absoluteB = (m & 128) != 0;
      long bits =
          (long) direction << 55
              | (ftz ? 1L << 5 : 0)
              | (saturate ? 1L << 49 : 0)
              | (negateA ? 1L << 9 : 0)
              | (absoluteA ? 1L << 7 : 0)
              | (negateB ? 1L << 8 : 0)
              | (absoluteB ? 1L << 6 : 0);
      one.check(
          "FADD",
          0x5000000000000000L | REGISTERS | bits,
          in -> {
            float a = flushed(sign(in.a(), absoluteA, negateA), ftz);
            float b = flushed(sign(in.b(), absoluteB, negateB), ftz);
            return word(in, bits((float) fused(a, 1, b, direction, false), ftz, saturate));
          });
    }
  }

  @Test
  @Covers({Opcode.FMUL})
  void fmul_allModifiers_roundsOnce(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    float[] scales = {1, 0.5f, 0.25f, 0.125f, 8, 4, 2};
    for (int m = 0; m < 448; m++) {
      int direction = m & 3;
      boolean ftz = (m & 4) != 0;
      boolean fmz = (m & 8) != 0;
      boolean saturate = (m & 16) != 0;
      boolean negate = (m & 32) != 0;
      int scale = m / 64;
      long bits =
          (long) direction << 55
              | (ftz ? 1L << 6 : 0)
              | (fmz ? 1L << 7 : 0)
              | (saturate ? 1L << 5 : 0)
              | (negate ? 1L << 57 : 0)
              | (long) scale << 49;
      boolean flush = ftz || fmz;
      one.check(
          "FMUL",
          0x5800000000000000L | REGISTERS | bits,
          in -> {
            float a = flushed(sign(in.a(), false, negate), flush);
            float b = flushed(Float.intBitsToFloat(in.b()), flush);
            if (fmz && (a == 0 || b == 0)) {
              return word(in, 0);
            }
            double scaled = (double) a * scales[scale];
            return word(in, bits((float) product(scaled, b, direction, false), flush, saturate));
          });
    }
  }

  @Test
  @Covers({Opcode.FFMA})
  void ffma_allModifiers_roundsOnce(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 128; m++) {
      int direction = m & 3;
      boolean ftz = (m & 4) != 0;
      boolean fmz = (m & 8) != 0;
      boolean saturate = (m & 16) != 0;
      boolean negateProduct = (m & 32) != 0;
      boolean negateC = (m & 64) != 0;
      long bits =
          (long) direction << 55
              | (ftz ? 1L << 6 : 0)
              | (fmz ? 1L << 7 : 0)
              | (saturate ? 1L << 5 : 0)
              | (negateProduct ? 1L << 9 : 0)
              | (negateC ? 1L << 8 : 0);
      boolean flush = ftz || fmz;
      one.check(
          "FFMA",
          0x3000000000000000L | REGISTERS | THIRD | bits,
          in -> {
            float a = flushed(sign(in.a(), false, negateProduct), flush);
            float b = flushed(Float.intBitsToFloat(in.b()), flush);
            float c = flushed(sign(in.c(), false, negateC), flush);
            if (fmz && (a == 0 || b == 0)) {
              return word(in, bits(c + 0f, true, saturate));
            }
            return word(in, bits((float) fused(a, b, c, direction, false), flush, saturate));
          });
    }
  }

  private static long bits(double value) {
    return Double.isNaN(value) ? NAN_64 : Double.doubleToRawLongBits(value);
  }

  @Test
  @Covers({Opcode.DADD, Opcode.DMUL, Opcode.DFMA})
  void doubles_allRoundings_roundOnce(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 16; round++) {
      int direction = round & 3;
      long mode = (long) direction << 55;
      one.check(
          "DADD",
          0x4800000000000001L | REGISTERS | mode,
          in -> pair(in, bits(fused(a(in), 1, b(in), direction, true))));
      one.check(
          "DMUL",
          0x5000000000000001L | REGISTERS | mode,
          in -> pair(in, bits(product(a(in), b(in), direction, true))));
      one.check(
          "DFMA",
          0x2000000000000001L | REGISTERS | THIRD | mode,
          in -> pair(in, bits(fused(a(in), b(in), c(in), direction, true))));
    }
  }

  private static double a(Operands in) {
    return Double.longBitsToDouble(in.wideA());
  }

  private static double b(Operands in) {
    return Double.longBitsToDouble(in.wideB());
  }

  private static double c(Operands in) {
    return Double.longBitsToDouble(in.wideC());
  }

  /** Whether a condition holds: 1 less, 2 equal, 4 greater, 8 unordered. */
  private static boolean holds(int condition, double x, double y) {
    boolean unordered = Double.isNaN(x) || Double.isNaN(y);
    int relation = unordered ? 8 : x < y ? 1 : x > y ? 4 : 2;
    return (condition & relation) != 0;
  }

  @Test
  @Covers({Opcode.FSETP, Opcode.DSETP})
  void comparisons_allConditions_setPredicates(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int condition = 0; condition < 16; condition++) {
      int wanted = condition;
      boolean ftz = random.nextBoolean();
      int other = random.nextInt(8);
      int combination = random.nextInt(3);
      int first = random.nextInt(8);
      // Two targets that are one would show the order in which they are written.
      int second = first == 7 ? 7 : (first + 1) % 7;
      long common =
          REGISTERS & ~(63L << 14)
              | (long) condition << 55
              | (long) first << 17
              | (long) second << 14
              | (long) other << 49
              | (long) combination << 53;
      one.check(
          "FSETP",
          0x2000000000000000L | common | (ftz ? 1L << 59 : 0),
          in -> {
            float x = flushed(Float.intBitsToFloat(in.a()), ftz);
            float y = flushed(Float.intBitsToFloat(in.b()), ftz);
            boolean c = in.predicate(other);
            boolean holds = holds(wanted, x, y);
            boolean p = combined(combination, holds, c);
            return predicates(in, first, p, second, combined(combination, !holds, c));
          });
      one.check(
          "DSETP",
          0x1800000000000001L | common,
          in -> {
            boolean c = in.predicate(other);
            boolean holds = holds(wanted, a(in), b(in));
            boolean p = combined(combination, holds, c);
            return predicates(in, first, p, second, combined(combination, !holds, c));
          });
    }
  }

  private static boolean combined(int combination, boolean p, boolean q) {
    return combination == 0 ? p && q : combination == 1 ? p || q : p ^ q;
  }

  @Test
  @Covers({Opcode.FMNMX})
  void fmnmx_withNaN_givesTheOther(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int p = 0; p < 8; p++) {
      int selecting = p;
      one.check(
          "FMNMX",
          0x0800000000000000L | REGISTERS | (long) p << 49,
          in -> {
            float x = Float.intBitsToFloat(in.a());
            float y = Float.intBitsToFloat(in.b());
            boolean min = in.predicate(selecting);
            float result = Float.isNaN(x) ? y : Float.isNaN(y) || first(x, y, min) ? x : y;
            return word(in, bits(result, false, false));
          });
    }
  }

  /** Whether x is the one asked for; -0 is less than +0. */
  private static boolean first(float x, float y, boolean min) {
    return (Float.compare(x, y) < 0) == min;
  }

  @Test
  @Covers({Opcode.MUFU})
  void mufu_allFunctions_isTheDoubleResultRounded(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 60; round++) {
      int function = round % 6;
      boolean saturate = random.nextInt(4) == 0;
      boolean negate = random.nextBoolean();
      one.check(
          "MUFU",
          0xc800000000000000L
              | REGISTERS & ~(63L << 26)
              | (long) function << 26
              | (negate ? 1L << 9 : 0)
              | (saturate ? 1L << 5 : 0),
          in -> {
            double x = flushed(sign(in.a(), false, negate), true);
            double result =
                switch (function) {
                  case 0 -> StrictMath.cos(x);
                  case 1 -> StrictMath.sin(x);
                  case 2 -> StrictMath.pow(2, x);
                  case 3 -> StrictMath.log(x) / StrictMath.log(2);
                  case 4 -> 1 / x;
                  default -> 1 / StrictMath.sqrt(x);
                };
            return word(in, bits((float) result, true, saturate));
          });
    }
  }

  @Test
  void power_manyOperands_roundsAsStrictMath(RandomGenerator random) {
    for (int n = 0; n < 200_000; n++) {
      float x = (random.nextFloat() - 0.5f) * 320;
      float expected = (float) StrictMath.pow(2, x);
      if ((float) Exponential.power(x) != expected) {
        throw new AssertionError("x=" + Float.toHexString(x));
      }
    }
  }
}
