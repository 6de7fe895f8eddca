package io.sluice.gpu.sm.math;

/**
 * Powers of two as docs/numerics.md defines them: what StrictMath.pow gives, rounded to float. The
 * short way there is a polynomial; where its error could change the rounding, StrictMath decides.
 */
public final class Exponential {
  /** Beyond these the result is infinite or flushed. */
  private static final double MOST = 130;

  /**
   * How far the polynomial may be from the exact result, with StrictMath's own error, relative to
   * it: a generous bound, 2^-46.
   */
  private static final double ERROR = 0x1p-46;

  private static final int DEGREE = 14;

  /** ln(2)^n / n!, for the series of 2^x about 0. */
  private static final double[] COEFFICIENTS = coefficients();

  private Exponential() {}

  private static double[] coefficients() {
    double[] c = new double[DEGREE + 1];
    c[0] = 1;
    for (int n = 1; n <= DEGREE; n++) {
      c[n] = c[n - 1] * StrictMath.log(2) / n;
    }
    return c;
  }

  /** 2^n, exactly, where that is neither denormal nor infinite. */
  private static double powerOf(int n) {
    return Double.longBitsToDouble((long) (n + Double.MAX_EXPONENT) << 52);
  }

  /** A double that rounds to the float that 2^x rounds to. */
  public static double power(double x) {
    double whole = Math.rint(x);
    if (!(Math.abs(x) <= MOST)) {
      return StrictMath.pow(2, x);
    }
    if (whole == x) {
      return powerOf((int) whole);
    }
    double rest = x - whole;
    double sum = COEFFICIENTS[DEGREE];
    for (int n = DEGREE - 1; n >= 0; n--) {
      sum = sum * rest + COEFFICIENTS[n];
    }
    double value = sum * powerOf((int) whole);
    boolean sure = (float) (value * (1 - ERROR)) == (float) (value * (1 + ERROR));
    return sure ? value : StrictMath.pow(2, x);
  }
}
