package io.sluice.testbed.bench;

import java.util.Locale;

/**
 * One figure of docs/performance.md as a bench measured it.
 *
 * @param bench the number in docs/performance.md, such as {@code P2}
 * @param what what was measured, as printed
 * @param value the value; a ratio, a count or a time, as {@code what} says
 * @param unit its unit, empty for ratios and counts
 * @param relation how the value must stand to the goal
 * @param goal the goal, in the same unit
 */
record Figure(
    String bench, String what, double value, String unit, Relation relation, double goal) {
  /** How a value must stand to its goal. */
  enum Relation {
    AT_MOST("<="),
    AT_LEAST(">="),
    /** No goal is set: the value is for comparison only. */
    NONE("");

    private final String sign;

    Relation(String sign) {
      this.sign = sign;
    }
  }

  /** A figure that only informs. */
  static Figure info(String bench, String what, double value, String unit) {
    return new Figure(bench, what, value, unit, Relation.NONE, Double.NaN);
  }

  static Figure atMost(String bench, String what, double value, String unit, double goal) {
    return new Figure(bench, what, value, unit, Relation.AT_MOST, goal);
  }

  static Figure atLeast(String bench, String what, double value, String unit, double goal) {
    return new Figure(bench, what, value, unit, Relation.AT_LEAST, goal);
  }

  /** Whether the goal is met; true when there is none. */
  boolean met() {
    return switch (relation) {
      case AT_MOST -> value <= goal;
      case AT_LEAST -> value >= goal;
      case NONE -> true;
    };
  }

  /** The line a bench ends with. */
  String line() {
    String number = format(value);
    String measured = bench + ": " + what + " " + number + (unit.isEmpty() ? "" : " " + unit);
    if (relation == Relation.NONE) {
      return measured;
    }
    String wanted = format(goal);
    return measured
        + " (goal "
        + relation.sign
        + " "
        + wanted
        + (unit.isEmpty() ? "" : " " + unit)
        + ") "
        + (met() ? "met" : "short");
  }

  /** Small numbers with as many decimals as a ratio's goal has. */
  private static String format(double number) {
    double magnitude = Math.abs(number);
    String pattern = magnitude < 10 ? "%.3f" : magnitude < 100 ? "%.1f" : "%.0f";
    return String.format(Locale.ROOT, pattern, number);
  }
}
