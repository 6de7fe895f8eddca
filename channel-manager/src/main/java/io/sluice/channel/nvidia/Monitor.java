package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.guest.GuestAbi;
import java.lang.foreign.MemorySegment;
import java.util.TreeMap;

/**
 * Our own eyes and hands on what a guest's GPU memory holds: an address space beside the guest's,
 * into which its objects are mapped a second time, and a channel there on a copy engine that no
 * guest is given. It sees the page that a channel reads its GP_PUT from after the guest's was
 * replaced, and copies video memory at the speed of the bus. Guarded by the open's lock.
 */
final class Monitor implements AutoCloseable {
  private static final long RINGS = 0x10_0000_0000L;
  private static final long BYTES_PER_RING = 1L << 24;
  private static final long ALIASES = 0x20_0000_0000L;

  private final NvidiaGuestGpu gpu;
  private final NvidiaAddressSpace space;
  private final CopyQueue queue;
  private final AddressRanges aliases = new AddressRanges();

  /** Beside {@link #queue}, by engine; made when they are needed first. */
  private final TreeMap<Integer, CopyQueue> others = new TreeMap<>();

  private Monitor(NvidiaGuestGpu gpu, NvidiaAddressSpace space, CopyQueue queue) {
    this.gpu = gpu;
    this.space = space;
    this.queue = queue;
  }

  static Monitor open(NvidiaGuestGpu gpu) {
    NvidiaAddressSpace space = NvidiaAddressSpace.create(gpu);
    boolean complete = false;
    try {
      CopyQueue queue = open(gpu, space, gpu.copyEngines().ofMonitors());
      complete = true;
      return new Monitor(gpu, space, queue);
    } finally {
      if (!complete) {
        space.release();
      }
    }
  }

  private static CopyQueue open(NvidiaGuestGpu gpu, NvidiaAddressSpace space, int engine) {
    return CopyQueue.open(gpu, space, engine, new GpuVa(RINGS + engine * BYTES_PER_RING));
  }

  /** Where everything of the guest's is mapped that was ever asked for. */
  NvidiaAddressSpace space() {
    return space;
  }

  /** A token whose doorbell is ours: ringing it does nothing to anybody. */
  int token() {
    return queue.token();
  }

  /** Another channel here, on an engine. */
  CopyQueue queue(int engine) {
    return engine == gpu.copyEngines().ofMonitors()
        ? queue
        : others.computeIfAbsent(engine, _ -> open(gpu, space, engine));
  }

  /**
   * Maps an object here.
   *
   * @param alignment of its pages
   */
  GpuVa alias(int object, long bytes, long alignment) {
    GpuVa address = range(bytes, alignment);
    space.mapObject(object, bytes, address.value());
    return address;
  }

  void removeAlias(int object, long bytes, GpuVa address) {
    space.unmapObject(object, bytes, address.value());
    aliases.giveBack(address.value());
  }

  /** Maps all pieces of a buffer here, as one range. */
  GpuVa alias(NvidiaMemory memory) {
    GpuVa address = range(memory.sizeBytes(), memory.alignment());
    for (NvidiaMemory.Piece piece : memory.pieces()) {
      space.mapObject(piece.object(), piece.bytes(), address.value() + piece.offset());
    }
    return address;
  }

  /** Whatever pieces the buffer has now: those that are gone were unmapped when they were freed. */
  void removeAlias(NvidiaMemory memory, GpuVa address) {
    for (NvidiaMemory.Piece piece : memory.pieces()) {
      space.unmapObject(piece.object(), piece.bytes(), address.value() + piece.offset());
    }
    aliases.giveBack(address.value());
  }

  private GpuVa range(long bytes, long alignment) {
    long address =
        aliases
            .find(ALIASES, NvidiaAddressSpace.END, bytes, alignment, false)
            .orElseThrow(() -> RmRefusal.noRoom("no room for an alias, bytes=" + bytes));
    aliases.take(address, bytes);
    return new GpuVa(address);
  }

  /** What GP_GET and GP_PUT the GPU sees, in the page that an alias shows. */
  RingPointers pointers(GpuVa userd) {
    MemorySegment words =
        queue.read(new GpuVa(userd.value() + GuestAbi.USERD_GP_GET), 2 * Integer.BYTES);
    return new RingPointers(words.get(Layouts.U32, 0), words.get(Layouts.U32, Integer.BYTES));
  }

  /** Copies a few bytes, a page at most, to where the CPU reads them. */
  void peek(GpuVa from, MemorySegment into) {
    MemorySegment.copy(queue.read(from, into.byteSize()), 0, into, 0, into.byteSize());
  }

  /** Has the GPU store a word, where no CPU can any more. */
  void store(GpuVa address, int word) {
    queue.store(address, word);
  }

  /** Copies. */
  void copy(GpuVa from, GpuVa to, long bytes) {
    queue.await(queue.copy(from, to, bytes));
  }

  @Override
  public void close() {
    others.values().forEach(CopyQueue::release);
    queue.release();
    space.release();
  }
}
