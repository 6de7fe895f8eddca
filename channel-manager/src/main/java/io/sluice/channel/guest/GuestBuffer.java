package io.sluice.channel.guest;

import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.table.GemFlags;
import io.sluice.channel.table.GuestRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A buffer of a guest. It lives as long as its handle or a mapping does, as pscnv's buffers do.
 * Guarded by the guest's lock.
 */
final class GuestBuffer {
  /**
   * Part of a registered buffer that has its pages. Neighbours that continue each other are one.
   */
  record BackedPart(long offset, GuestRegion region, long regionOffset, long bytes) {}

  /** Names the buffer in state records for as long as it lives, its handle's end included. */
  final long serial;

  final GpuMemory backend;
  final int flags;
  final int tileFlags;
  final int cookie;
  final boolean registered;

  /** The guest's handle; 0 once it was given back. */
  int handle;

  int mappings;

  /** Allocated in video memory, in system memory now. */
  boolean evicted;

  // Of a registered buffer: ascending by offset, never overlapping.
  final List<BackedPart> parts = new ArrayList<>(1);
  long partBytes;

  /** What it counts of the heap, with all extents that it ever had. */
  long heapBytes;

  GuestBuffer(
      long serial,
      GpuMemory backend,
      GuestGpu.MemoryRequest request,
      boolean registered,
      int handle) {
    this.serial = serial;
    this.backend = backend;
    this.flags = request.flags();
    this.tileFlags = request.tileFlags();
    this.cookie = request.cookie();
    this.registered = registered;
    this.handle = handle;
  }

  long sizeBytes() {
    return backend.sizeBytes();
  }

  OptionalLong apertureOffset() {
    return backend.apertureOffset();
  }

  boolean isSystem() {
    return registered || GemFlags.isSystem(flags);
  }

  /** Whether it counts as system memory now. */
  boolean isInSystem() {
    return evicted || isSystem();
  }

  /** Whether an address space may map it. */
  boolean isComplete() {
    return !registered || partBytes == sizeBytes();
  }

  boolean isUnused() {
    return handle == 0 && mappings == 0;
  }

  /** Those that have a page of the range. */
  List<BackedPart> partsIn(long offset, long bytes) {
    int first = firstPartEndingAfter(offset);
    int last = first;
    while (last < parts.size() && parts.get(last).offset() < offset + bytes) {
      last++;
    }
    return parts.subList(first, last);
  }

  /** Whether the range has a page already. */
  boolean hasPagesIn(long offset, long bytes) {
    int index = firstPartEndingAfter(offset);
    return index < parts.size() && parts.get(index).offset() < offset + bytes;
  }

  /** Whether a part goes on where the one before it ends. */
  boolean continuesPart(BackedPart part) {
    int index = firstPartEndingAfter(part.offset());
    return index > 0 && continues(parts.get(index - 1), part);
  }

  /**
   * Notes pages that the backend has taken; they overlap no other.
   *
   * @return how many list entries this added: 1, 0 or -1
   */
  int addPart(BackedPart part) {
    int before = parts.size();
    int index = firstPartEndingAfter(part.offset());
    BackedPart merged = part;
    if (index > 0 && continues(parts.get(index - 1), merged)) {
      merged = join(parts.get(index - 1), merged);
      parts.remove(--index);
    }
    if (index < parts.size() && continues(merged, parts.get(index))) {
      merged = join(merged, parts.get(index));
      parts.remove(index);
    }
    parts.add(index, merged);
    partBytes += part.bytes();
    return parts.size() - before;
  }

  /**
   * Forgets the pages of a region that is gone: the buffer cannot be mapped again.
   *
   * @return how many list entries this removed
   */
  int dropParts(GuestRegion region) {
    int before = parts.size();
    parts.removeIf(part -> part.region() == region);
    partBytes = parts.stream().mapToLong(BackedPart::bytes).sum();
    return before - parts.size();
  }

  private int firstPartEndingAfter(long offset) {
    int low = 0;
    int high = parts.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      BackedPart part = parts.get(middle);
      if (part.offset() + part.bytes() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private static boolean continues(BackedPart first, BackedPart second) {
    return first.region() == second.region()
        && first.offset() + first.bytes() == second.offset()
        && first.regionOffset() + first.bytes() == second.regionOffset();
  }

  private static BackedPart join(BackedPart first, BackedPart second) {
    return new BackedPart(
        first.offset(), first.region(), first.regionOffset(), first.bytes() + second.bytes());
  }
}
