package io.sluice.daemon.guest;

import java.util.function.LongSupplier;

/**
 * The rate of changes: so many are let through at once, and so many each second from then on: each
 * is written to the disk and moves memory. Guarded by whoever has it.
 */
public final class ChangeRate {
  /** Enough to give every guest of a daemon another quota twice at once. */
  public static final int BURST = 256;

  /** Changes a second after that. */
  static final int PER_SECOND = 20;

  private static final long NANOS_EACH = 1_000_000_000L / PER_SECOND;

  private final LongSupplier clock;
  private long left = BURST;
  private long countedNs;

  /**
   * @param clock monotonic nanoseconds
   */
  public ChangeRate(LongSupplier clock) {
    this.clock = clock;
    countedNs = clock.getAsLong();
  }

  /** Whether one more is let through. */
  boolean take() {
    long earned = (clock.getAsLong() - countedNs) / NANOS_EACH;
    countedNs += earned * NANOS_EACH;
    left = Math.min(BURST, left + earned);
    if (left == 0) {
      return false;
    }
    left--;
    return true;
  }
}
