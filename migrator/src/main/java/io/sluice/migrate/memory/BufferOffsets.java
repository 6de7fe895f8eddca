package io.sluice.migrate.memory;

import io.sluice.channel.record.MemoryRecord;

/**
 * The offsets of buffers in the space by which pages are named on their way: where they are in the
 * aperture; without one, each behind those that were announced before, so that both sides know.
 */
final class BufferOffsets {
  private long next;

  /** The place of the buffer that is announced now. */
  long take(MemoryRecord record) {
    long place = record.apertureOffset().orElse(next);
    if (record.apertureOffset().isEmpty()) {
      next = Math.addExact(next, record.sizeBytes());
    }
    return place;
  }
}
