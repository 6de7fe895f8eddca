package io.sluice.testbed.bench.results;

import java.time.LocalDateTime;
import java.util.List;

/**
 * The figures of one run of benches, with where and when they were taken: a file of docs/results.
 *
 * @param at when it ended, UTC; of some days nothing but the day is known, which is its midnight
 * @param commit the tree that was measured, as git abbreviates it; with a + behind it when it had
 *     uncommitted changes
 * @param machine short description of the machine: processors, kernel, GPU
 * @param load what else ran, such as the load average at the start
 * @param command the command that repeats it
 * @param figures the figures, in the order of the benches
 */
public record Recording(
    LocalDateTime at,
    String commit,
    String machine,
    String load,
    String command,
    List<Figure> figures) {
  public Recording {
    figures = List.copyOf(figures);
  }
}
