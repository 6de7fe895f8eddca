package io.sluice.daemon.migration;

/**
 * The delay before a condition is reported that may pass by itself: that nobody can say whose a
 * guest is. A link may end with the destination's last message, which is read just after that, and
 * a destination that is asked anew may answer the first question.
 */
final class Debounce {
  private final long patienceNs;
  private long lastClearNs;
  private boolean reported;

  /**
   * @param patienceNs for how long the condition must have lasted
   * @param nowNs of a monotonic clock, at which it does not hold
   */
  Debounce(long patienceNs, long nowNs) {
    this.patienceNs = patienceNs;
    lastClearNs = nowNs;
  }

  /**
   * Takes a look at the condition.
   *
   * @param holds whether it holds now
   * @return whether to report it, which is so once
   */
  boolean poll(boolean holds, long nowNs) {
    if (!holds) {
      lastClearNs = nowNs;
      return false;
    }
    if (reported || nowNs - lastClearNs <= patienceNs) {
      return false;
    }
    reported = true;
    return true;
  }
}
