package io.sluice.channel.guest;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.Refusal;
import io.sluice.channel.state.GuestLimits;
import io.sluice.channel.table.Closing;
import io.sluice.channel.table.GemFlags;
import io.sluice.channel.table.GuestRegion;
import io.sluice.channel.table.GuestRegions;
import io.sluice.channel.table.IdTable;
import io.sluice.quota.MovableBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The table of a guest's buffers, their handles, and the limit of video memory. Guarded by the
 * guest's lock.
 */
final class BufferTable {
  private final GuestGpu backend;
  private final Endings endings;
  private final TableBytes heap;
  private final HeldBytes held = new HeldBytes();
  private final RegisteredPages pages;
  private final IdTable<GuestBuffer> handles =
      new IdTable<>("memory handles", GuestLimits.MAX_MEMORY);

  // Every one that lives, in the order of its making, those included that have lost their handle.
  private final Map<Long, GuestBuffer> buffers = new LinkedHashMap<>();
  private long lastSerial;
  private int most; // that there were at one time
  private final long cardBytes;
  private final boolean movable;
  private final AtomicLong limit = new AtomicLong(); // changed without the lock, too

  /**
   * @param endings take what is given back
   * @param heap for what is kept of buffers
   * @param cardBytes video memory of the card
   * @param movable whether the GPU can evict
   */
  BufferTable(
      GuestGpu backend,
      Endings endings,
      TableBytes heap,
      GuestRegions regions,
      long cardBytes,
      boolean movable) {
    this.backend = backend;
    this.endings = endings;
    this.heap = heap;
    this.cardBytes = cardBytes;
    this.movable = movable;
    limit.set(cardBytes);
    pages = new RegisteredPages(regions, heap);
  }

  /** Video memory that the guest may hold; may be asked without the lock. */
  long limitBytes() {
    return limit.get();
  }

  /**
   * Changes the limit; whether it was another. What is held stays, and what is being allocated when
   * this is called without the lock, see {@link HeldBytes#claim}.
   */
  boolean setLimit(long bytes) {
    if (bytes < 0 || bytes > cardBytes) {
      throw Refusal.invalid("no such limit of video memory, bytes=" + bytes);
    }
    return limit.getAndSet(bytes) != bytes;
  }

  HeldBytes held() {
    return held;
  }

  RegisteredPages pages() {
    return pages;
  }

  boolean isEmpty() {
    return buffers.isEmpty();
  }

  int size() {
    return buffers.size();
  }

  /** How many buffers have one. */
  int handles() {
    return handles.size();
  }

  /** Oldest first; a copy. */
  List<GuestBuffer> all() {
    return List.copyOf(buffers.values());
  }

  /** The buffer of a serial number; null when it is gone. */
  @Nullable GuestBuffer find(long serial) {
    return buffers.get(serial);
  }

  /** Gives a buffer that was restored without one its handle. */
  void name(GuestBuffer memory, int handle) {
    Refusal.unless(handle == 0 || handles.get(handle) == null, "one handle twice");
    if (handle != 0) {
      handles.put(handle, memory);
      memory.handle = handle;
    }
  }

  /** The buffer of a handle; EBADF. */
  GuestBuffer get(int handle) {
    GuestBuffer memory = handles.get(handle);
    if (memory == null) {
      throw Refusal.noMemory(handle);
    }
    return memory;
  }

  /**
   * @param overflow whether a buffer that is beyond the limit, or finds no room, goes to system
   *     memory rather than be refused
   */
  GuestBuffer allocate(MemoryRequest request, boolean overflow) {
    long size = request.sizeBytes();
    if (!GemFlags.areKnown(request.flags())
        || !GemFlags.allowsTileFlags(request.flags(), request.tileFlags())
        || size <= 0
        || size >= GemFlags.MAX_BYTES) {
      throw Refusal.outOfMemory("no such buffer can be had, " + request, "");
    }
    if (GemFlags.isSystem(request.flags())) {
      return add(() -> backend.allocate(request), request, false, false, handleForNewBuffer());
    }
    long rounded = GemFlags.roundUp(request.flags(), size);
    held.claim(rounded);
    try {
      return allocateVideo(request, rounded, overflow);
    } finally {
      held.endClaim();
    }
  }

  private GuestBuffer allocateVideo(MemoryRequest request, long rounded, boolean overflow) {
    long used = held.vramBytes();
    boolean over = rounded > limit.get() - used;
    if (over && !overflow) {
      throw Refusal.outOfMemory(
          "over the guest's share of video memory, bytes="
              + rounded
              + " used="
              + used
              + " limit="
              + limit.get(),
          "Free some, or raise the guest's share.");
    }
    int handle = handleForNewBuffer();
    if (over) {
      return add(() -> backend.allocateEvicted(request), request, false, true, handle);
    }
    try {
      return add(() -> backend.allocate(request), request, false, false, handle);
    } catch (RefusedException noRoom) {
      if (!overflow || noRoom.errno() != Errno.ENOMEM || Refusal.isOfFullTable(noRoom)) {
        throw noRoom;
      }
      return add(() -> backend.allocateEvicted(request), request, false, true, handle);
    }
  }

  /** Every buffer that was allocated in video memory, for plans of who moves. */
  List<MovableBuffer> inVideoMemory(String guest) {
    List<MovableBuffer> found = new ArrayList<>();
    for (GuestBuffer memory : buffers.values()) {
      if (!memory.isSystem()) {
        found.add(
            new MovableBuffer(
                guest, memory.serial, memory.sizeBytes(), memory.mappings > 0, memory.evicted));
      }
    }
    return found;
  }

  /**
   * Moves buffers to the other kind of memory. One that is gone, is there already, or would bring
   * the guest over the limit stays as it is.
   *
   * @return how many moved
   */
  int move(List<Long> serials, boolean toSystem) {
    if (toSystem) {
      return moveTo(movable(serials, true, 0), true);
    }
    held.claim(
        serials.stream()
            .map(buffers::get)
            .mapToLong(memory -> memory == null ? 0 : memory.sizeBytes())
            .sum());
    try {
      return moveTo(movable(serials, false, limit.get() - held.vramBytes()), false);
    } finally {
      held.endClaim();
    }
  }

  private List<GuestBuffer> movable(List<Long> serials, boolean toSystem, long roomBytes) {
    List<GuestBuffer> moving = new ArrayList<>(serials.size());
    long room = roomBytes;
    for (long serial : serials) {
      GuestBuffer memory = buffers.get(serial);
      if (memory != null
          && !memory.isSystem()
          && memory.evicted != toSystem
          && (toSystem || memory.sizeBytes() <= room)) {
        moving.add(memory);
        room -= memory.sizeBytes();
      }
    }
    return moving;
  }

  private int moveTo(List<GuestBuffer> moving, boolean toSystem) {
    if (moving.isEmpty()) {
      return 0;
    }
    int moved = backend.setPools(moving.stream().map(memory -> memory.backend).toList(), toSystem);
    for (GuestBuffer memory : moving.subList(0, moved)) {
      held.subtract(memory);
      memory.evicted = toSystem;
      held.add(memory);
    }
    return moved;
  }

  /** An empty buffer of guest memory; EINVAL size or flags, ENOMEM. */
  GuestBuffer register(MemoryRequest request) {
    long size = request.sizeBytes();
    if (size <= 0 || size >= GemFlags.MAX_BYTES || size % GuestLimits.PAGE_BYTES != 0) {
      throw Refusal.invalid("no size of a registered buffer, bytes=" + size);
    }
    if (!GemFlags.areKnown(request.flags()) || !GemFlags.isSystem(request.flags())) {
      throw Refusal.invalid("flags of no system memory, flags=" + request.flags());
    }
    int handle = handleForNewBuffer();
    return add(() -> backend.register(request), request, true, false, handle);
  }

  private int handleForNewBuffer() {
    if (buffers.size() == GuestLimits.MAX_BUFFERS) {
      throw Refusal.full("buffers", GuestLimits.MAX_BUFFERS);
    }
    return handles.nextId();
  }

  /**
   * @param maker has the GPU make it, for which there is heap by then
   */
  private GuestBuffer add(
      Supplier<GpuMemory> maker,
      MemoryRequest request,
      boolean registered,
      boolean evicted,
      int handle) {
    long slot = buffers.size() == most ? TableBytes.SLOT : 0;
    long bytes = TableBytes.ofBuffer(request.sizeBytes());
    GpuMemory made = heap.forMade(slot + bytes, maker);
    GuestBuffer memory = new GuestBuffer(++lastSerial, made, request, registered, handle);
    memory.evicted = evicted;
    memory.heapBytes = bytes;
    if (handle != 0) {
      handles.put(handle, memory);
    }
    buffers.put(memory.serial, memory);
    most = Math.max(most, buffers.size());
    held.add(memory);
    return memory;
  }

  /**
   * @param evicted whether it was in system memory; it is here too, unless the GPU cannot do that,
   *     and so is what is beyond the limit
   * @param handle the guest's handle, or 0 for a buffer that only mappings will keep
   */
  GuestBuffer restore(MemoryRequest request, boolean registered, boolean evicted, int handle) {
    Refusal.unless(handle == 0 || handles.get(handle) == null, "one handle twice");
    Refusal.unless(buffers.size() < GuestLimits.MAX_BUFFERS, "too many buffers");
    if (registered || GemFlags.isSystem(request.flags())) {
      return add(
          () ->
              fitting(registered ? backend.register(request) : backend.allocate(request), request),
          request,
          registered,
          false,
          handle);
    }
    held.claim(request.sizeBytes());
    try {
      boolean evict = evict(request, evicted);
      return add(
          () ->
              fitting(
                  evict ? backend.allocateEvicted(request) : backend.allocate(request), request),
          request,
          false,
          evict,
          handle);
    } finally {
      held.endClaim();
    }
  }

  private static GpuMemory fitting(GpuMemory made, MemoryRequest request) {
    if (made.sizeBytes() != request.sizeBytes()
        || !made.apertureOffset().equals(request.apertureOffset())) {
      made.close();
      throw Refusal.unfit("a buffer that comes out otherwise, " + request);
    }
    return made;
  }

  /** Whether a buffer that is restored goes to system memory. */
  private boolean evict(MemoryRequest request, boolean evicted) {
    return movable && (evicted || request.sizeBytes() > limit.get() - held.vramBytes());
  }

  /** A region is gone: no buffer has pages of it. */
  void dropPages(GuestRegion region) {
    pages.drop(region);
  }

  /** Gives a handle back; EBADF. */
  void free(int handle) {
    GuestBuffer memory = get(handle);
    handles.remove(handle);
    memory.handle = 0;
    releaseIfUnused(memory);
  }

  /** Gives every handle back, and what a snapshot that does not fit left without one. */
  void freeAll() {
    for (GuestBuffer memory : handles.values()) {
      free(memory.handle);
    }
    all().forEach(this::releaseIfUnused);
  }

  void releaseIfUnused(GuestBuffer memory) {
    if (memory.isUnused()) {
      buffers.remove(memory.serial);
      pages.forget(memory);
      endings.add(
          () -> Closing.close(memory.backend::close, "buffer"),
          () -> {
            held.subtract(memory);
            heap.free(memory.heapBytes);
          });
    }
  }
}
