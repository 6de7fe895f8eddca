package io.sluice.gpu.mmu;

import io.sluice.abi.pscnv.PscnvGem;
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
 * mapped faults differently from one that never was.
 *
 * <p>Guarded by the GPU's lock and the open's gate, but for the workers of grids: they read the
 * table that stands when they look, and keep what they found until the launcher has them forget it.
 * Memory that was unmapped is given away only after that.
 */
public final class GpuAddressSpace {
  /** First address outside. */
  public static final long LIMIT = 1L << 40;

  /** Smallest page. */
  public static final long PAGE_BYTES = PscnvGem.SMALL_PAGE_BYTES;

  /** Most mappings an address space holds. */
  public static final int MAX_MAPPINGS = 1 << 16;

  /** What {@link #map} answers when there is no room. */
  public static final long NO_ROOM = -1;

  private static final int TABLE_SHIFT = 27;

  private final BitSet tables = new BitSet(1 << 13);
  private volatile MappingTable mappings = MappingTable.EMPTY;
  private @Nullable RegionUse regions = new RegionUse();

  // The last hit of translate, of the engine, or of whoever holds the GPU's lock while it is
  // outside.
  private long lastStart;
  private long lastEnd;
  private @Nullable GpuBuffer lastBuffer;

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
    MappingTable now = mappings;
    long size = buffer.sizeBytes();
    if (now.count() == MAX_MAPPINGS || start < 0 || start >= top || size > top - start) {
      return NO_ROOM;
    }
    long address =
        highestFirst
            ? now.highestFree(start, top, size, buffer.alignment())
            : now.lowestFree(start, size, buffer.alignment());
    if (address < start || address > top - size) {
      return NO_ROOM;
    }
    buffer.mapped();
    RegionUse used = regions;
    if (used != null && buffer.backing() instanceof ExtentBacking extents) {
      used.add(extents.regions());
    }
    tables.set((int) (address >>> TABLE_SHIFT), (int) ((address + size - 1) >>> TABLE_SHIFT) + 1);
    mappings = now.with(address, buffer);
    return address;
  }

  /** Mappings there are. */
  public int count() {
    return mappings.count();
  }

  /**
   * Unmaps what contains an address.
   *
   * @return the buffer that was mapped there, or null when nothing was
   */
  public @Nullable GpuBuffer unmap(long address) {
    MappingTable now = mappings;
    long place = now.seek(address);
    if (place < 0) {
      return null;
    }
    GpuBuffer buffer = now.buffer(place);
    forgetLast();
    mappings = now.without(place);
    RegionUse used = regions;
    if (used != null && buffer.backing() instanceof ExtentBacking extents) {
      used.remove(extents.regions());
    }
    buffer.unmapped();
    return buffer;
  }

  /**
   * Unmaps some of what an address space has that no channel uses and nobody can name any more, a
   * few hundred mappings at most.
   *
   * @param unmapped told of each buffer
   * @return whether there is more
   */
  public boolean unmapSome(Consumer<GpuBuffer> unmapped) {
    regions = null;
    forgetLast();
    MappingTable now = mappings;
    if (now.count() == 0) {
      return false;
    }
    mappings = now.withoutLast();
    for (GpuBuffer buffer : now.lastBuffers()) {
      buffer.unmapped();
      unmapped.accept(buffer);
    }
    return mappings.count() > 0;
  }

  private void forgetLast() {
    lastStart = 0;
    lastEnd = 0;
    lastBuffer = null;
  }

  /**
   * Whether a region is mapped: its lowest offset that was, since none of it was, or -1. One look,
   * whatever is mapped.
   */
  public long lowestOffsetIn(MemoryRegion region) {
    RegionUse used = regions;
    return used == null ? -1 : used.lowestOffset(region);
  }

  /** A region was revoked, and its number may go to another one. */
  public void forget(MemoryRegion region) {
    RegionUse used = regions;
    if (used != null) {
      used.forget(region.id());
    }
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
    GpuBuffer buffer = lastBuffer;
    if (buffer == null || address < lastStart || address >= lastEnd) {
      MappingTable now = mappings;
      long place = now.seek(address);
      if (place < 0) {
        return missing(address);
      }
      buffer = now.buffer(place);
      lastStart = now.start(place);
      lastEnd = lastStart + buffer.sizeBytes();
      lastBuffer = buffer;
    }
    return access(buffer, address - lastStart, wanted, write, run);
  }

  /** As {@link #translate}, for a worker of a grid: without the GPU's lock. */
  public FaultReason translateUnlocked(long address, long wanted, boolean write, Run run) {
    MappingTable now = mappings;
    long place = now.seek(address);
    return place < 0
        ? missing(address)
        : access(now.buffer(place), address - now.start(place), wanted, write, run);
  }

  private static FaultReason access(
      GpuBuffer buffer, long inside, long wanted, boolean write, Run run) {
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
}
