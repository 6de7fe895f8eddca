package io.sluice.gpu.sm;

import java.util.function.LongSupplier;

/**
 * The time in which a thread worked for a grid, as the grid is charged with it. Between two looks
 * that is the time that has passed, when the worker had its processor for nearly all of it; else
 * the time it had it: what a worker waits for the host's other work, for a collector, or for a lock
 * is not its grid's. Written by the worker; any thread may ask.
 */
final class WorkTime {
  /** The part of the time that a worker may be off its processor as if it were on it: 1/16. */
  private static final int OFF_SHIFT = 4;

  /** Shortest time between two looks at the processor time. */
  private static final long LEAST_STEP_NS = 500_000;

  /** Most that is believed to have been work since the last look, before the next one. */
  static final long MOST_UNSEEN_NS = 5_000_000;

  private final LongSupplier clock;
  private final LongSupplier processor;
  private long processorNs;
  private volatile long doneNs;
  private volatile long lookedNs;
  private volatile boolean working;

  /**
   * @param clock GPU time
   * @param processor processor time of the thread that asks
   */
  WorkTime(LongSupplier clock, LongSupplier processor) {
    this.clock = clock;
    this.processor = processor;
  }

  /** The worker has got a thread. */
  void begin() {
    processorNs = processor.getAsLong();
    lookedNs = clock.getAsLong();
    working = true;
  }

  /** The worker looks at the time, as often as it likes: processor time is dear. */
  void look() {
    long now = clock.getAsLong();
    if (now - lookedNs >= LEAST_STEP_NS) {
      step(now);
    }
  }

  private void step(long now) {
    long processorNow = processor.getAsLong();
    doneNs = doneNs + charged(now - lookedNs, processorNow - processorNs); // by the worker alone
    lookedNs = now;
    processorNs = processorNow;
  }

  /** The worker gives its thread away. */
  void end() {
    step(clock.getAsLong());
    working = false;
  }

  private static long charged(long passedNs, long onProcessorNs) {
    boolean stayed = passedNs - onProcessorNs <= passedNs >>> OFF_SHIFT;
    return stayed ? passedNs : Math.min(passedNs, onProcessorNs);
  }

  /** Time it has worked until now. */
  long workedNs(long nowNs) {
    long unseen = working ? nowNs - lookedNs : 0;
    return doneNs + Math.clamp(unseen, 0, MOST_UNSEEN_NS);
  }
}
