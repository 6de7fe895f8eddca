package io.sluice.migrate.engine;

import io.sluice.migrate.engine.MigrationSettings.DetachTime;

/**
 * The plan of the moment in which access is taken back. Too early, and the GPU has nothing to do
 * while memory is copied; too late, and the machine stands still until the kernels that run have
 * ended. In between lies the moment from which the copying takes no longer than the drain will. The
 * command that runs is expected to take as long as the longest one seen, so the moment lies at the
 * beginning of a long one: towards its end another one is waited for, or the end of the copying.
 */
final class DetachPlan {
  private static final long SHORT_NS = 100_000_000;

  private final DetachTime time;
  private long longestCommandNs;
  private long runningNs;

  DetachPlan(DetachTime time) {
    this.time = time;
  }

  /**
   * Looks at what runs.
   *
   * @param newRunningNs for how long the longest of the commands that run now has run; 0 when none
   *     does
   */
  void observe(long newRunningNs) {
    runningNs = newRunningNs;
    longestCommandNs = Math.max(longestCommandNs, newRunningNs);
  }

  /** Whether one was seen at all. */
  boolean hasSeenCommands() {
    return longestCommandNs > 0;
  }

  /** How long the drain is expected to take if access is taken back now; 0 when nothing runs. */
  long expectedDrainNs() {
    return runningNs == 0 ? 0 : longestCommandNs - runningNs;
  }

  /** Whether a machine that stops before its GPU has drained does not stand for much longer. */
  boolean isDrainShort() {
    return expectedDrainNs() <= SHORT_NS;
  }

  /**
   * Whether it is time.
   *
   * @param copyingLeftNs how long the copying of what is left will take
   * @param copied whether all has been copied once, and the machine is near its end too
   */
  boolean isDue(long copyingLeftNs, boolean copied) {
    return switch (time) {
      case FIRST -> true;
      case PLANNED -> copied || copyingLeftNs > 0 && copyingLeftNs <= expectedDrainNs();
      case LAST -> copied;
    };
  }
}
