package io.sluice.channel.pscnv;

import io.sluice.abi.drm.DrmDevice.DrmMapping;
import io.sluice.abi.pscnv.ExtDirtyRead;
import io.sluice.abi.pscnv.ExtExtent;
import io.sluice.abi.pscnv.ExtGemImportPages;
import io.sluice.abi.pscnv.ExtGemPool;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvMapHandle;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.SharedArea;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalLong;

/**
 * A buffer of a pscnv device. Its map handle is computed, not asked: GEM_INFO of some pscnv gives a
 * wrong one.
 */
final class PscnvMemory implements GpuMemory {
  private final PscnvOpen open;
  private final int handle;
  private boolean system;
  private final long sizeBytes;
  private final OptionalLong apertureOffset;

  private PscnvMemory(
      PscnvOpen open, int handle, boolean system, long sizeBytes, OptionalLong apertureOffset) {
    this.open = open;
    this.handle = handle;
    this.system = system;
    this.sizeBytes = sizeBytes;
    this.apertureOffset = apertureOffset;
    open.account(system, sizeBytes);
  }

  /**
   * @param system whether it counts as system memory
   * @param hasPlace whether it has a place in the aperture, where there is one
   */
  static PscnvMemory allocated(
      PscnvOpen open, int handle, boolean system, long sizeBytes, boolean hasPlace) {
    OptionalLong at = OptionalLong.empty();
    if (hasPlace && open.vramAperture().isPresent()) {
      long start = open.vramAperture().get().offset();
      DrmMapping mapping = open.calls().map(PscnvMapHandle.ofBuffer(handle), sizeBytes);
      mapping.fd().close();
      at = OptionalLong.of(mapping.offset() - start);
    }
    return new PscnvMemory(open, handle, system, sizeBytes, at);
  }

  static PscnvMemory registered(PscnvOpen open, int handle, int flags, long sizeBytes) {
    return new PscnvMemory(open, handle, true, sizeBytes, OptionalLong.empty());
  }

  int handle() {
    return handle;
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public OptionalLong apertureOffset() {
    return apertureOffset;
  }

  @Override
  public SharedArea share() {
    DrmMapping mapping = open.calls().map(PscnvMapHandle.ofBuffer(handle), sizeBytes);
    return new SharedArea(mapping.fd(), mapping.offset(), sizeBytes);
  }

  @Override
  public void setPages(long offset, List<RegionExtent> extents) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(ExtGemImportPages.LAYOUT);
      ExtGemImportPages.HANDLE.setBits(argument, handle);
      ExtGemImportPages.COUNT.set(argument, extents.size());
      ExtGemImportPages.OFFSET.set(argument, offset);
      int index = 0;
      for (RegionExtent extent : extents) {
        if (!(extent.region() instanceof PscnvRegion region)) {
          throw new IllegalArgumentException("a region of another GPU, extent=" + extent);
        }
        long at = ExtGemImportPages.EXTENTS.offsetOf(index++);
        ExtExtent.REGION.set(argument, at, region.number());
        ExtExtent.OFFSET.set(argument, at, extent.offset());
        ExtExtent.BYTES.set(argument, at, extent.bytes());
      }
      open.calls().issue(PscnvIoctl.GEM_IMPORT_PAGES, argument);
    }
  }

  @Override
  public void readDirty(long firstPage, int pages, boolean clear, MemorySegment bitmap) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(ExtDirtyRead.LAYOUT);
      ExtDirtyRead.HANDLE.setBits(argument, handle);
      ExtDirtyRead.FLAGS.setBits(argument, clear ? ExtDirtyRead.CLEAR : 0);
      ExtDirtyRead.FIRST_PAGE.set(argument, firstPage);
      ExtDirtyRead.PAGES.set(argument, pages);
      open.calls().issue(PscnvIoctl.DIRTY_READ, argument);
      bitmap.copyFrom(ExtDirtyRead.BITMAP.slice(argument).asSlice(0, (pages + 7L) / 8));
    }
  }

  /** Called under the guest's lock, of a buffer that is not being closed. */
  @Override
  public void setPool(boolean toSystem) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(ExtGemPool.LAYOUT);
      ExtGemPool.HANDLE.setBits(argument, handle);
      ExtGemPool.POOL.setBits(argument, toSystem ? ExtGemPool.SYSTEM : ExtGemPool.VIDEO);
      open.calls().issue(PscnvIoctl.GEM_POOL, argument);
    }
    open.account(system, -sizeBytes);
    system = toSystem;
    open.account(system, sizeBytes);
  }

  @Override
  public void close() {
    open.calls().closeBuffer(handle);
    open.account(system, -sizeBytes);
  }
}
