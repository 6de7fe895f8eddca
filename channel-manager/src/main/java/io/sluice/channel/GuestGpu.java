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
 * <p>Refusals are {@link RefusedException} with the errno pscnv would give.
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

  /** The value of a GETPARAM id; empty for one the GPU does not know. */
  OptionalLong parameter(long id);

  /** A new, empty address space. */
  AddressSpace createAddressSpace();

  /** A buffer in video memory, or in host memory for a process guest. */
  GpuMemory allocate(MemoryRequest request);

  /**
   * A buffer of video memory that is in system memory from the beginning, as after {@link
   * GpuMemory#setPool}: the card need not have room for it. Needs {@link Capability#EVICTION}.
   */
  default GpuMemory allocateEvicted(MemoryRequest request) {
    throw Refusal.missing(Capability.EVICTION, "system memory in place of video memory");
  }

  /**
   * Moves buffers as {@link GpuMemory#setPool} does one, faster than one after the other.
   *
   * @return how many are where they are wanted, from the first on; the others have found no room
   * @throws RefusedException not even the first has
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
   * @param fd stays the caller's
   */
  RegisteredMemory addRegion(Fd fd, long offset, long sizeBytes, boolean writable);

  /** An empty buffer of guest memory, to be filled by {@link GpuMemory#setPages}. */
  GpuMemory register(MemoryRequest request);

  /**
   * Memory of which {@link Channel#setInterruptTarget} sets bits: one per channel id, in 32-bit
   * words. Once for an open; needs {@link Capability#DIRECT_INTERRUPTS}.
   *
   * @param fd stays the caller's
   * @param offset byte offset in the file, a multiple of 4096
   * @param sizeBytes a multiple of 4096
   */
  default void setPendingBitmap(Fd fd, long offset, long sizeBytes) {
    throw Refusal.missing(Capability.DIRECT_INTERRUPTS, "setting pending bits");
  }

  /**
   * Copies bytes from one buffer to another by the GPU, and returns when that is done; no channel
   * of the guest takes part, and neither buffer need be mapped. Needs {@link
   * Capability#BUFFER_COPIES}. EINVAL outside of a buffer.
   */
  default void copy(GpuMemory from, long fromOffset, GpuMemory to, long toOffset, long bytes) {
    throw Refusal.missing(Capability.BUFFER_COPIES, "copying between buffers");
  }

  /**
   * Computes the fingerprints of pages of 4096 bytes by the GPU, and returns when they are there.
   * Of a page, 512 little-endian words {@code m}, it is the sum over all i of {@code (m[2i] +
   * key[2i]) * (m[2i+1] + key[2i+1])}, sums of words modulo 2<sup>64</sup>, of whose 128-bit
   * products the low and the high halves are summed apart: two words. Needs {@link
   * Capability#PAGE_FINGERPRINTS}. EINVAL outside of a buffer.
   *
   * @param key {@link #KEY_WORDS} words, not changed while this array is used
   * @param into receives 16 bytes a page, the low sum first
   * @param intoOffset a multiple of 16
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
   * Takes the drain of this guest's channels a step further, for one who waits for it and would not
   * wait for the thread of {@link Gpu#poll}.
   *
   * <p>Three callers take such steps, one at a time, as each has the lock of this open meanwhile.
   * The share thread of the GPU, by {@link Gpu#poll}, takes those that nobody waits for. A move
   * that waits for a drain ({@link io.sluice.channel.guest.GuestMove#drain}) calls this whenever it
   * looks, since the guest stands still until the drain is over. And {@link Channel#attach} takes
   * one of its own, so that a channel that has drained goes on when that call returns, and not a
   * period of the share thread later. A step follows from the channels' states and the time alone,
   * so it does not matter who takes it, nor how often.
   *
   * @param nowNs {@link Gpu#timeNs}
   */
  default void poll(long nowNs) {}

  /** What the backend accounts to this guest. */
  MemoryUsage usage();

  /**
   * This guest's part of GPU time relative to the other guests, whatever channels it has; needs
   * {@link Capability#TIME_SHARES}.
   *
   * @param weight 1 to 1024
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
   * @param sizeBytes bytes, rounded up by the backend
   * @param apertureOffset where in the aperture, when restoring; otherwise empty
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

    /** A file and offset to map the buffer by, for process guests; the caller closes the fd. */
    SharedArea share();

    /**
     * Fills part of a registered buffer; it can be mapped once no part is missing.
     *
     * @param extents at most {@link GuestLimits#MAX_EXTENTS}
     */
    void setPages(long offset, List<RegionExtent> extents);

    /**
     * Which pages the GPU wrote; needs {@link Capability#DIRTY_TRACKING}.
     *
     * @param firstPage first page asked about
     * @param pages number of pages, at most {@link #MAX_DIRTY_PAGES}
     * @param clear forget them in the same step, so that no write falls between
     * @param bitmap receives one bit per page, lowest first; as long as the pages need
     */
    void readDirty(long firstPage, int pages, boolean clear, MemorySegment bitmap);

    /**
     * Moves a buffer of video memory to system memory, or back; its GPU addresses stay. Channels
     * that use it are suspended by the caller. Needs {@link Capability#EVICTION}. ENOMEM when there
     * is no room, EINVAL for a buffer that was not allocated in video memory.
     *
     * @param system whether it becomes system memory
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
