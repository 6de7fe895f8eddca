package io.sluice.daemon.migration;

/**
 * The time that the thread of a migration sleeps when it has nothing to do. What it waits for wakes
 * it, as far as somebody can tell it; the rest it has to look for, and each look takes a processor
 * from the guest's program.
 */
final class IdleTime {
  /** Nothing is later by more than this while the guest waits, or has just begun to. */
  static final long LEAST_NS = 200_000;

  /** While it runs. */
  static final long MOST_NS = 2_000_000;

  /** What is looked for comes later by at most this part of the time that it took. */
  private static final int PART = 64;

  private IdleTime() {}

  /**
   * While the guest waits.
   *
   * @param idleNs for how long there was nothing to do
   */
  static long after(long idleNs) {
    return Math.clamp(idleNs / PART, LEAST_NS, MOST_NS);
  }
}
