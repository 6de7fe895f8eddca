package io.sluice.testbed.bench.measure;

import io.sluice.testbed.bench.results.Figure;
import java.util.List;

/** One bench. */
public interface Measurement {
  /** Its number in docs/performance.md. */
  String id();

  /** What it measures, in a line. */
  String title();

  /** Measures. */
  List<Figure> run(BenchContext context) throws Exception;
}
