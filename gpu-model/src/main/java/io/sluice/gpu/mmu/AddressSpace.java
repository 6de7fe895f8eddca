package io.sluice.gpu.mmu;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A 40-bit GPU address space.
 *
 * <p>The hardware walks a page directory of 128 MiB entries and tables of 4 KiB or 128 KiB pages.
 * pscnv only ever maps whole buffers, so the model keeps the mappings as a sorted table and lets
 * the buffer find its page: the same answers, at the cost of a binary search that a cached last hit
 * mostly saves. Page tables are never freed before the address space, which is why an address once
 * mapped faults differently from one that never was. Guarded by the GPU's lock.
 */
public final class AddressSpace {
  /** First address outside. */
  public static final long LIMIT = 1L << 40;

  /** Smallest page. */
  public static final long PAGE_BYTES = 4096;

  /** Most mappings an address space holds. */
  public static final int MAX_MAPPINGS = 1 << 16;

  /** What {@link #map} answers when there is no room. */
  public static final long NO_ROOM = -1;

  private static final int TABLE_SHIFT = 27;

  private final BitSet tables = new BitSet(1 << 13);
  private int count;
  private int last;
  private long[] starts = new long[16];
  private long[] ends = new long[16];
  private @Nullable GpuBuffer[] buffers = new GpuBuffer[16];

  /**
   * Maps a whole buffer at the first free range.
   *
   * @param start lowest address allowed
   * @param end first address not allowed; cut to {@link #LIMIT}
   * @param highestFirst search from the top
   * @return the address, or {@link #NO_ROOM}
   */
  public long map(GpuBuffer buffer, long start, long end, boolean highestFirst) {
    long top = end < 0 || end > LIMIT ? LIMIT : end;
    if (count == MAX_MAPPINGS || start < 0 || start >= top || buffer.sizeBytes() > top - start) {
      return NO_ROOM;
    }
    long address = highestFirst ? findHighest(buffer, start, top) : findLowest(buffer, start, top);
    if (address != NO_ROOM) {
      insert(address, buffer);
    }
    return address;
  }

  /**
   * Unmaps what contains an address.
   *
   * @return the buffer that was mapped there, or null when nothing was
   */
  public @Nullable GpuBuffer unmap(long address) {
    int index = find(address);
    return index < 0 ? null : remove(index);
  }

  /** Unmaps everything, telling each buffer. */
  public void unmapAll(Consumer<GpuBuffer> unmapped) {
    while (count > 0) {
      unmapped.accept(remove(count - 1));
    }
  }

  /** Whether a page of a region is mapped; its offset in the region, or -1. */
  public long firstOffsetIn(MemoryRegion region) {
    for (int i = 0; i < count; i++) {
      if (buffer(i).backing() instanceof ExtentBacking extents) {
        long offset = extents.firstOffsetIn(region);
        if (offset >= 0) {
          return offset;
        }
      }
    }
    return -1;
  }

  /**
   * Translates an address for an access.
   *
   * @param address first byte; a value outside 40 bits is a fault
   * @param wanted bytes the access is about to touch at most, at least 1
   * @param write whether it writes; the pages are then marked as written
   * @param run receives where the bytes are; its length is at most {@code wanted}
   */
  public FaultReason translate(long address, long wanted, boolean write, Run run) {
    int index = last;
    if (index >= count || address < starts[index] || address >= ends[index]) {
      index = find(address);
      if (index < 0) {
        return missing(address);
      }
      last = index;
    }
    return access(index, address, wanted, write, run);
  }

  /**
   * As {@link #translate}, for a worker of a grid: without the GPU's lock, but never while the
   * table changes.
   */
  public FaultReason translateUnlocked(long address, long wanted, boolean write, Run run) {
    int index = find(address);
    return index < 0 ? missing(address) : access(index, address, wanted, write, run);
  }

  private FaultReason access(int index, long address, long wanted, boolean write, Run run) {
    GpuBuffer buffer = buffer(index);
    long inside = address - starts[index];
    if (!buffer.backing().locate(inside, run)) {
      return FaultReason.PAGE_NOT_PRESENT;
    }
    run.length = Math.min(run.length, wanted);
    run.evicted = buffer.isEvicted();
    if (write) {
      if (!run.writable) {
        return FaultReason.READ_ONLY;
      }
      buffer.written(inside, run.length);
    }
    return FaultReason.NONE;
  }

  private FaultReason missing(long address) {
    if (address < 0 || address >= LIMIT) {
      return FaultReason.VM_LIMIT_EXCEEDED;
    }
    return tables.get((int) (address >>> TABLE_SHIFT))
        ? FaultReason.PAGE_NOT_PRESENT
        : FaultReason.PT_NOT_PRESENT;
  }

  private long findLowest(GpuBuffer buffer, long start, long top) {
    long size = buffer.sizeBytes();
    long candidate = alignUp(start, buffer.alignment());
    for (int i = firstEndingAfter(candidate); i < count; i++) {
      if (starts[i] - candidate >= size) {
        break;
      }
      candidate = alignUp(ends[i], buffer.alignment());
    }
    return candidate <= top - size ? candidate : NO_ROOM;
  }

  private long findHighest(GpuBuffer buffer, long start, long top) {
    long size = buffer.sizeBytes();
    long candidate = alignDown(top - size, buffer.alignment());
    for (int i = count - 1; i >= 0 && candidate >= start; i--) {
      if (ends[i] <= candidate) {
        break;
      }
      if (starts[i] < candidate + size) {
        candidate = alignDown(starts[i] - size, buffer.alignment());
      }
    }
    return candidate >= start ? candidate : NO_ROOM;
  }

  private void insert(long address, GpuBuffer buffer) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      ends = Arrays.copyOf(ends, count * 2);
      buffers = Arrays.copyOf(buffers, count * 2);
    }
    int index = firstEndingAfter(address);
    System.arraycopy(starts, index, starts, index + 1, count - index);
    System.arraycopy(ends, index, ends, index + 1, count - index);
    System.arraycopy(buffers, index, buffers, index + 1, count - index);
    starts[index] = address;
    ends[index] = address + buffer.sizeBytes();
    buffers[index] = buffer;
    count++;
    buffer.mapped();
    tables.set((int) (address >>> TABLE_SHIFT), (int) ((ends[index] - 1) >>> TABLE_SHIFT) + 1);
  }

  private GpuBuffer remove(int index) {
    GpuBuffer buffer = buffer(index);
    int tail = count - index - 1;
    System.arraycopy(starts, index + 1, starts, index, tail);
    System.arraycopy(ends, index + 1, ends, index, tail);
    System.arraycopy(buffers, index + 1, buffers, index, tail);
    count--;
    buffers[count] = null;
    buffer.unmapped();
    return buffer;
  }

  private GpuBuffer buffer(int index) {
    GpuBuffer buffer = buffers[index];
    if (buffer == null) {
      throw new AssertionError("a mapping has a buffer, index=" + index);
    }
    return buffer;
  }

  /** Index of the mapping that contains an address, or -1. */
  private int find(long address) {
    int index = firstEndingAfter(address);
    return index < count && starts[index] <= address ? index : -1;
  }

  private int firstEndingAfter(long address) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ends[middle] > address) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private static long alignUp(long value, long alignment) {
    return (value + alignment - 1) & -alignment;
  }

  private static long alignDown(long value, long alignment) {
    return value & -alignment;
  }
}
