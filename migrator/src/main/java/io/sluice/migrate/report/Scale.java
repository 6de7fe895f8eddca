package io.sluice.migrate.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A scale of an axis: where on a picture a value lies, and which round values are marked.
 *
 * @param from value at the start
 * @param to value at the end, more than that
 * @param start on the picture
 * @param end on the picture; less than the start for an axis that grows upwards
 */
record Scale(double from, double to, double start, double end) {
  double at(double value) {
    double part = (Math.min(Math.max(value, from), to) - from) / (to - from);
    return start + part * (end - start);
  }

  /** Round values, about as many as wanted, none outside. */
  List<Double> ticks(int wanted) {
    double step = step((to - from) / wanted);
    List<Double> ticks = new ArrayList<>();
    for (long i = (long) Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-9); i++) {
      ticks.add(i * step);
    }
    return ticks;
  }

  /** The next larger of 1, 2, 5, 10, 20 and so on. */
  private static double step(double least) {
    double power = Math.pow(10, Math.floor(Math.log10(least)));
    for (double factor : new double[] {1, 2, 5}) {
      if (factor * power >= least * (1 - 1e-9)) {
        return factor * power;
      }
    }
    return 10 * power;
  }
}
