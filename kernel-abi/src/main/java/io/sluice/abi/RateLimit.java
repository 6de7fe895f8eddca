package io.sluice.abi;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The rate at which something may happen: so many times at once, and once more each interval. Any
 * thread may ask.
 */
public final class RateLimit {
  /**
   * The room that there is at a moment.
   *
   * @param left turns that may be taken now
   * @param burst most that there may be
   * @param interval after which there is one more
   */
  public record Allowance(int left, int burst, Duration interval) {}

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

  /** The turns that there are now. */
  public synchronized Allowance room() {
    long taken = Math.max(0, over - (clock.getAsLong() - origin));
    int burst = (int) (burstNs / intervalNs) + 1;
    int left = taken > burstNs ? 0 : (int) ((burstNs - taken) / intervalNs) + 1;
    return new Allowance(left, burst, Duration.ofNanos(intervalNs));
  }

  /** Nanoseconds until there is a turn; 0 when there is one now. */
  public synchronized long untilNextNs() {
    return Math.max(0, over - (clock.getAsLong() - origin) - burstNs);
  }
}
