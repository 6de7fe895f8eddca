package io.sluice.migrate.memory;

import io.sluice.channel.record.MemoryRecord;
import java.lang.foreign.MemorySegment;

/** The view of a lane on the pages of buffers, one after the other. One thread uses it. */
interface PageView {
  /**
   * Shows a page, and those behind it for a while.
   *
   * @param page in the buffer
   * @param base number of the buffer's first page in the map
   * @return false when the buffer is gone meanwhile
   */
  boolean show(MemoryRecord record, long page, int base);

  /** Whether a page of the buffer that is shown is not as it was sent. */
  boolean hasChanged(long page);

  /**
   * Compares a page that has just been sent, for practice: the code that compares runs for the
   * first times then, and not when the GPU has nothing to do or the guest stands still.
   */
  default void warmUp(long page) {}

  /** The bytes of what is shown. */
  MemorySegment bytes();

  /** Where in {@link #bytes} a page of the buffer stands. */
  long at(long page);

  /** Whether pages can be had without being shown again, by their number in the map. */
  boolean isWhole();
}
