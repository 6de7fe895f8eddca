package io.sluice.testbed.jmh;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** The gate of the data path: JMH's gc profiler sees no allocation by a submission. */
final class SubmissionAllocationTest {
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  /** Less than an object in ten submissions: what is left is the harness' own. */
  private static final double MOST_BYTES = 1.6;

  @Test
  void submission_ofAnyKind_allocatesNothing() throws Exception {
    Options options =
        new OptionsBuilder()
            .include(SubmissionBenchmark.class.getName())
            .forks(0)
            .warmupIterations(4)
            .warmupTime(TimeValue.milliseconds(500))
            .measurementIterations(3)
            .measurementTime(TimeValue.milliseconds(500))
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .build();
    Collection<RunResult> results = new Runner(options).run();
    assertThat(results).hasSize(2);
    for (RunResult result : results) {
      Result<?> allocated = requireNonNull(result.getSecondaryResults().get(ALLOCATED));
      // Code may still be compiled in the first of them.
      assertThat(allocated.getStatistics().getMin())
          .as("bytes per submission, %s", result.getParams().getBenchmark())
          .isLessThan(MOST_BYTES);
    }
  }
}
