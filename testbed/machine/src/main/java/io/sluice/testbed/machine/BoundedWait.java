package io.sluice.testbed.machine;

import java.io.IOException;
import java.time.Duration;

/**
 * A wait for what other processes do and nobody tells: it looks again and again, but not for ever.
 *
 * @param longest after which it fails
 * @param step between two looks
 */
public record BoundedWait(Duration longest, Duration step) {
  /** The condition that is waited for. */
  @FunctionalInterface
  public interface Condition<E extends Exception> {
    /** Whether it is so now. */
    boolean holds() throws E;
  }

  /**
   * Waits until something is so.
   *
   * @param what that is; its text is asked for when it does not come
   * @throws IOException it does not come in time
   */
  public <E extends Exception> void until(Object what, Condition<E> condition)
      throws E, IOException, InterruptedException {
    long start = System.nanoTime();
    while (!condition.holds()) {
      if (System.nanoTime() - start > longest.toNanos()) {
        throw new IOException("not within " + longest + ": " + what);
      }
      Thread.sleep(step);
    }
  }
}
