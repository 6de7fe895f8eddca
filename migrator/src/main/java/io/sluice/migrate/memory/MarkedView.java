package io.sluice.migrate.memory;

import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.guest.GuestMove;
import io.sluice.channel.record.MemoryRecord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Video memory that is mapped as a whole, of which the GPU says what it wrote: that counts as
 * changed, uncompared.
 *
 * <p>The GPU's marks are cleared before the pages are read: what it writes after is marked again.
 */
final class MarkedView implements PageView {
  private final GuestMove move;
  private final ApertureView all;
  private final MemorySegment bitmap =
      MemorySegment.ofArray(new byte[GpuMemory.MAX_DIRTY_PAGES / Byte.SIZE]);
  private long serial = -1;
  private long first; // page the bitmap tells of

  MarkedView(GuestMove move, ApertureView all) {
    this.move = move;
    this.all = all;
  }

  @Override
  public boolean show(MemoryRecord record, long page, int base) {
    boolean _ = all.show(record, page, base);
    if (page > 0 && record.serial() == serial && page < first + GpuMemory.MAX_DIRTY_PAGES) {
      return true;
    }
    long count = record.sizeBytes() / Fingerprint.PAGE_BYTES;
    int wanted = (int) Math.min(GpuMemory.MAX_DIRTY_PAGES, count - page);
    serial = record.serial();
    first = page;
    return move.readDirty(serial, page, wanted, true, bitmap.asSlice(0, (wanted + 7L) / 8));
  }

  @Override
  public boolean hasChanged(long page) {
    return isSet(bitmap, page - first) || all.hasChanged(page);
  }

  static boolean isSet(MemorySegment bits, long index) {
    byte eight = bits.get(ValueLayout.JAVA_BYTE, index >>> 3);
    return (eight & 1 << (index & 7)) != 0;
  }

  @Override
  public MemorySegment bytes() {
    return all.bytes();
  }

  @Override
  public long at(long page) {
    return all.at(page);
  }

  @Override
  public boolean isWhole() {
    return true;
  }
}
