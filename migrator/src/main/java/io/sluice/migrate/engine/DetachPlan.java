package io.sluice.migrate.engine;

import io.sluice.migrate.engine.MigrationSettings.DetachTime;

/**
 * When to take access back. Too early, and the GPU has nothing to do while memory is copied; too
 * late, and the machine stands still until the kernels that run have ended. In between lies the
 * moment from which the copying takes as long as the drain will: the longest command seen, as long
 * as those go on that are like it.
 */
final class DetachPlan {
  private final DetachTime time;
  private long longestCommandNs;

  DetachPlan(DetachTime time) {
    this.time = time;
  }

  /** A command was seen to have run for so long. */
  void observe(long runningNs) {
    longestCommandNs = Math.max(longestCommandNs, runningNs);
  }

  /** How long the drain is expected to take. */
  long expectedDrainNs() {
    return longestCommandNs;
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
      case PLANNED -> copied || copyingLeftNs > 0 && copyingLeftNs <= longestCommandNs;
      case LAST -> copied;
    };
  }
}
