package io.sluice.testbed.bench.results;

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
 * @param spread of the measurements of which it is the median, or what else {@code what} says
 */
public record Figure(
    String bench,
    String what,
    double value,
    String unit,
    Relation relation,
    double goal,
    Spread spread) {
  /** The relation of a value to its goal. */
  public enum Relation {
    AT_MOST("<="),
    AT_LEAST(">="),
    /** No goal is set: the value is for comparison only. */
    NONE("");

    private final String sign;

    Relation(String sign) {
      this.sign = sign;
    }

    /** The relation as written in lines and files: {@code <=}, {@code >=} or nothing. */
    String sign() {
      return sign;
    }

    /** The relation with that sign. */
    static Relation of(String sign) {
      for (Relation relation : values()) {
        if (relation.sign.equals(sign)) {
          return relation;
        }
      }
      throw new IllegalArgumentException("a relation must be <=, >= or empty, relation=" + sign);
    }
  }

  /** A figure that only informs. */
  public static Figure info(String bench, String what, double value, String unit) {
    return new Figure(bench, what, value, unit, Relation.NONE, Double.NaN, Spread.UNKNOWN);
  }

  public static Figure atMost(String bench, String what, double value, String unit, double goal) {
    return new Figure(bench, what, value, unit, Relation.AT_MOST, goal, Spread.UNKNOWN);
  }

  public static Figure atLeast(String bench, String what, double value, String unit, double goal) {
    return new Figure(bench, what, value, unit, Relation.AT_LEAST, goal, Spread.UNKNOWN);
  }

  /** The figure of so many measurements. */
  public Figure ofMany(long count) {
    return ofMany(count, Double.NaN);
  }

  /**
   * The figure of so many measurements.
   *
   * @param p99 the same at their 99th percentile, in its unit; of few measurements it is left out
   */
  public Figure ofMany(long count, double p99) {
    return new Figure(bench, what, value, unit, relation, goal, Spread.of(count, p99));
  }

  /** True when the goal is met or there is none. */
  public boolean met() {
    return switch (relation) {
      case AT_MOST -> value <= goal;
      case AT_LEAST -> value >= goal;
      case NONE -> true;
    };
  }

  /** The line a bench ends with. */
  public String line() {
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
  static String format(double number) {
    double magnitude = Math.abs(number);
    String pattern = magnitude < 10 ? "%.3f" : magnitude < 100 ? "%.1f" : "%.0f";
    return String.format(Locale.ROOT, pattern, number);
  }
}
