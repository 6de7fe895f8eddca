package io.sluice.gpu.engine;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The waits of threads for pages of an open's memory, which keeps whoever touches it: pages that
 * are taken out of a file meanwhile, or have to be read. After something took long the open is
 * watched for a while: it is asked how the thread spent the time. When threads have slept for its
 * pages several times, the open is served apart for a longer while: others hardly wait for what is
 * done for it. A few sleeps are nobody's doing: a thread waits for a collector, or for code to be
 * made ready, as well. Any thread may ask and say.
 */
public final class PageWaits {
  /** What takes longer took long: longer than nearly all that is done without a wait. */
  public static final long LONG_NS = 500_000;

  private static final long WATCHED_NS = 1_000_000_000L;
  private static final long APART_NS = 10_000_000_000L;
  private static final int SLEEPS = 4;
  private static final long NEVER_NS = Long.MIN_VALUE / 2;

  private volatile long watchedUntilNs = NEVER_NS;
  private volatile long apartUntilNs = NEVER_NS;

  /** Since it is watched. */
  private final AtomicInteger sleeps = new AtomicInteger();

  /** Only an open can have one. */
  PageWaits() {}

  /**
   * Something took long.
   *
   * @param nowNs GPU time
   */
  public void tookLong(long nowNs) {
    if (!isWatched(nowNs)) {
      sleeps.set(0);
    }
    watchedUntilNs = nowNs + WATCHED_NS;
  }

  /** A thread has slept for one of its pages. */
  public void slept(long nowNs) {
    if (sleeps.incrementAndGet() >= SLEEPS) {
      apartUntilNs = nowNs + APART_NS;
    }
  }

  /** Whether threads are to note what they have used before they touch its memory. */
  public boolean isWatched(long nowNs) {
    return watchedUntilNs - nowNs > 0;
  }

  /** Whether nobody else is to wait for long while a thread is at its memory. */
  public boolean isApart(long nowNs) {
    return apartUntilNs - nowNs > 0;
  }
}
