package io.sluice.gpu.fifo;

import io.sluice.abi.sys.ThreadUse;
import io.sluice.gpu.engine.PageWaits;
import io.sluice.gpu.engine.ThreadMeter;
import org.jspecify.annotations.Nullable;

/**
 * The time that a slice is charged with. A slice that took no longer than it should had a processor
 * nearly all the time, and is charged with what has passed. For a longer one the processor time of
 * the engine's thread is asked: what it grew by since it was last asked, less all that has passed
 * from then to the slice's beginning, is surely the slice's own. Of the rest, which may have been
 * others' or no work at all, little is believed. Of slow slices one after the other nothing is in
 * doubt. Of one thread that runs the engine, and asked by that alone.
 *
 * <p>Of a slice that is watched it is known whether the thread slept for a page.
 */
final class SliceTime {
  /**
   * A slice that took no longer is believed. Asking for the processor's time costs a system call,
   * whose code and data are not in the caches after a copy: some per cent of such a slice.
   */
  private static final long SURE_NS = 500_000;

  /** Most that an open's account is charged with in doubt: nearly all slices are shorter. */
  private static final long MOST_IN_DOUBT_NS = 4_000_000;

  private final ThreadMeter meter;
  private @Nullable ThreadUse before;
  private boolean tookLong;
  private boolean slept;
  private boolean asked;
  private long askedNs;
  private long processorNs;
  private long chargedNs;
  private long commandNs;

  /**
   * @param meter of the engine's thread
   */
  SliceTime(ThreadMeter meter) {
    this.meter = meter;
  }

  /**
   * A slice begins.
   *
   * @param watched whether its sleeps are to be known
   */
  void begins(boolean watched) {
    before = watched ? meter.use().get() : null;
  }

  /**
   * A slice has ended.
   *
   * @param beganNs GPU time when it began
   * @param endedNs GPU time now
   */
  void ended(long beganNs, long endedNs) {
    long tookNs = Math.max(0, endedNs - beganNs);
    tookLong = tookNs > PageWaits.LONG_NS;
    slept = tookLong && before != null && meter.use().get().sleptForAPageSince(before);
    if (tookNs <= SURE_NS) {
      chargedNs = tookNs;
      commandNs = tookNs;
      return;
    }
    long now = meter.processor().getAsLong();
    long mostNs = asked ? Math.clamp(now - processorNs, 0, tookNs) : tookNs;
    long surelyNs = asked ? now - processorNs - (beganNs - askedNs) : 0;
    chargedNs = Math.clamp(surelyNs, Math.min(mostNs, MOST_IN_DOUBT_NS), mostNs);
    commandNs = Math.clamp(surelyNs, Math.min(mostNs, SURE_NS), mostNs);
    asked = true;
    askedNs = endedNs;
    processorNs = now;
  }

  /** Tells an open what is known of its memory by it. */
  void tell(PageWaits waits, long endedNs) {
    if (tookLong) {
      waits.tookLong(endedNs);
    }
    if (slept) {
      waits.slept(endedNs);
    }
  }

  /** What the account of its open is charged with. */
  long chargedNs() {
    return chargedNs;
  }

  /** What a command that it went on with is charged with: in doubt too little. */
  long commandNs() {
    return commandNs;
  }
}
