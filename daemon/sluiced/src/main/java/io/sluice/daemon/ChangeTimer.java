package io.sluice.daemon;

import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How long an operator's changes take until guests are kept to them. Asked by any thread, answered
 * by the one that moves memory.
 */
final class ChangeTimer {
  private static final long NONE = Long.MIN_VALUE;
  private static final long NANOS_PER_MICRO = 1000;

  private final LongSupplier clock;
  private final AtomicLong askedNs = new AtomicLong(NONE); // of the first that is not begun

  // Of the thread that moves.
  private long sinceNs = NONE;
  private long heldNs = NONE;

  /**
   * @param clock monotonic nanoseconds
   */
  ChangeTimer(LongSupplier clock) {
    this.clock = clock;
  }

  long now() {
    return clock.getAsLong();
  }

  /**
   * A change is to be done.
   *
   * @param atNs when it was asked for
   */
  void asked(long atNs) {
    askedNs.compareAndSet(NONE, atNs);
  }

  /** What was asked for until now is about to be done. */
  void begin() {
    sinceNs = askedNs.getAndSet(NONE);
    heldNs = NONE;
  }

  /** Guests are kept to it. */
  void held() {
    heldNs = clock.getAsLong();
  }

  /** How long that took, in microseconds; empty if nobody had asked, or it failed. */
  OptionalLong heldUs() {
    return sinceNs == NONE || heldNs == NONE
        ? OptionalLong.empty()
        : OptionalLong.of((heldNs - sinceNs) / NANOS_PER_MICRO);
  }
}
