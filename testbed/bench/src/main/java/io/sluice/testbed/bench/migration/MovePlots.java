package io.sluice.testbed.bench.migration;

import io.sluice.testbed.bench.measure.BarChart;
import io.sluice.testbed.bench.measure.BarChart.Bar;
import java.util.ArrayList;
import java.util.List;

/** The pictures of P6: a GPU without work, by what a move was told. */
final class MovePlots {
  static final String STANDSTILL = "standstill.svg";
  static final String SWITCHES = "switches.svg";
  static final String DEFAULT = " (default)";

  private static final String STOOD = "the machine stands still";
  private static final String RAN = "it runs, the GPU has no work";

  private final List<Bar> standstill = new ArrayList<>();
  private final List<Bar> switches = new ArrayList<>();

  /**
   * A move by when access was taken back.
   *
   * @param drainMs in which the GPU works on what was submitted
   */
  void taken(String program, String when, double pauseMs, double ranMs, double drainMs) {
    standstill.add(new Bar(program, when, List.of(pauseMs, ranMs, drainMs)));
  }

  /** A move by how changed pages were found. */
  void found(String program, String how, double pauseMs, double ranMs) {
    switches.add(new Bar(program, how, List.of(pauseMs, ranMs)));
  }

  String standstill() {
    return new BarChart(
            "A GPU without work, by when access is taken back",
            "One move each, so without spread; planned is the median of three.",
            "ms",
            List.of(STOOD, RAN, "drain: the GPU works"),
            standstill)
        .svg();
  }

  String switches() {
    return new BarChart(
            "A GPU without work, by how changed pages are found",
            "One move each, so without spread; what follows the drain.",
            "ms",
            List.of(STOOD, RAN),
            switches)
        .svg();
  }
}
