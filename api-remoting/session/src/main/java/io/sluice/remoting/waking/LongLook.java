package io.sluice.remoting.waking;

import java.util.concurrent.Semaphore;

/**
 * A session's look for what a device does that lasts longer than usual: a processor has nothing
 * else to do meanwhile. A process has places for a quarter of the processors. Belongs to the
 * session's thread.
 */
public final class LongLook {
  private final Semaphore places;
  private boolean placed;

  /**
   * @param places those of all sessions
   */
  public LongLook(Semaphore places) {
    this.places = places;
  }

  /** The places of a process. */
  public static Semaphore places() {
    return new Semaphore(Runtime.getRuntime().availableProcessors() / 4);
  }

  /** Whether it goes on, or may begin. */
  public boolean goesOn() {
    placed = placed || places.tryAcquire();
    return placed;
  }

  /** It is over, if there was one. */
  public void end() {
    if (placed) {
      placed = false;
      places.release();
    }
  }
}
