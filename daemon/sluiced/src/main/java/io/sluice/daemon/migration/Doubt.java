package io.sluice.daemon.migration;

/**
 * The wait before it is told that nobody can say whose a guest is. It is not told at once: a link
 * may end with the destination's last word, which is read just after that, and a destination that
 * is asked anew may answer the first question.
 */
final class Doubt {
  private final long patienceNs;
  private long lastSureNs;
  private boolean told;

  /**
   * @param patienceNs for how long it must have lasted
   * @param nowNs of a monotonic clock, at which there is none
   */
  Doubt(long patienceNs, long nowNs) {
    this.patienceNs = patienceNs;
    lastSureNs = nowNs;
  }

  /**
   * Looks.
   *
   * @param doubted whether nobody can say it now
   * @return whether that is to be told, which is so once
   */
  boolean look(boolean doubted, long nowNs) {
    if (!doubted) {
      lastSureNs = nowNs;
      return false;
    }
    if (told || nowNs - lastSureNs <= patienceNs) {
      return false;
    }
    told = true;
    return true;
  }
}
