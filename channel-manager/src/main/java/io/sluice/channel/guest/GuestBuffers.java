package io.sluice.channel.guest;

import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.Capability;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.Refusal;
import io.sluice.channel.table.Capabilities;
import io.sluice.channel.table.GemFlags;
import io.sluice.channel.table.GuestRegion;
import io.sluice.quota.MovableBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The memory of a guest: buffers, regions of guest memory, and its share of video memory. Methods
 * may be called from any thread.
 */
public final class GuestBuffers {
  private final String guest;
  private final GuestLock lock;
  private final GuestState state;
  private final BufferTable buffers;
  private final Gpu gpu;
  private final GuestGpu backend;
  private final Capabilities capabilities;
  private final GuestListener listener;

  /** Whether what is beyond the share gets system memory. */
  private volatile boolean overflowToSystem;

  GuestBuffers(
      String guest,
      GuestLock lock,
      GuestState state,
      Gpu gpu,
      GuestGpu backend,
      Capabilities capabilities,
      GuestListener listener) {
    this.guest = guest;
    this.lock = lock;
    this.state = state;
    this.buffers = state.buffers;
    this.gpu = gpu;
    this.backend = backend;
    this.capabilities = capabilities;
    this.listener = listener;
  }

  // ---- buffers ----

  /**
   * A buffer in video memory; in host memory too when the GPU cannot use guest memory. ENOMEM for
   * whatever pscnv refuses with it: size, flags, storage kind, no room, the quota, the table.
   *
   * @param flags pscnv GEM flags
   * @param tileFlags storage kind
   * @param cookie the guest's own word
   * @param sizeBytes rounded up to 4 KiB, 128 KiB for the large memory type
   */
  public MemoryGrant allocate(int flags, int tileFlags, int cookie, long sizeBytes) {
    MemoryRequest request =
        new MemoryRequest(flags, tileFlags, cookie, sizeBytes, OptionalLong.empty());
    MemorySharing sharing = lock.sharing();
    if (GemFlags.isSystem(flags) || sharing == MemorySharing.ALONE) {
      return allocate(request, true);
    }
    long rounded = GemFlags.roundUp(flags, sizeBytes);
    try {
      return allocate(request, false);
    } catch (RefusedException noRoom) {
      if (noRoom.errno() != Errno.ENOMEM
          || Refusal.isOfFullTable(noRoom)
          || rounded <= 0
          || rounded > gpu.info().vramBytes()) {
        throw noRoom;
      }
    }
    try (MemorySharing.Reservation room = sharing.makeRoom(rounded)) {
      return allocateIn(room, request);
    }
  }

  private MemoryGrant allocateIn(MemorySharing.Reservation room, MemoryRequest request) {
    try {
      return allocate(request, true);
    } catch (RefusedException why) {
      room.refused(why);
      throw why;
    }
  }

  /**
   * @param last whether the policy for what is beyond the share applies
   */
  private MemoryGrant allocate(MemoryRequest request, boolean last) {
    return lock.call(() -> {
      if (GemFlags.isSystem(request.flags()) && capabilities.has(Capability.GUEST_MEMORY)) {
        throw Refusal.invalid(
            "system memory is registered, not allocated, flags=" + request.flags());
      }
      GuestBuffer memory = buffers.allocate(request, last && overflowToSystem);
      return new MemoryGrant(memory.handle, memory.sizeBytes(), memory.apertureOffset());
    });
  }

  /** What a buffer is; EBADF. */
  public MemoryInfo info(int handle) {
    return lock.call(() -> {
      GuestBuffer memory = buffers.get(handle);
      return new MemoryInfo(
          memory.flags,
          memory.tileFlags,
          memory.cookie,
          memory.sizeBytes(),
          memory.apertureOffset());
    });
  }

  /** Gives a handle back; address spaces that map the buffer keep it until they unmap it. EBADF. */
  public void free(int handle) {
    lock.run(() -> buffers.free(handle));
  }

  // ---- guest memory ----

  /**
   * An empty buffer of guest memory. EINVAL size or flags, ENOMEM.
   *
   * @param flags pscnv GEM flags with a system memory type
   * @param sizeBytes a multiple of 4096
   */
  public int register(int flags, int cookie, long sizeBytes) {
    return lock.call(() -> {
      capabilities.require(Capability.GUEST_MEMORY, "registering guest memory");
      MemoryRequest request = new MemoryRequest(flags, 0, cookie, sizeBytes, OptionalLong.empty());
      return buffers.register(request).handle;
    });
  }

  /**
   * Fills a part of a registered buffer. EBADF handle, EINVAL count or alignment, ERANGE outside
   * the buffer, EEXIST a part filled twice, EFAULT outside guest memory.
   *
   * @param offset where in the buffer the first extent goes
   * @param extents of regions from {@link #addRegion}
   */
  public void setPages(int handle, long offset, List<RegionExtent> extents) {
    lock.run(() -> buffers.pages().set(buffers.get(handle), offset, extents));
  }

  /**
   * Makes guest memory known to the GPU. Closing the region takes it away: when that returns the
   * GPU has no access, and channels whose address space mapped a page of it have ended.
   *
   * @param iova its bus address, by which state records name it
   * @param fd stays the caller's
   * @param offset byte offset in the file, a multiple of 4096
   * @param sizeBytes a multiple of 4096
   */
  public RegisteredMemory addRegion(
      Iova iova, Fd fd, long offset, long sizeBytes, boolean writable) {
    return lock.call(() -> {
      capabilities.require(Capability.GUEST_MEMORY, "adding guest memory");
      state.regions.requireRoom();
      RegisteredMemory added = backend.addRegion(fd, offset, sizeBytes, writable);
      GuestRegion region = new GuestRegion(added, iova, writable, this::removeRegion);
      state.regions.add(region);
      return region;
    });
  }

  private void removeRegion(GuestRegion region) {
    lock.runAlways(() -> {
      if (!region.closed) {
        state.removeRegion(region);
        state.channels.noteRevoked(region);
      }
    });
  }

  // ---- the share of video memory ----

  /**
   * Memory used and allowed. Waits for nothing that is under way, whose use does not count yet:
   * whoever asks for all guests would wait with all of them for what one has begun.
   */
  public MemoryUse use() {
    lock.requireOpen();
    return state.published();
  }

  /**
   * What the GPU accounts to this guest; equals {@link #use} in what both tell. Waits until what
   * was freed is given back.
   */
  public GuestGpu.MemoryUsage usage() {
    return lock.callSettled(backend::usage);
  }

  /**
   * Changes the video memory that this guest may hold; when it is another amount the listener is
   * told. What it holds already stays, and what it is allocating now. Waits for nothing.
   *
   * @param bytes 0 to the GPU's video memory
   */
  public void setLimit(long bytes) {
    lock.requireOpen();
    if (buffers.setLimit(bytes)) {
      listener.onVramLimit(bytes, gpu.timeNs());
    }
  }

  /**
   * The same.
   *
   * @return whether the guest holds no more than that, with what it is allocating now, and will not
   */
  public boolean keepTo(long bytes) {
    setLimit(bytes);
    return buffers.held().claimedBytes() <= bytes;
  }

  /** Video memory that this guest may hold; waits for nothing. */
  public long limitBytes() {
    return buffers.limitBytes();
  }

  /**
   * Whether an allocation beyond the limit gets system memory, rather than ENOMEM. Needs {@link
   * Capability#EVICTION}.
   */
  public void setOverflowToSystem(boolean overflow) {
    lock.requireOpen();
    if (overflow) {
      capabilities.require(Capability.EVICTION, "system memory in place of video memory");
    }
    overflowToSystem = overflow;
  }

  /** From now on the guest shares the GPU's video memory with others. */
  public void setSharing(MemorySharing sharing) {
    lock.setSharing(sharing);
  }

  /** Every buffer that was allocated in video memory, oldest first. */
  public List<MovableBuffer> movable() {
    return lock.call(() -> buffers.inVideoMemory(guest));
  }

  /**
   * Moves buffers between video and system memory while the channels of the guest are suspended.
   * Buffers that are gone are passed over, as are those that would bring the guest over its limit.
   *
   * @param ids from {@link #movable}
   * @param moved runs when they have, before the guest's channels go on; must not block
   * @return how many moved
   */
  public int move(List<Long> ids, boolean toSystem, Runnable moved) {
    return lock.call(() -> {
      capabilities.require(Capability.EVICTION, "moving buffers");
      List<GuestChannel> suspended = new ArrayList<>();
      try {
        state.channels.suspendRunning(suspended, "buffers move");
        int count = buffers.move(ids, toSystem);
        moved.run();
        return count;
      } finally {
        suspended.forEach(channel -> channel.resume("buffers moved"));
      }
    });
  }
}
