package io.sluice.remoting.waking;

/**
 * The pace at which a session looks for what completes without being told. Libraries tell it, but
 * one was seen to be 20 ms late. One that tells in time is looked at seldom, since a look takes a
 * processor from the work that is waited for; one that was late is looked at often for a while.
 * Belongs to the session's thread.
 */
public final class LookPace {
  /** How soon a library is looked at that was late, at least. */
  static final long OFTEN_NS = 50_000;

  /** How soon any other is, at least. */
  static final long SELDOM_NS = 2_000_000;

  /** How late any look is, at most. */
  static final long LONGEST_NS = 20_000_000;

  /** So many times in a row a library that was late must tell in time. */
  static final int PROBATION = 64;

  /** Of one that was late, what completes is seen this part of its time late, at most. */
  private static final long SHARE = 8;

  private int probation;

  /**
   * How long to sleep until the next look.
   *
   * @param idleNs how long nothing has happened
   */
  public long nextNs(long idleNs) {
    return probation > 0
        ? Math.clamp(idleNs / SHARE, OFTEN_NS, LONGEST_NS)
        : Math.clamp(idleNs, SELDOM_NS, LONGEST_NS);
  }

  /**
   * Something has completed while the session slept.
   *
   * @param told whether it was woken for that
   */
  public void completed(boolean told) {
    probation = told ? Math.max(0, probation - 1) : PROBATION;
  }
}
