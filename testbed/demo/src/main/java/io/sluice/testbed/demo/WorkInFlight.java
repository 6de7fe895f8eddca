package io.sluice.testbed.demo;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The work that a GPU had when it was taken from a machine that moves, as the report's JSON has it.
 *
 * @param channels that were taken
 * @param submissions in their rings that were not done with
 */
record WorkInFlight(int channels, long submissions) {
  private static final Pattern DETACH =
      Pattern.compile("\"detach\":\\{[^}]*\"channels\":(\\d+)[^}]*\"pendingEntries\":(\\d+)");

  /** That of a report; empty when access was never taken back. */
  static Optional<WorkInFlight> of(String json) {
    Matcher found = DETACH.matcher(json);
    return found.find()
        ? Optional.of(
            new WorkInFlight(Integer.parseInt(found.group(1)), Long.parseLong(found.group(2))))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return PlainUnits.count(channels, "channel")
        + ", "
        + PlainUnits.count(submissions, "submission");
  }
}
