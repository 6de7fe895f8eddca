package io.sluice.channel.nvidia.channel;

/**
 * The time between two looks at a channel that drains. The guest may stand still so long, and each
 * look takes time of the GPU and of a processor.
 */
public final class DrainPace {
  /** Least time between two. */
  static final long LEAST_NS = 100_000;

  /** Longest time between two. */
  public static final long MOST_NS = 1_000_000;

  /** From a step that has failed to the next. */
  static final long FAILED_NS = 1_000_000_000L;

  /** What is looked for is found later by at most this part of the time that it took. */
  private static final int PART = 64;

  private DrainPace() {}

  /**
   * The time until the next look.
   *
   * @param stageNs for how long the drain has been where it is
   */
  static long after(long stageNs) {
    return Math.clamp(stageNs / PART, LEAST_NS, MOST_NS);
  }
}
