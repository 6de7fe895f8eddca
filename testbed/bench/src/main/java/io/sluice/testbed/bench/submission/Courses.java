package io.sluice.testbed.bench.submission;

import io.sluice.testbed.bench.results.Figure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

/** Runs of a workload on one side, in order. */
final class Courses {
  private final List<Course> courses = new ArrayList<>();

  void add(Course course) {
    courses.add(course);
  }

  void dropFirst() {
    courses.removeFirst();
  }

  int count() {
    return courses.size();
  }

  double meanMs(ToLongFunction<Course> part) {
    return courses.stream().mapToLong(part).average().orElseThrow() / 1e6;
  }

  double medianMs(ToLongFunction<Course> part) {
    return median(courses.stream().mapToDouble(c -> part.applyAsLong(c) / 1e6).toArray());
  }

  /** Of runs that followed each other, so that what changes slowly concerns both. */
  double medianRatioTo(Courses other, ToLongFunction<Course> part) {
    double[] ratios = new double[courses.size()];
    for (int i = 0; i < ratios.length; i++) {
      double ns = part.applyAsLong(courses.get(i));
      ratios[i] = ns / part.applyAsLong(other.courses.get(i));
    }
    return median(ratios);
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    int middle = values.length / 2;
    return (values[middle] + values[(values.length - 1) / 2]) / 2;
  }

  /** Means of the parts. */
  List<Figure> figures(String name) {
    return List.of(
        Figure.info("P1", name + ": mean", meanMs(Course::totalNs), "ms"),
        Figure.info("P1", name + ": setting up, giving back", meanMs(Course::mediatedNs), "ms"),
        Figure.info("P1", name + ": copies in and out", meanMs(Course::copiesNs), "ms"),
        Figure.info("P1", name + ": kernels", meanMs(Course::kernelsNs), "ms"),
        Figure.info("P1", name + ": CPU time", meanMs(Course::cpuNs), "ms"));
  }
}
