package io.sluice.abi;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The rate at which something may happen: so many times at once, and once more each interval. Any
 * thread may ask.
 */
public final class RateLimit {
  private final LongSupplier clock;
  private final long origin;
  private final long intervalNs;
  private final long burstNs;

  /** When all turns that were taken would be over, had they been an interval apart. */
  @GuardedBy("this")
  private long over;

  /**
   * @param burst turns that may be taken at once, at least 1
   * @param interval between turns in the long run
   * @param clock nanoseconds
   */
  public RateLimit(int burst, Duration interval, LongSupplier clock) {
    this.clock = clock;
    origin = clock.getAsLong();
    intervalNs = interval.toNanos();
    burstNs = Math.multiplyExact(intervalNs, burst - 1);
  }

  /** Takes a turn, if there is one. */
  public synchronized boolean tryTake() {
    long now = clock.getAsLong() - origin;
    if (over - now > burstNs) {
      return false;
    }
    over = Math.max(over, now) + intervalNs;
    return true;
  }

  /** Nanoseconds until there is a turn; 0 when there is one now. */
  public synchronized long untilNextNs() {
    return Math.max(0, over - (clock.getAsLong() - origin) - burstNs);
  }
}
