package io.sluice.gpu.sm;

import java.math.BigInteger;

/**
 * An exact number n * 2^e, and its rounding to floats and doubles by hand: what floating-point
 * results are checked against.
 */
record Dyadic(BigInteger n, int e) {
  /** Directions, by their encoding in instructions. */
  static final int NEAREST = 0;

  static final int DOWN = 1;
  static final int UP = 2;

  private static final int FLOAT_DIGITS = 24;
  private static final int FLOAT_LEAST = -149;
  private static final int FLOAT_MOST = 128;
  private static final int DOUBLE_DIGITS = 53;
  private static final int DOUBLE_LEAST = -1074;
  private static final int DOUBLE_MOST = 1024;

  /** A finite double. */
  static Dyadic of(double value) {
    long bits = Double.doubleToRawLongBits(value);
    int exponent = (int) (bits >>> 52) & 0x7ff;
    long fraction = bits & (1L << 52) - 1;
    long digits = exponent == 0 ? fraction : fraction | 1L << 52;
    BigInteger magnitude = BigInteger.valueOf(digits);
    return new Dyadic(bits < 0 ? magnitude.negate() : magnitude, Math.max(exponent, 1) - 1075);
  }

  static Dyadic of(BigInteger value) {
    return new Dyadic(value, 0);
  }

  Dyadic times(Dyadic other) {
    return new Dyadic(n.multiply(other.n), e + other.e);
  }

  Dyadic plus(Dyadic other) {
    int least = Math.min(e, other.e);
    BigInteger sum = n.shiftLeft(e - least).add(other.n.shiftLeft(other.e - least));
    return new Dyadic(sum, least);
  }

  boolean isZero() {
    return n.signum() == 0;
  }

  /** Rounded to a float; not for 0. */
  float toFloat(int direction) {
    return (float) rounded(direction, FLOAT_DIGITS, FLOAT_LEAST, FLOAT_MOST, Float.MAX_VALUE);
  }

  /** Rounded to a double; not for 0. */
  double toDouble(int direction) {
    return rounded(direction, DOUBLE_DIGITS, DOUBLE_LEAST, DOUBLE_MOST, Double.MAX_VALUE);
  }

  private double rounded(int direction, int digits, int least, int most, double largest) {
    boolean negative = n.signum() < 0;
    BigInteger magnitude = n.abs();
    int unit = Math.max(magnitude.bitLength() + e - digits, least);
    BigInteger kept = shifted(magnitude, e - unit);
    BigInteger twiceRest = magnitude.shiftLeft(1).subtract(shifted(kept, unit - e).shiftLeft(1));
    boolean exact =
        shifted(kept, unit - e).equals(magnitude) && unit <= e || twiceRest.signum() == 0;
    boolean away =
        switch (direction) {
          case NEAREST -> {
            int half = twiceRest.compareTo(shifted(BigInteger.ONE, unit - e));
            yield !exact && (half > 0 || half == 0 && kept.testBit(0));
          }
          case DOWN -> !exact && negative;
          case UP -> !exact && !negative;
          default -> false;
        };
    BigInteger result = away ? kept.add(BigInteger.ONE) : kept;
    double value;
    if (result.bitLength() + unit > most) {
      boolean infinite = direction == NEAREST || direction == (negative ? DOWN : UP);
      value = infinite ? Double.POSITIVE_INFINITY : largest;
    } else {
      value = Math.scalb(result.doubleValue(), unit);
    }
    return negative ? -value : value;
  }

  private static BigInteger shifted(BigInteger value, int places) {
    return places >= 0 ? value.shiftLeft(places) : value.shiftRight(-places);
  }
}
