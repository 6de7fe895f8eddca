package io.sluice.channel;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Errno;
import io.sluice.channel.GuestGpu.Extent;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.record.MemoryPagesRecord;
import io.sluice.quota.Buffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A guest's buffers, address spaces and mappings, with their accounting. Guarded by the guest's
 * lock.
 */
final class GuestTables {
  private final GpuInfo info;
  private final GuestGpu backend;
  private final IdTable<GuestMemory> handles = new IdTable<>("memory handles", Limits.MAX_MEMORY);
  private final IdTable<GuestSpace> vids;

  // Everything that lives, in the order of its making, those included that have lost their id.
  private final Map<Long, GuestMemory> buffers = new LinkedHashMap<>();
  private final Map<Long, GuestSpace> spaces = new LinkedHashMap<>();
  private final Set<GuestRegion> regions = new LinkedHashSet<>();
  private long lastSerial;
  private int mappings;
  private int parts;
  private long vramBytes;
  private long systemBytes;

  GuestTables(GpuInfo info, GuestGpu backend) {
    this.info = info;
    this.backend = backend;
    vids = new IdTable<>("address spaces", info.maxAddressSpaces());
  }

  long vramBytes() {
    return vramBytes;
  }

  long systemBytes() {
    return systemBytes;
  }

  int regionCount() {
    return regions.size();
  }

  GuestMemory memory(int handle) {
    GuestMemory memory = handles.get(handle);
    if (memory == null) {
      throw Refusal.noMemory(handle);
    }
    return memory;
  }

  GuestSpace space(int vid) {
    GuestSpace space = vids.get(vid);
    if (space == null) {
      throw Refusal.noAddressSpace(vid);
    }
    return space;
  }

  /**
   * @param overflow whether a buffer beyond the limit goes to system memory rather than be refused
   */
  GuestMemory allocate(MemoryRequest request, long vramLimitBytes, boolean overflow) {
    long size = request.sizeBytes();
    if (!GemFlags.areKnown(request.flags())
        || !GemFlags.allowsTileFlags(request.flags(), request.tileFlags())
        || size <= 0
        || size >= GemFlags.MAX_BYTES) {
      throw Refusal.outOfMemory("no such buffer can be had, " + request, "");
    }
    long rounded = GemFlags.roundUp(request.flags(), size);
    boolean over = !GemFlags.isSystem(request.flags()) && rounded > vramLimitBytes - vramBytes;
    if (over && !overflow) {
      throw Refusal.outOfMemory(
          "over the guest's share of video memory, bytes="
              + rounded
              + " used="
              + vramBytes
              + " limit="
              + vramLimitBytes,
          "Free some, or raise the guest's share.");
    }
    int handle = handleForNewBuffer();
    GuestMemory memory = addBuffer(backend.allocate(request), request, false, handle);
    if (over) {
      evictNew(memory);
    }
    return memory;
  }

  private void evictNew(GuestMemory memory) {
    boolean complete = false;
    try {
      move(memory, true);
      complete = true;
    } finally {
      if (!complete) {
        free(memory.handle);
      }
    }
  }

  /** Every buffer that was allocated in video memory, for plans of who moves. */
  List<Buffer> videoBuffers(String guest) {
    List<Buffer> found = new ArrayList<>();
    for (GuestMemory memory : buffers.values()) {
      if (!memory.isSystem()) {
        found.add(
            new Buffer(
                guest, memory.serial, memory.sizeBytes(), memory.mappings > 0, memory.evicted));
      }
    }
    return found;
  }

  /**
   * Moves a buffer to the other kind of memory. Nothing happens when it is gone, is there already,
   * or would bring the guest over the limit.
   *
   * @return whether it moved
   */
  boolean move(long serial, boolean toSystem, long vramLimitBytes) {
    GuestMemory memory = buffers.get(serial);
    if (memory == null
        || memory.isSystem()
        || memory.evicted == toSystem
        || !toSystem && memory.sizeBytes() > vramLimitBytes - vramBytes) {
      return false;
    }
    move(memory, toSystem);
    return true;
  }

  private void move(GuestMemory memory, boolean toSystem) {
    memory.backend.setPool(toSystem);
    account(memory, -1);
    memory.evicted = toSystem;
    account(memory, 1);
  }

  GuestMemory register(MemoryRequest request) {
    long size = request.sizeBytes();
    if (size <= 0 || size >= GemFlags.MAX_BYTES || size % Limits.PAGE_BYTES != 0) {
      throw Refusal.invalid("no size of a registered buffer, bytes=" + size);
    }
    if (!GemFlags.areKnown(request.flags()) || !GemFlags.isSystem(request.flags())) {
      throw Refusal.invalid("flags of no system memory, flags=" + request.flags());
    }
    int handle = handleForNewBuffer();
    return addBuffer(backend.register(request), request, true, handle);
  }

  private int handleForNewBuffer() {
    if (buffers.size() == Limits.MAX_BUFFERS) {
      throw Refusal.full("buffers", Limits.MAX_BUFFERS);
    }
    return handles.nextId();
  }

  private GuestMemory addBuffer(
      GuestGpu.GpuMemory made, MemoryRequest request, boolean registered, int handle) {
    GuestMemory memory = new GuestMemory(++lastSerial, made, request, registered, handle);
    handles.put(handle, memory);
    buffers.put(memory.serial, memory);
    account(memory, 1);
    return memory;
  }

  void free(int handle) {
    GuestMemory memory = memory(handle);
    handles.remove(handle);
    memory.handle = 0;
    releaseIfUnused(memory);
  }

  void setPages(int handle, long offset, List<Extent> extents) {
    setPages(memory(handle), offset, extents);
  }

  private void setPages(GuestMemory memory, long offset, List<Extent> extents) {
    if (!memory.registered || extents.isEmpty() || extents.size() > Limits.MAX_EXTENTS) {
      throw Refusal.invalid(
          "no pages for this buffer, registered=" + memory.registered + " n=" + extents.size());
    }
    if (extents.size() > Limits.MAX_TOTAL_EXTENTS - parts) {
      throw Refusal.full("extents", Limits.MAX_TOTAL_EXTENTS);
    }
    List<GuestMemory.Part> wanted = new ArrayList<>(extents.size());
    List<Extent> forBackend = new ArrayList<>(extents.size());
    long at = offset;
    for (Extent extent : extents) {
      GuestMemory.Part part = check(memory, at, extent);
      wanted.add(part);
      forBackend.add(new Extent(part.region().backend, part.regionOffset(), part.bytes()));
      at += part.bytes();
    }
    memory.backend.setPages(offset, forBackend);
    for (GuestMemory.Part part : wanted) {
      parts += memory.addPart(part);
    }
  }

  private GuestMemory.Part check(GuestMemory memory, long at, Extent extent) {
    long bytes = extent.bytes();
    if (bytes <= 0 || ((at | bytes | extent.offset()) & (Limits.PAGE_BYTES - 1)) != 0) {
      throw Refusal.invalid(
          "not whole pages, offset=" + at + " from=" + extent.offset() + " bytes=" + bytes);
    }
    if (!(extent.region() instanceof GuestRegion region)
        || !regions.contains(region)
        || extent.offset() < 0
        || bytes > region.sizeBytes() - extent.offset()) {
      throw Refusal.with(Errno.EFAULT, "no guest memory there, extent=" + extent);
    }
    if (at < 0 || bytes > memory.sizeBytes() - at) {
      throw Refusal.with(
          Errno.ERANGE,
          "outside the buffer, offset=" + at + " bytes=" + bytes + " size=" + memory.sizeBytes());
    }
    if (memory.hasPagesIn(at, bytes)) {
      throw Refusal.with(Errno.EEXIST, "filled already, offset=" + at + " bytes=" + bytes);
    }
    return new GuestMemory.Part(at, region, extent.offset(), bytes);
  }

  GuestSpace newSpace() {
    int vid = vids.nextId();
    GuestSpace space = new GuestSpace(++lastSerial, backend.createAddressSpace());
    space.vid = vid;
    vids.put(vid, space);
    spaces.put(space.serial, space);
    return space;
  }

  void freeSpace(int vid) {
    GuestSpace space = space(vid);
    vids.remove(vid);
    space.vid = 0;
    releaseIfUnused(space);
  }

  GpuVa map(int vid, int handle, GpuVa start, GpuVa end, boolean back) {
    GuestSpace space = space(vid);
    GuestMemory memory = memory(handle);
    long limit = info.addressSpaceBytes();
    if (start.value() < 0 || end.value() <= start.value() || end.value() > limit) {
      throw Refusal.invalid("no range of addresses, start=" + start + " end=" + end);
    }
    if (!memory.isComplete()) {
      throw Refusal.invalid("pages of the buffer are missing, handle=" + handle);
    }
    if (mappings == Limits.MAX_MAPPINGS) {
      throw Refusal.full("mappings", Limits.MAX_MAPPINGS);
    }
    GpuVa address = space.backend.map(memory.backend, start, end, back);
    space.add(address, memory);
    memory.mappings++;
    mappings++;
    return address;
  }

  void unmap(int vid, GpuVa address) {
    GuestSpace space = space(vid);
    GuestSpace.Entry entry = space.containing(address);
    if (entry == null) {
      throw Refusal.with(Errno.ENOENT, "nothing is mapped there, vid=" + vid + " at=" + address);
    }
    space.backend.unmap(entry.address());
    space.entries.remove(entry.address().value());
    forgetMapping(entry);
  }

  boolean isEmpty() {
    return buffers.isEmpty() && spaces.isEmpty();
  }

  void write(SnapshotWriter writer) {
    buffers.values().forEach(writer::add);
    spaces.values().forEach(writer::add);
  }

  /**
   * @param handle the guest's handle, or 0 for a buffer that only mappings will keep
   */
  GuestMemory restoreMemory(MemoryRequest request, boolean registered, int handle) {
    SnapshotReader.fits(handle == 0 || handles.get(handle) == null, "one handle twice");
    SnapshotReader.fits(buffers.size() < Limits.MAX_BUFFERS, "too many buffers");
    GuestGpu.GpuMemory made = registered ? backend.register(request) : backend.allocate(request);
    if (made.sizeBytes() != request.sizeBytes()
        || !made.apertureOffset().equals(request.apertureOffset())) {
      made.close();
      throw SnapshotReader.unfit("a buffer that comes out otherwise, " + request);
    }
    GuestMemory memory = new GuestMemory(++lastSerial, made, request, registered, handle);
    if (handle != 0) {
      handles.put(handle, memory);
    }
    buffers.put(memory.serial, memory);
    account(memory, 1);
    return memory;
  }

  void restorePages(GuestMemory memory, List<MemoryPagesRecord.Pages> pages) {
    for (MemoryPagesRecord.Pages some : pages) {
      long done = 0;
      while (done < some.bytes()) {
        Extent extent = extentAt(some.iova().value() + done, some.bytes() - done);
        setPages(memory, some.offset() + done, List.of(extent));
        done += extent.bytes();
      }
    }
  }

  /** Where guest memory of a bus address is, as far as one region goes. */
  private Extent extentAt(long iova, long bytes) {
    for (GuestRegion region : regions) {
      long offset = iova - region.iova.value();
      if (offset >= 0 && offset < region.sizeBytes()) {
        return new Extent(region, offset, Math.min(bytes, region.sizeBytes() - offset));
      }
    }
    throw Refusal.with(Errno.EFAULT, "no guest memory there, iova=0x" + Long.toHexString(iova));
  }

  /**
   * @param vid the guest's id, or 0 for an address space that only channels will keep
   */
  GuestSpace restoreSpace(int vid) {
    SnapshotReader.fits(
        vid == 0 || vid < info.maxAddressSpaces() && vids.get(vid) == null, "an id of a space");
    // No more of them than have ids: those without one are kept by channels, which have ids.
    SnapshotReader.fits(
        spaces.size() < info.maxAddressSpaces() + info.maxChannels(), "too many spaces");
    GuestSpace space = new GuestSpace(++lastSerial, backend.createAddressSpace());
    space.vid = vid;
    if (vid != 0) {
      vids.put(vid, space);
    }
    spaces.put(space.serial, space);
    return space;
  }

  void restoreMapping(GuestSpace space, GuestMemory memory, GpuVa address) {
    long end = address.value() + memory.sizeBytes();
    SnapshotReader.fits(end > 0 && end <= info.addressSpaceBytes(), "an address");
    SnapshotReader.fits(memory.isComplete(), "a mapping of a buffer with pages missing");
    SnapshotReader.fits(mappings < Limits.MAX_MAPPINGS, "too many mappings");
    GpuVa at = space.backend.map(memory.backend, address, new GpuVa(end), false);
    space.add(at, memory);
    memory.mappings++;
    mappings++;
    SnapshotReader.fits(at.equals(address), "a mapping that comes out elsewhere");
  }

  GuestRegion addRegion(GuestRegion region) {
    regions.add(region);
    return region;
  }

  void removeRegion(GuestRegion region) {
    region.closed = true;
    regions.remove(region);
    for (GuestMemory memory : buffers.values()) {
      parts -= memory.dropParts(region);
    }
    Closing.close(region.backend::close, "memory region");
  }

  void removeAllRegions() {
    for (GuestRegion region : List.copyOf(regions)) {
      removeRegion(region);
    }
  }

  /** Frees every address space and buffer; no channel is left. */
  void releaseAll() {
    for (GuestSpace space : List.copyOf(spaces.values())) {
      freeSpaceIfNamed(space);
    }
    for (GuestMemory memory : handles.values()) {
      free(memory.handle);
    }
    releaseUnnamed();
    if (!spaces.isEmpty() || !buffers.isEmpty() || mappings != 0 || parts != 0) {
      throw new AssertionError(
          "something is left, spaces=" + spaces.size() + " buffers=" + buffers.size());
    }
  }

  /** What a snapshot that does not fit left without a name and without use. */
  private void releaseUnnamed() {
    List.copyOf(spaces.values()).forEach(this::releaseIfUnused);
    List.copyOf(buffers.values()).forEach(this::releaseIfUnused);
  }

  private void freeSpaceIfNamed(GuestSpace space) {
    if (space.vid != 0) {
      freeSpace(space.vid);
    }
  }

  void releaseIfUnused(GuestSpace space) {
    if (space.isUnused()) {
      spaces.remove(space.serial);
      Closing.close(space.backend::close, "address space");
      space.entries.values().forEach(this::forgetMapping);
      space.entries.clear();
    }
  }

  private void forgetMapping(GuestSpace.Entry entry) {
    entry.memory().mappings--;
    mappings--;
    releaseIfUnused(entry.memory());
  }

  private void releaseIfUnused(GuestMemory memory) {
    if (memory.isUnused()) {
      buffers.remove(memory.serial);
      parts -= memory.parts.size();
      account(memory, -1);
      Closing.close(memory.backend::close, "buffer");
    }
  }

  private void account(GuestMemory memory, int sign) {
    if (memory.isInSystem()) {
      systemBytes += sign * memory.sizeBytes();
    } else {
      vramBytes += sign * memory.sizeBytes();
    }
  }
}
