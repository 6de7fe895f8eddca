package io.sluice.gpu.sm.math;

import java.math.BigDecimal;

/**
 * The four rounding modes, by their encoding. Round to nearest is Java's own arithmetic; the
 * directed modes start from the nearest value and step to its neighbour where that is on the wrong
 * side of the exact one.
 */
enum Rounding {
  /** To nearest, ties to even. */
  RN,
  /** Towards minus infinity. */
  RM,
  /** Towards plus infinity. */
  RP,
  /** Towards zero. */
  RZ;

  /** The mode of an encoding. A constant for the compiler where the encoding is one. */
  static Rounding of(int encoding) {
    return switch (encoding) {
      case 0 -> RN;
      case 1 -> RM;
      case 2 -> RP;
      case 3 -> RZ;
      default -> throw new AssertionError(encoding);
    };
  }

  /**
   * The float next to {@code high + low} in this mode, which is not {@link #RN}.
   *
   * @param high a finite double
   * @param low what is missing to the exact value, at most half a unit in the last place of high
   * @param zero the result when both are 0
   */
  float toFloat(double high, double low, float zero) {
    if (high == 0) {
      return zero;
    }
    boolean positive = high > 0;
    float nearest = (float) high;
    if (Float.isInfinite(nearest)) {
      return overflows(positive) ? nearest : Math.copySign(Float.MAX_VALUE, nearest);
    }
    int side = nearest == high ? -Double.compare(low, 0.0) : Double.compare(nearest, high);
    float rounded =
        down(positive)
            ? (side > 0 ? Math.nextDown(nearest) : nearest)
            : (side < 0 ? Math.nextUp(nearest) : nearest);
    return rounded == 0 ? Math.copySign(0f, (float) Math.signum(high)) : rounded;
  }

  /** The float next to an exact value in this mode; {@code zero} is the result for an exact 0. */
  float toFloat(BigDecimal exact, float zero) {
    if (exact.signum() == 0) {
      return zero;
    }
    float nearest = exact.floatValue();
    if (this == RN) {
      return nearest;
    }
    boolean positive = exact.signum() > 0;
    if (Float.isInfinite(nearest)) {
      return overflows(positive) ? nearest : Math.copySign(Float.MAX_VALUE, nearest);
    }
    int side = new BigDecimal(nearest).compareTo(exact);
    float rounded =
        down(positive)
            ? (side > 0 ? Math.nextDown(nearest) : nearest)
            : (side < 0 ? Math.nextUp(nearest) : nearest);
    return rounded == 0 ? Math.copySign(0f, exact.signum()) : rounded;
  }

  /** The double next to an exact value in this mode; {@code zero} is the result for an exact 0. */
  double toDouble(BigDecimal exact, double zero) {
    if (exact.signum() == 0) {
      return zero;
    }
    double nearest = exact.doubleValue();
    if (this == RN) {
      return nearest;
    }
    boolean positive = exact.signum() > 0;
    if (Double.isInfinite(nearest)) {
      return overflows(positive) ? nearest : Math.copySign(Double.MAX_VALUE, nearest);
    }
    int side = new BigDecimal(nearest).compareTo(exact);
    double rounded =
        down(positive)
            ? (side > 0 ? Math.nextDown(nearest) : nearest)
            : (side < 0 ? Math.nextUp(nearest) : nearest);
    return rounded == 0 ? Math.copySign(0.0, exact.signum()) : rounded;
  }

  /** A double as an integral value in this mode. */
  double toIntegral(double value) {
    return switch (this) {
      case RN -> Math.rint(value);
      case RM -> Math.floor(value);
      case RP -> Math.ceil(value);
      case RZ -> value < 0 ? Math.ceil(value) : Math.floor(value);
    };
  }

  /** Sign of the exact zero that x + (-x) gives. */
  float cancelledZero() {
    return this == RM ? -0.0f : 0.0f;
  }

  /** Whether a value of a sign is rounded towards minus infinity. */
  private boolean down(boolean positive) {
    return this == RM || (this == RZ && positive);
  }

  /** Whether a value beyond the largest becomes infinite in this mode. */
  private boolean overflows(boolean positive) {
    return this == RN || (positive ? this == RP : this == RM);
  }
}
