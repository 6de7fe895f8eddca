package io.sluice.daemon.runtime;

import org.slf4j.Logger;

/**
 * The failures of a thread that goes on: each is counted, and the first ones are logged, then ever
 * fewer, so that one that lasts does not fill the log. Used by that thread; any may ask how many.
 */
public final class LoopFailures {
  private final Logger log;
  private final String what;
  private volatile long count;

  /**
   * @param what the thread does
   */
  public LoopFailures(Logger log, String what) {
    this.log = log;
    this.what = what;
  }

  /** One more; nothing is thrown, even where not so much as a line can be written. */
  public void note(Throwable cause) {
    long now = count + 1;
    count = now;
    if (Long.bitCount(now) > 1) {
      return;
    }
    try {
      log.atError()
          .setCause(cause)
          .addKeyValue("what", what)
          .addKeyValue("times", now)
          .log("a thread of the daemon failed and goes on");
    } catch (RuntimeException | Error _) {
      // The host has no memory left, most likely: the thread is needed more than the line.
    }
  }

  /** Does a step that the others do not depend on: what it throws is noted. */
  public void attempt(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      note(e);
    }
  }

  /** How many there were. */
  public long count() {
    return count;
  }
}
