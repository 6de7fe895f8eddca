package io.sluice.channel;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One guest's open of a GPU. Closing it gives back everything the guest held. All methods may be
 * called from any thread; the backend serialises what must be.
 *
 * <p>Refusals are {@link RefusedException} with the errno that pscnv would give, and a code of the
 * backend: SLU-GPU for pscnv, SLU-RM for NVIDIA. A {@code @throws} names those that a method means.
 * Besides, a driver may refuse any call: pscnv's with its own errno (SLU-GPU-001), NVIDIA's with
 * that of its status (SLU-RM-004). NVIDIA's backend refuses calls after the close with ENODEV
 * (SLU-RM-012). SLU-CHN-009 is that of the methods here that a backend does not have.
 */
public interface GuestGpu extends AutoCloseable {
  /**
   * The control pages as one file, the page index being the channel's id; empty where each page
   * must be had on its own, from {@link Channel#controlPage}.
   */
  Optional<SharedArea> controlPages();

  /** All video memory this guest can ever touch, as one file; empty without the capability. */
  Optional<SharedArea> vramAperture();

  /** The doorbell page; empty without the capability. */
  Optional<SharedArea> doorbell();

  /**
   * The value of a GETPARAM id; empty for one the GPU does not know.
   *
   * @param id the parameter; an index of it in the upper half
   */
  OptionalLong parameter(long id);

  /**
   * A new, empty address space.
   *
   * @throws RefusedException ENOMEM (SLU-GPU-001, SLU-RM-007): there are as many as there can be
   */
  AddressSpace createAddressSpace();

  /**
   * A buffer in video memory, or in host memory for a process guest.
   *
   * @throws RefusedException ENOMEM (SLU-GPU-001, SLU-RM-004, SLU-RM-007): no room, no such size,
   *     or too many buffers; EBUSY (SLU-GPU-001): the place in the aperture is taken; EINVAL
   *     (SLU-GPU-001): it is none; EOPNOTSUPP (SLU-RM-006): there is no aperture
   */
  GpuMemory allocate(MemoryRequest request);

  /**
   * A buffer of video memory that is in system memory from the beginning, as after {@link
   * GpuMemory#setPool}: the card need not have room for it. Needs {@link Capability#EVICTION}.
   *
   * @throws RefusedException as {@link #allocate}; EOPNOTSUPP (SLU-CHN-009); EIO (SLU-RM-013): the
   *     GPU does not clear it in time
   */
  default GpuMemory allocateEvicted(MemoryRequest request) {
    throw Refusal.missing(Capability.EVICTION, "system memory in place of video memory");
  }

  /**
   * Moves buffers as {@link GpuMemory#setPool} does one, faster than one after the other.
   *
   * @param memories of this open, allocated in video memory
   * @return how many are where they are wanted, from the first on; the others have found no room
   * @throws RefusedException not even the first has, as {@link GpuMemory#setPool} says; EINVAL
   *     (SLU-RM-008): one was not allocated in video memory
   */
  default int setPools(List<? extends GpuMemory> memories, boolean system) {
    int moved = 0;
    for (GpuMemory memory : memories) {
      try {
        memory.setPool(system);
        moved++;
      } catch (RefusedException e) {
        if (moved == 0) {
          throw e;
        }
        return moved;
      }
    }
    return moved;
  }

  /**
   * Makes guest memory known to the GPU. Its pages can then be imported. Needs {@link
   * Capability#GUEST_MEMORY}.
   *
   * @param fd stays the caller's; its file does not become shorter
   * @param offset byte offset in the file, a multiple of 4096
   * @param sizeBytes a multiple of 4096, more than 0, within the file
   * @param writable whether the GPU may write to it; NVIDIA's imports nothing of one that is not
   * @throws RefusedException EINVAL (SLU-GPU-001): no such range; EBADF (SLU-GPU-001): no such
   *     file; ENOMEM (SLU-GPU-001): there are {@link GuestLimits#MAX_REGIONS}
   */
  RegisteredMemory addRegion(Fd fd, long offset, long sizeBytes, boolean writable);

  /**
   * An empty buffer of guest memory, to be filled by {@link GpuMemory#setPages}.
   *
   * @param request of a size that is a multiple of 4096
   * @throws RefusedException EINVAL (SLU-GPU-001) or ENOMEM (SLU-RM-007): no such size; ENOMEM
   *     (SLU-GPU-001): too many buffers
   */
  GpuMemory register(MemoryRequest request);

  /**
   * Memory of which {@link Channel#setInterruptTarget} sets bits: one per channel id, in 32-bit
   * words. Once for an open; needs {@link Capability#DIRECT_INTERRUPTS}.
   *
   * @param fd stays the caller's
   * @param offset byte offset in the file, a multiple of 4096
   * @param sizeBytes a multiple of 4096
   * @throws RefusedException as {@link #addRegion}; EOPNOTSUPP (SLU-CHN-009)
   * @throws IllegalStateException it was set before
   */
  default void setPendingBitmap(Fd fd, long offset, long sizeBytes) {
    throw Refusal.missing(Capability.DIRECT_INTERRUPTS, "setting pending bits");
  }

  /**
   * Copies bytes from one buffer to another by the GPU, and returns when that is done; no channel
   * of the guest takes part, and neither buffer need be mapped. Needs {@link
   * Capability#BUFFER_COPIES}.
   *
   * @param fromOffset byte offset in its buffer
   * @param toOffset byte offset in its buffer
   * @param bytes 0 or more
   * @throws RefusedException EOPNOTSUPP (SLU-CHN-009); EINVAL (SLU-RM-008): outside of a buffer;
   *     ENOMEM (SLU-RM-007): no room to reach a buffer by; EIO (SLU-RM-013): not done in time
   * @throws IllegalArgumentException a buffer is another open's
   */
  default void copy(GpuMemory from, long fromOffset, GpuMemory to, long toOffset, long bytes) {
    throw Refusal.missing(Capability.BUFFER_COPIES, "copying between buffers");
  }

  /**
   * Computes the fingerprints of pages of 4096 bytes by the GPU, and returns when they are there.
   * Of a page, 512 little-endian words {@code m}, it is the sum over all i of {@code (m[2i] +
   * key[2i]) * (m[2i+1] + key[2i+1])}, sums of words modulo 2<sup>64</sup>, of whose 128-bit
   * products the low and the high halves are summed apart: two words. Needs {@link
   * Capability#PAGE_FINGERPRINTS}.
   *
   * @param firstPage 0 or more
   * @param pages 1 or more
   * @param key {@link #KEY_WORDS} words, not changed while this array is used
   * @param into receives 16 bytes a page, the low sum first
   * @param intoOffset byte offset, a multiple of 16
   * @throws RefusedException as {@link #copy}; EINVAL (SLU-RM-008) for no pages, too
   */
  default void fingerprint(
      GpuMemory memory, long firstPage, int pages, long[] key, GpuMemory into, long intoOffset) {
    throw Refusal.missing(Capability.PAGE_FINGERPRINTS, "computing fingerprints");
  }

  /** Words of a fingerprint's key. */
  int KEY_WORDS = 512;

  /**
   * Whether all that this guest has is this open's alone, as it is unless it is told that another
   * daemon shares it: then control pages are left as they are, and memory that was touched without
   * having been allocated is not taken back.
   */
  default void setSweeping(boolean sweeping) {}

  /** Becomes readable when {@link #readEvents} has something to deliver; stays the backend's. */
  Fd events();

  /**
   * Delivers what has happened since the last call; never blocks, and allocates nothing for
   * interrupts. One thread at a time.
   *
   * @return number of events delivered
   */
  int readEvents(EventSink sink);

  /**
   * For one who waits for a drain: throws what its last step failed with, though that is tried
   * again. Until there was a step since {@link Channel#detach} or {@link Channel#attach} nothing
   * has failed.
   *
   * @throws io.sluice.abi.RefusedException what the driver refuses
   */
  default void requireDrainGoesOn() {}

  /** What the backend accounts to this guest. */
  MemoryUsage usage();

  /**
   * This guest's part of GPU time relative to the other guests, whatever channels it has; needs
   * {@link Capability#TIME_SHARES}.
   *
   * @param weight 1 to 1024
   * @throws RefusedException EINVAL (SLU-GPU-001, SLU-RM-008): out of range; EOPNOTSUPP
   *     (SLU-CHN-009)
   */
  default void setWeight(int weight) {
    throw Refusal.missing(Capability.TIME_SHARES, "sharing GPU time");
  }

  /** The daemon's own heap that work of this guest has; empty where it takes none. */
  default Optional<HeapUsage> heapUsage() {
    return Optional.empty();
  }

  /** GPU time of this guest; empty where the GPU does not tell. */
  default Optional<TimeUsage> timeUsage() {
    return Optional.empty();
  }

  @Override
  void close();

  /**
   * A range of a file that both sides map.
   *
   * @param fd stays the backend's
   */
  record SharedArea(Fd fd, long offset, long sizeBytes) {}

  /**
   * The request of a buffer.
   *
   * @param flags pscnv GEM flags: memory type, contiguous, mappable
   * @param tileFlags storage kind
   * @param cookie the guest's own word
   * @param sizeBytes bytes, more than 0 and no more than an address space has; rounded up by the
   *     backend
   * @param apertureOffset byte offset in the aperture, when restoring, a multiple of the buffer's
   *     pages; otherwise empty
   */
  record MemoryRequest(
      int flags, int tileFlags, int cookie, long sizeBytes, OptionalLong apertureOffset) {}

  /**
   * @param vramBytes video memory allocated
   * @param systemBytes host or guest memory the GPU maps for this guest
   * @param vramTotalBytes video memory of the card
   * @param vramFreeBytes video memory nobody holds
   */
  record MemoryUsage(long vramBytes, long systemBytes, long vramTotalBytes, long vramFreeBytes) {}

  /**
   * Heap of this process, and what is compiled in it.
   *
   * @param bytes that grids have now
   * @param limitBytes most that they may have
   */
  record HeapUsage(long bytes, long limitBytes, ProgramUsage programs) {
    /** Of a GPU that takes none. */
    public static final HeapUsage NONE = new HeapUsage(0, 0, new ProgramUsage(0, 0, 0, 0, 0));
  }

  /**
   * Compiled programs.
   *
   * @param kept that are kept
   * @param limit most that are
   * @param bytes of their code
   * @param limitBytes most bytes, but for the program that was used last
   * @param interpreted how often one was not compiled because it came too soon
   */
  record ProgramUsage(long kept, long limit, long bytes, long limitBytes, long interpreted) {}

  /**
   * Totals since the open.
   *
   * @param gpuNs GPU time used
   * @param waitNs time in which it had work and other guests had the GPU
   */
  record TimeUsage(long gpuNs, long waitNs) {
    /** Nothing yet. */
    public static final TimeUsage NONE = new TimeUsage(0, 0);

    /** What both tell. */
    public TimeUsage plus(TimeUsage other) {
      return new TimeUsage(gpuNs + other.gpuNs, waitNs + other.waitNs);
    }
  }

  /** Guest memory the GPU knows. Closing it revokes: channels that used it end with a reason. */
  interface RegisteredMemory extends AutoCloseable {
    /** Length in bytes. */
    long sizeBytes();

    @Override
    void close();
  }

  /**
   * Part of a region.
   *
   * @param offset byte offset in the region, a multiple of 4096
   * @param bytes length, a multiple of 4096
   */
  record RegionExtent(RegisteredMemory region, long offset, long bytes) {}

  /** A buffer. Closing it frees it once no address space maps it. */
  interface GpuMemory extends AutoCloseable {
    /** Length in bytes, as rounded by the backend. */
    long sizeBytes();

    /** Byte offset in {@link #vramAperture}; empty when it is not there. */
    OptionalLong apertureOffset();

    /**
     * A file and offset to map the buffer by, for process guests; the caller closes the fd.
     *
     * @throws RefusedException EINVAL (SLU-GPU-001, SLU-RM-008): a registered one; EOPNOTSUPP
     *     (SLU-RM-006): one of video memory, which no CPU reaches there
     */
    SharedArea share();

    /**
     * Fills part of a registered buffer; it can be mapped once no part is missing.
     *
     * @param offset byte offset in the buffer of the first extent, a multiple of 4096
     * @param extents 1 to {@link GuestLimits#MAX_EXTENTS}, one behind the other in the buffer
     * @throws RefusedException EINVAL (SLU-GPU-001, SLU-RM-008): not registered, or no such offset,
     *     extent or region; ERANGE (SLU-GPU-001): beyond the end of the buffer or of a region;
     *     EEXIST (SLU-GPU-001): a page is set already; ENOENT (SLU-RM-009): a region is closed;
     *     ENOMEM (SLU-GPU-001): too many extents
     * @throws IllegalArgumentException a region is another GPU's
     */
    void setPages(long offset, List<RegionExtent> extents);

    /**
     * Which pages the GPU wrote; needs {@link Capability#DIRTY_TRACKING}.
     *
     * @param firstPage first page asked about
     * @param pages number of pages, at most {@link #MAX_DIRTY_PAGES}
     * @param clear forget them in the same step, so that no write falls between
     * @param bitmap receives one bit per page, lowest first; as long as the pages need
     * @throws RefusedException EINVAL (SLU-GPU-001): outside of the buffer, or too many; EOPNOTSUPP
     *     (SLU-RM-006)
     */
    void readDirty(long firstPage, int pages, boolean clear, MemorySegment bitmap);

    /**
     * Moves a buffer of video memory to system memory, or back; its GPU addresses stay. Channels
     * that use it are suspended by the caller. Needs {@link Capability#EVICTION}.
     *
     * @param system whether it becomes system memory
     * @throws RefusedException ENOMEM (SLU-GPU-001, SLU-RM-004, SLU-RM-007): no room; EINVAL
     *     (SLU-GPU-001) or EOPNOTSUPP (SLU-CHN-009): not allocated in video memory; EOPNOTSUPP
     *     (SLU-CHN-009): the capability is missing; EIO (SLU-RM-013): the GPU does not copy in time
     */
    default void setPool(boolean system) {
      throw Refusal.missing(Capability.EVICTION, "moving a buffer to another memory");
    }

    /** Pages that one {@link #readDirty} can tell of. */
    int MAX_DIRTY_PAGES = 0x8000;

    @Override
    void close();
  }
}
