package io.sluice.channel.guest;

import io.sluice.abi.Errno;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.Refusal;
import io.sluice.channel.record.MemoryPagesRecord;
import io.sluice.channel.state.GuestLimits;
import io.sluice.channel.table.GuestRegion;
import io.sluice.channel.table.GuestRegions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** Pages of guest memory in registered buffers, and their number. Guarded by the guest's lock. */
final class RegisteredPages {
  private final GuestRegions regions;
  private final TableBytes heap;

  /**
   * Which buffers have pages of a region: of each that goes, no others are looked at. In sets that
   * become smaller with what is in them.
   */
  private final Map<GuestRegion, SortedSet<GuestBuffer>> users = new IdentityHashMap<>();

  private int parts;

  RegisteredPages(GuestRegions regions, TableBytes heap) {
    this.regions = regions;
    this.heap = heap;
  }

  /** Extents of all buffers together, after joining neighbours. */
  int parts() {
    return parts;
  }

  /** Fills a part of a buffer: all of the extents or, when one is refused, none. */
  void set(GuestBuffer memory, long offset, List<RegionExtent> extents) {
    if (!memory.registered || extents.isEmpty() || extents.size() > GuestLimits.MAX_EXTENTS) {
      throw Refusal.invalid(
          "no pages for this buffer, registered=" + memory.registered + " n=" + extents.size());
    }
    if (extents.size() > GuestLimits.MAX_TOTAL_EXTENTS - parts) {
      throw Refusal.full("extents", GuestLimits.MAX_TOTAL_EXTENTS);
    }
    List<GuestBuffer.BackedPart> wanted = new ArrayList<>(extents.size());
    List<RegionExtent> forBackend = new ArrayList<>(extents.size());
    long at = offset;
    for (RegionExtent extent : extents) {
      GuestBuffer.BackedPart part = check(memory, at, extent);
      wanted.add(part);
      forBackend.add(new RegionExtent(part.region().backend, part.regionOffset(), part.bytes()));
      at += part.bytes();
    }
    long bytes = extents.size() * TableBytes.EXTENT;
    heap.use(bytes);
    boolean complete = false;
    try {
      memory.backend.setPages(offset, forBackend);
      complete = true;
    } finally {
      if (!complete) {
        heap.free(bytes);
      }
    }
    int kept = 0;
    for (GuestBuffer.BackedPart part : wanted) {
      kept += memory.continuesPart(part) ? 0 : 1;
      parts += memory.addPart(part);
      users.computeIfAbsent(part.region(), _ -> newSet()).add(memory);
    }
    // The GPU joins an extent to the one before it, and to no other.
    memory.heapBytes += kept * TableBytes.EXTENT;
    heap.free(bytes - kept * TableBytes.EXTENT);
  }

  private static SortedSet<GuestBuffer> newSet() {
    return new TreeSet<>(Comparator.comparingLong((GuestBuffer memory) -> memory.serial));
  }

  private GuestBuffer.BackedPart check(GuestBuffer memory, long at, RegionExtent extent) {
    long bytes = extent.bytes();
    if (bytes <= 0 || ((at | bytes | extent.offset()) & (GuestLimits.PAGE_BYTES - 1)) != 0) {
      throw Refusal.invalid(
          "not whole pages, offset=" + at + " from=" + extent.offset() + " bytes=" + bytes);
    }
    GuestRegion region = regions.containing(extent);
    if (at < 0 || bytes > memory.sizeBytes() - at) {
      throw Refusal.with(
          Errno.ERANGE,
          "outside the buffer, offset=" + at + " bytes=" + bytes + " size=" + memory.sizeBytes());
    }
    if (memory.hasPagesIn(at, bytes)) {
      throw Refusal.with(Errno.EEXIST, "filled already, offset=" + at + " bytes=" + bytes);
    }
    return new GuestBuffer.BackedPart(at, region, extent.offset(), bytes);
  }

  void restore(GuestBuffer memory, List<MemoryPagesRecord.PageRun> pages) {
    List<RegionExtent> extents = new ArrayList<>();
    long at = 0; // of the first of them
    long next = 0; // behind the last
    for (MemoryPagesRecord.PageRun some : pages) {
      long done = 0;
      while (done < some.bytes()) {
        RegionExtent extent = regions.extentAt(some.iova().value() + done, some.bytes() - done);
        if (!extents.isEmpty()
            && (extents.size() == GuestLimits.MAX_EXTENTS || next != some.offset() + done)) {
          set(memory, at, extents);
          extents.clear();
        }
        if (extents.isEmpty()) {
          at = some.offset() + done;
          next = at;
        }
        extents.add(extent);
        next += extent.bytes();
        done += extent.bytes();
      }
    }
    if (!extents.isEmpty()) {
      set(memory, at, extents);
    }
  }

  /** A region is gone: no buffer has pages of it. */
  void drop(GuestRegion region) {
    SortedSet<GuestBuffer> all = users.remove(region);
    if (all != null) {
      for (GuestBuffer memory : all) {
        parts -= memory.dropParts(region);
      }
    }
  }

  /** A buffer is gone. */
  void forget(GuestBuffer memory) {
    parts -= memory.parts.size();
    GuestRegion latest = null;
    for (GuestBuffer.BackedPart part : memory.parts) {
      if (part.region() != latest) {
        latest = part.region();
        SortedSet<GuestBuffer> all = users.get(latest);
        if (all != null && all.remove(memory) && all.isEmpty()) {
          users.remove(latest);
        }
      }
    }
  }
}
