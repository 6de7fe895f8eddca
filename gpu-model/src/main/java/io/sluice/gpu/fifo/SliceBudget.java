package io.sluice.gpu.fifo;

import io.sluice.gpu.mmu.GpuAddressSpace;
import java.util.function.LongSupplier;

/**
 * The budget of a channel's slice, in copied bytes: what it does is counted, and once in a while
 * the time is looked at, since some things take longer than they count. Guarded as the channel is.
 */
final class SliceBudget {
  /** What a pushbuffer word or a ring entry costs. */
  private static final long WORD_UNITS = 64;

  /**
   * What a page costs that has to be found: it may have to be made. As much for the fetch of words,
   * which is of a page at most, and for an interrupt, which may be a call of the operating system.
   */
  private static final long PAGE_UNITS = GpuAddressSpace.PAGE_BYTES;

  /** What is spent between two looks at the clock: less costs too many looks. */
  private static final long LOOK_UNITS = 256 << 10;

  private final LongSupplier clock;
  private long left;
  private long lookAt;
  private long endNs;
  private long pageRead;
  private long pageWritten;

  /**
   * @param clock GPU time
   */
  SliceBudget(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * A slice begins.
   *
   * @param units what it has
   * @param sliceEndNs GPU time after which it has nothing any more, at the next look at the clock
   */
  void begin(long units, long sliceEndNs) {
    left = units;
    lookAt = units - LOOK_UNITS;
    endNs = sliceEndNs;
  }

  /** What is left; may be below 0. */
  long left() {
    return left;
  }

  boolean isLeft() {
    return left > 0;
  }

  void spend(long units) {
    left -= units;
    if (left <= lookAt) {
      lookAtClock();
    }
  }

  void spendWord() {
    spend(WORD_UNITS);
  }

  void spendPage() {
    spend(PAGE_UNITS);
  }

  /** Spends a page unless the last touch of that kind was of the same one. */
  void spendFirstTouch(long address, boolean write) {
    long page = address & -PAGE_UNITS;
    if (page == (write ? pageWritten : pageRead)) {
      return;
    }
    spendPage();
    if (write) {
      pageWritten = page;
    } else {
      pageRead = page;
    }
  }

  private void lookAtClock() {
    lookAt = left - LOOK_UNITS;
    if (left > 0 && clock.getAsLong() - endNs >= 0) {
      left = 0;
    }
  }
}
