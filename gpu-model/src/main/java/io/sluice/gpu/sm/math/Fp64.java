package io.sluice.gpu.sm.math;

import java.math.BigDecimal;

/** Double precision as docs/numerics.md defines it. All values are double bits. */
public final class Fp64 {
  /** Every NaN result. */
  static final long NAN = 0x7fffffffffffffffL;

  private static final double THE_NAN = Double.longBitsToDouble(NAN);
  private static final long SIGN = 1L << 63;

  private Fp64() {}

  public static long negateIf(boolean negate, long bits) {
    return negate ? bits ^ SIGN : bits;
  }

  public static long absoluteIf(boolean absolute, long bits) {
    return absolute ? bits & ~SIGN : bits;
  }

  /** The bits of a result: one NaN. */
  public static long canonical(double value) {
    return Double.doubleToRawLongBits(Double.isNaN(value) ? THE_NAN : value);
  }

  public static long result(double value) {
    return Double.isNaN(value) ? NAN : Double.doubleToRawLongBits(value);
  }

  public static long add(long a, long b, Rounding rounding) {
    double x = Double.longBitsToDouble(a);
    double y = Double.longBitsToDouble(b);
    double sum = x + y;
    if (rounding != Rounding.RN && Double.isFinite(x) && Double.isFinite(y)) {
      double zero = x == 0 && y == 0 && (a ^ b) >= 0 ? x : rounding.cancelledZero();
      sum = rounding.toDouble(new BigDecimal(x).add(new BigDecimal(y)), zero);
    }
    return result(sum);
  }

  public static long multiply(long a, long b, Rounding rounding) {
    double x = Double.longBitsToDouble(a);
    double y = Double.longBitsToDouble(b);
    double product = x * y;
    if (rounding != Rounding.RN && Double.isFinite(x) && Double.isFinite(y)) {
      product = rounding.toDouble(new BigDecimal(x).multiply(new BigDecimal(y)), product);
    }
    return result(product);
  }

  public static long fma(long a, long b, long c, Rounding rounding) {
    double x = Double.longBitsToDouble(a);
    double y = Double.longBitsToDouble(b);
    double z = Double.longBitsToDouble(c);
    double value = Math.fma(x, y, z);
    if (rounding != Rounding.RN && Double.isFinite(x) && Double.isFinite(y) && Double.isFinite(z)) {
      BigDecimal exact = new BigDecimal(x).multiply(new BigDecimal(y)).add(new BigDecimal(z));
      double product = x * y;
      boolean sameZeros =
          product == 0 && z == 0 && Math.copySign(1.0, product) == Math.copySign(1.0, z);
      value = rounding.toDouble(exact, sameZeros ? z : rounding.cancelledZero());
    }
    return result(value);
  }

  public static long minMax(long a, long b, boolean min) {
    double x = Double.longBitsToDouble(a);
    double y = Double.longBitsToDouble(b);
    if (Double.isNaN(x)) {
      return result(y);
    }
    if (Double.isNaN(y)) {
      return result(x);
    }
    return result(min ? Math.min(x, y) : Math.max(x, y));
  }

  /** Upper word of an approximate reciprocal or reciprocal square root of a double's upper word. */
  public static int specialHigh(int function, int high) {
    double x = Double.longBitsToDouble((long) high << 32);
    double value = function == 6 ? 1 / x : 1 / Math.sqrt(x);
    return (int) (result(value) >>> 32);
  }
}
