package io.sluice.gpu.sm;

import java.math.BigDecimal;

/**
 * The four rounding modes, by their encoding. Round to nearest is Java's own arithmetic; the
 * directed modes go through an exact decimal, which is slow and plainly right.
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

  private static final Rounding[] VALUES = values();

  static Rounding of(int encoding) {
    return VALUES[encoding];
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
    if (Float.isInfinite(nearest)) {
      return overflow(nearest > 0) ? nearest : Math.copySign(Float.MAX_VALUE, nearest);
    }
    int order = new BigDecimal(nearest).compareTo(exact);
    return switch (direction(exact.signum() > 0)) {
      case -1 -> signed(order > 0 ? Math.nextDown(nearest) : nearest, exact);
      default -> signed(order < 0 ? Math.nextUp(nearest) : nearest, exact);
    };
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
    if (Double.isInfinite(nearest)) {
      return overflow(nearest > 0) ? nearest : Math.copySign(Double.MAX_VALUE, nearest);
    }
    int order = new BigDecimal(nearest).compareTo(exact);
    double rounded =
        direction(exact.signum() > 0) < 0
            ? (order > 0 ? Math.nextDown(nearest) : nearest)
            : (order < 0 ? Math.nextUp(nearest) : nearest);
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

  private static float signed(float rounded, BigDecimal exact) {
    return rounded == 0 ? Math.copySign(0f, exact.signum()) : rounded;
  }

  /** -1 to round down, 1 to round up. */
  private int direction(boolean positive) {
    return switch (this) {
      case RM -> -1;
      case RP -> 1;
      case RZ -> positive ? -1 : 1;
      case RN -> throw new AssertionError("nearest has no direction");
    };
  }

  /** Whether a value beyond the largest becomes infinite in this mode. */
  private boolean overflow(boolean positive) {
    return this == RN || (positive ? this == RP : this == RM);
  }
}
