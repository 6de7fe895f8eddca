package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.pscnv.ExtExtent;
import io.sluice.abi.pscnv.ExtGemImport;
import io.sluice.abi.pscnv.ExtGemImportPages;
import io.sluice.abi.pscnv.ExtRegionAdd;
import io.sluice.abi.pscnv.ExtRegionDel;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.gpu.fifo.EndReason;
import io.sluice.gpu.mmu.ExtentBacking;
import io.sluice.gpu.mmu.GpuAddressSpace;
import io.sluice.gpu.mmu.MemoryRegion;
import io.sluice.gpu.mmu.RegionRange;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The extensions that make buffers of guest memory. */
final class RegionIoctls {
  private static final long PAGE_MASK = PscnvGem.SMALL_PAGE_BYTES - 1;

  private RegionIoctls() {}

  /**
   * REGION_ADD: the file is asked and mapped before the lock is taken, since it is somebody else's.
   * The range must lie in the file. That the file cannot become shorter is for the caller to see
   * to, who knows where the descriptor came from.
   */
  static IoctlHandler prepareAdd(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    int flags = ExtRegionAdd.FLAGS.bits(argument);
    if (flags == ExtRegionAdd.ADOPT_CONTROL || flags == ExtRegionAdd.ADOPT_VRAM) {
      return prepareAdopt(file, call, flags == ExtRegionAdd.ADOPT_VRAM);
    }
    long offset = ExtRegionAdd.OFFSET.get(argument);
    long size = ExtRegionAdd.SIZE_FIELD.get(argument);
    boolean valid =
        (flags & ~ExtRegionAdd.WRITABLE) == 0
            && offset >= 0
            && size > 0
            && ((offset | size) & PAGE_MASK) == 0;
    if (!valid) {
      throw call.refuse(Errno.EINVAL, "offset=" + offset + ", size=" + size);
    }
    Kernel kernel = file.card().kernel();
    Fd borrowed = borrowed(call);
    long fileBytes = kernel.fstat(borrowed).sizeBytes();
    if (size > fileBytes || offset > fileBytes - size) {
      throw call.refuse(Errno.EINVAL, "beyond the end of the file, fileBytes=" + fileBytes);
    }
    boolean writable = flags == ExtRegionAdd.WRITABLE;
    int protection = Kernel.PROT_READ | (writable ? Kernel.PROT_WRITE : 0);
    Mapping mapping = kernel.mmap(borrowed, offset, size, protection);
    call.ifRefused(mapping::close);
    return (_, _) -> add(file, call, mapping, writable);
  }

  private static Fd borrowed(IoctlCall call) {
    int number = ExtRegionAdd.FD.get(call.argument());
    if (number < 0) {
      throw call.refuse(Errno.EBADF, "fd=" + number);
    }
    return new Fd(number, _ -> {});
  }

  private static void add(GpuFile file, IoctlCall call, Mapping mapping, boolean writable) {
    int id = file.regions.takeId();
    if (id == IdPool.NONE) {
      throw call.refuse(Errno.ENOMEM, "no region left, limit=" + ExtRegionAdd.MAX_REGION);
    }
    file.regions.add(new MemoryRegion(id, mapping.segment(), writable), mapping);
    ExtRegionAdd.REGION.setBits(call.argument(), id);
  }

  /** The whole file, of exactly the length of the one it takes the place of, and sealed like it. */
  private static IoctlHandler prepareAdopt(GpuFile file, IoctlCall call, boolean vram) {
    long size = ExtRegionAdd.SIZE_FIELD.get(call.argument());
    long wanted =
        vram
            ? file.card().config().vramBytes()
            : GpuFile.CONTROL_PAGES * GpuFile.CONTROL_PAGE_BYTES;
    Kernel kernel = file.card().kernel();
    Fd borrowed = borrowed(call);
    boolean sealed = (kernel.getSeals(borrowed) & Kernel.F_SEAL_SHRINK) != 0;
    if (size != wanted || kernel.fstat(borrowed).sizeBytes() != wanted || !sealed) {
      throw call.refuse(Errno.EINVAL, "not such a file, size=" + size + ", wanted=" + wanted);
    }
    SharedFile adopted = SharedFile.adopt(kernel, kernel.dup(borrowed), wanted);
    call.ifRefused(adopted::close);
    return (_, _) -> adopt(file, call, adopted, vram);
  }

  private static void adopt(GpuFile file, IoctlCall call, SharedFile adopted, boolean vram) {
    if (!file.isUntouched()) {
      throw call.refuse(Errno.EBUSY, "something was made already");
    }
    SharedFile former = vram ? file.adoptVram(adopted) : file.adoptControl(adopted);
    call.afterwards(former::close);
  }

  /**
   * REGION_DEL. Channels end with the region as info, and as address the lowest byte of it that
   * their address space has mapped. Each address space is asked once, and answers with one look.
   */
  static void delete(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    MemoryRegion region = region(file, call, ExtRegionDel.REGION.bits(argument), Errno.ENOENT);
    int ended = 0;
    for (ChannelEntry entry : file.channels.values()) {
      GpuAddressSpace space = entry.vspace().space;
      long offset = space.lowestOffsetIn(region);
      if (offset >= 0 && !entry.channel().isDead()) {
        entry.channel().end(EndReason.REVOKED.code(), region.id(), offset);
        call.afterwards(file.card().launcher().quiesce(space));
        ended++;
      }
    }
    Mapping mapping = file.regions.remove(region);
    file.vspaces.values().forEach(vspace -> vspace.space.forget(region));
    call.afterwards(mapping::close);
    ExtRegionDel.CHANNELS_ENDED.setBits(argument, ended);
  }

  static void importBuffer(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    int flags = ExtGemImport.FLAGS.bits(argument);
    long size = ExtGemImport.SIZE_FIELD.get(argument);
    boolean valid =
        (flags & ~PscnvGem.ALL) == 0
            && PscnvGem.isSystem(flags)
            && size > 0
            && size <= OpenLimits.MAX_IMPORT_BYTES
            && (size & PAGE_MASK) == 0;
    if (!valid) {
      throw call.refuse(Errno.EINVAL, "size=" + size + ", flags=" + flags);
    }
    if (size > OpenLimits.MAX_IMPORT_BYTES - file.importedBytes) {
      throw call.refuse(Errno.ENOMEM, "too much imported, limit=" + OpenLimits.MAX_IMPORT_BYTES);
    }
    int handle = MemoryIoctls.takeHandle(file, call);
    GemObject.ClientWords kind =
        new GemObject.ClientWords(flags, 0, ExtGemImport.COOKIE.bits(argument));
    GemObject object =
        new GemObject(kind, size, PscnvGem.SMALL_PAGE_BYTES, new ExtentBacking(size), null, 0);
    file.systemBytes += size;
    file.importedBytes += size;
    MemoryIoctls.publish(file, object, handle);
    ExtGemImport.HANDLE.setBits(argument, handle);
  }

  /** GEM_IMPORT_PAGES: all extents of a call, or none. */
  static void importPages(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    GemObject object = file.object(call, ExtGemImportPages.HANDLE.bits(argument), Errno.EBADF);
    if (!(object.backing() instanceof ExtentBacking backing)) {
      throw call.refuse(Errno.EINVAL, "not an imported buffer, handle=" + object.handle);
    }
    long count = ExtGemImportPages.COUNT.get(argument);
    if (count < 1 || count > InfoIoctls.MAX_EXTENTS) {
      throw call.refuse(Errno.EINVAL, "count=" + count);
    }
    if (count > OpenLimits.MAX_EXTENTS - file.extents) {
      throw call.refuse(Errno.ENOMEM, "too many extents, limit=" + OpenLimits.MAX_EXTENTS);
    }
    long start = ExtGemImportPages.OFFSET.get(argument);
    if (start < 0 || (start & PAGE_MASK) != 0) {
      throw call.refuse(Errno.EINVAL, "offset=" + start);
    }
    List<RegionRange> extents = extents(file, call, object.sizeBytes(), start, (int) count);
    long bytes = extents.stream().mapToLong(RegionRange::bytes).sum();
    if (backing.overlaps(start, bytes)) {
      throw call.refuse(Errno.EEXIST, "offset=" + start);
    }
    int before = backing.extents();
    backing.set(start, extents);
    file.extents += backing.extents() - before;
  }

  /** The extents of a call, each checked. */
  private static List<RegionRange> extents(
      GpuFile file, IoctlCall call, long bufferBytes, long start, int count) {
    MemorySegment argument = call.argument();
    List<RegionRange> extents = new ArrayList<>(count);
    long next = start;
    for (int i = 0; i < count; i++) {
      long at = ExtGemImportPages.EXTENTS.offsetOf(i);
      MemoryRegion region = region(file, call, ExtExtent.REGION.bits(argument, at), Errno.EINVAL);
      long offset = ExtExtent.OFFSET.get(argument, at);
      long bytes = ExtExtent.BYTES.get(argument, at);
      if (offset < 0 || bytes <= 0 || ((offset | bytes) & PAGE_MASK) != 0) {
        throw call.refuse(Errno.EINVAL, "extent=" + i + ", offset=" + offset);
      }
      boolean inRegion = bytes <= region.sizeBytes() && offset <= region.sizeBytes() - bytes;
      if (!inRegion || next > bufferBytes || bytes > bufferBytes - next) {
        throw call.refuse(Errno.ERANGE, "extent=" + i + ", bytes=" + bytes);
      }
      extents.add(new RegionRange(region, offset, bytes));
      next += bytes;
    }
    return extents;
  }

  private static MemoryRegion region(GpuFile file, IoctlCall call, int id, Errno missing) {
    MemoryRegion region = file.regions.get(id);
    if (region == null) {
      throw call.refuse(missing, "region=" + id);
    }
    return region;
  }
}
