package io.sluice.gpu.sm.math;

/** Single precision as docs/numerics.md defines it. All values are float bits. */
public final class Fp32 {
  /** Every NaN result. */
  static final int NAN = 0x7fffffff;

  private static final float THE_NAN = Float.intBitsToFloat(NAN);
  private static final int SIGN = 0x80000000;
  private static final double LOG_2 = StrictMath.log(2);

  private Fp32() {}

  /** Flushes a denormal to a zero of its sign. */
  public static int flush(int bits) {
    return (bits & 0x7f800000) == 0 ? bits & SIGN : bits;
  }

  /** The same of a value. */
  public static float flush(float value) {
    return Math.abs(value) < Float.MIN_NORMAL ? Math.copySign(0f, value) : value;
  }

  /** The bits of a result: one NaN. */
  public static int canonical(float value) {
    return Float.floatToRawIntBits(Float.isNaN(value) ? THE_NAN : value);
  }

  public static int negateIf(boolean negate, int bits) {
    return negate ? bits ^ SIGN : bits;
  }

  public static int absoluteIf(boolean absolute, int bits) {
    return absolute ? bits & ~SIGN : bits;
  }

  /** The bits of a result: one NaN, flushed and clamped to 0..1 as asked. */
  public static int result(float value, boolean ftz, boolean saturate) {
    if (saturate) {
      int clamped = Float.floatToRawIntBits(value > 0 ? Math.min(value, 1f) : 0f);
      return ftz ? flush(clamped) : clamped;
    }
    if (Float.isNaN(value)) {
      return NAN;
    }
    int bits = Float.floatToRawIntBits(value);
    return ftz ? flush(bits) : bits;
  }

  public static int add(int a, int b, Rounding rounding, boolean ftz, boolean saturate) {
    float x = Float.intBitsToFloat(ftz ? flush(a) : a);
    float y = Float.intBitsToFloat(ftz ? flush(b) : b);
    float sum = x + y;
    if (rounding != Rounding.RN && Float.isFinite(x) && Float.isFinite(y)) {
      float zero = x == 0 && y == 0 && sameSign(x, y) ? x : rounding.cancelledZero();
      sum = roundedSum(x, y, rounding, zero);
    }
    return result(sum, ftz, saturate);
  }

  /**
   * A sum in a directed mode. Knuth's two-sum gives the part of it that the double leaves out.
   *
   * @param zero the result when it is exactly 0
   */
  private static float roundedSum(double x, double y, Rounding rounding, float zero) {
    double high = x + y;
    double part = high - x;
    double low = (x - (high - part)) + (y - part);
    return rounding.toFloat(high, low, zero);
  }

  /**
   * A product, times a power of two.
   *
   * <p>A product of two floats and its scaling are exact as a double, so that one rounding follows.
   */
  static int multiply(
      int a, int b, float scale, Rounding rounding, boolean ftz, boolean fmz, boolean saturate) {
    float x = Float.intBitsToFloat(ftz || fmz ? flush(a) : a);
    float y = Float.intBitsToFloat(ftz || fmz ? flush(b) : b);
    if (fmz && (x == 0 || y == 0)) {
      return 0;
    }
    float product = scale == 1f ? x * y : (float) ((double) x * y * scale);
    if (rounding != Rounding.RN && Float.isFinite(x) && Float.isFinite(y)) {
      product = rounding.toFloat((double) x * y * scale, 0, product);
    }
    return result(product, ftz || fmz, saturate);
  }

  static int fma(
      int a, int b, int c, Rounding rounding, boolean ftz, boolean fmz, boolean saturate) {
    float x = Float.intBitsToFloat(ftz || fmz ? flush(a) : a);
    float y = Float.intBitsToFloat(ftz || fmz ? flush(b) : b);
    float z = Float.intBitsToFloat(ftz || fmz ? flush(c) : c);
    if (fmz && (x == 0 || y == 0)) {
      return result(z + 0f, true, saturate);
    }
    float value = Math.fma(x, y, z);
    if (rounding != Rounding.RN && Float.isFinite(x) && Float.isFinite(y) && Float.isFinite(z)) {
      double product = (double) x * y;
      boolean zeros = product == 0 && z == 0 && sameSign((float) product, z);
      value = roundedSum(product, z, rounding, zeros ? z : rounding.cancelledZero());
    }
    return result(value, ftz || fmz, saturate);
  }

  public static int minMax(int a, int b, boolean min, boolean ftz) {
    float x = Float.intBitsToFloat(ftz ? flush(a) : a);
    float y = Float.intBitsToFloat(ftz ? flush(b) : b);
    if (Float.isNaN(x)) {
      return result(y, ftz, false);
    }
    if (Float.isNaN(y)) {
      return result(x, ftz, false);
    }
    return result(min ? Math.min(x, y) : Math.max(x, y), ftz, false);
  }

  /**
   * A comparison by its encoding: bits 2:0 accept less, equal and greater, bit 3 accepts unordered.
   */
  public static boolean compare(int condition, double x, double y) {
    int relation = x < y ? 1 : x == y ? 2 : x > y ? 4 : 8;
    return (condition & relation) != 0;
  }

  /** The special functions: the double result, the same on every host, rounded to float. */
  public static int special(int function, int operand, boolean saturate) {
    double x = Float.intBitsToFloat(flush(operand));
    double value =
        switch (function) {
          case 0 -> StrictMath.cos(x);
          case 1 -> StrictMath.sin(x);
          case 2 -> Exponential.power(x);
          case 3 -> StrictMath.log(x) / LOG_2;
          case 4 -> 1 / x;
          case 5 -> 1 / Math.sqrt(x);
          default -> throw new AssertionError("function=" + function);
        };
    return result((float) value, true, saturate);
  }

  /**
   * The reciprocal of a root: as {@link #special} gives it, in less time. Root and reciprocal are
   * computed side by side. Their product may be another double than the reciprocal of the root, but
   * never another float, as trying all of them shows.
   */
  public static float reciprocalRoot(float operand) {
    if (operand >= Float.MIN_NORMAL && operand <= Float.MAX_VALUE) {
      double x = operand;
      return (float) (Math.sqrt(x) * (1 / x));
    }
    return (float) (1 / Math.sqrt(flush(operand)));
  }

  private static boolean sameSign(float x, float y) {
    return (Float.floatToRawIntBits(x) ^ Float.floatToRawIntBits(y)) >= 0;
  }
}
