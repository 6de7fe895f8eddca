package io.sluice.channel.nvidia.submit;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.nvidia.rm.AddressRanges;
import io.sluice.channel.nvidia.rm.Piece;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.RmSpace;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Our own eyes and hands on what a guest's GPU memory holds: an address space beside the guest's,
 * into which its objects are mapped a second time, and a channel there on a copy engine that no
 * guest is given. It sees the page that a channel reads its GP_PUT from after the guest's was
 * replaced, and copies video memory at the speed of the bus. Guarded by the open's lock.
 */
public final class Monitor implements AutoCloseable {
  private static final long RINGS = 0x10_0000_0000L;
  private static final long BYTES_PER_RING = 1L << 24;
  private static final long ALIASES = 0x20_0000_0000L;

  private final RmOpen open;
  private final AddressRanges aliases = new AddressRanges();

  // Made when it is needed first.
  private @Nullable RmSpace space;
  private @Nullable PageHasher hasher;
  private final TreeMap<Integer, CopyQueue> queues = new TreeMap<>(); // by engine

  public Monitor(RmOpen open) {
    this.open = open;
  }

  private RmSpace space() {
    if (space == null) {
      space = RmSpace.create(open.client());
    }
    return space;
  }

  private CopyQueue queue() {
    return queue(open.copyEngines().ofMonitors());
  }

  /** A token whose doorbell is ours: ringing it does nothing to anybody. */
  public int token() {
    return queue().token();
  }

  /** A channel here, on an engine. */
  public CopyQueue queue(int engine) {
    CopyQueue made = queues.get(engine);
    if (made == null) {
      GpuVa start = new GpuVa(RINGS + engine * BYTES_PER_RING);
      made = CopyQueue.make(open, space(), engine, start);
      queues.put(engine, made);
    }
    return made;
  }

  /**
   * Maps an object here.
   *
   * @param alignment of its pages
   */
  public GpuVa alias(int object, long bytes, long alignment) {
    GpuVa address = range(bytes, alignment);
    space().map(object, bytes, address.value());
    return address;
  }

  public void removeAlias(int object, long bytes, GpuVa address) {
    space().unmap(object, bytes, address.value());
    aliases.giveBack(address.value());
  }

  /** Maps all pieces of a buffer here, as one range. */
  public GpuVa alias(List<Piece> pieces, long bytes, long alignment) {
    GpuVa address = range(bytes, alignment);
    for (Piece piece : pieces) {
      space().map(piece.object(), piece.bytes(), address.value() + piece.offset());
    }
    return address;
  }

  /** Whatever pieces the buffer has now: those that are gone were unmapped when they were freed. */
  public void removeAlias(List<Piece> pieces, GpuVa address) {
    for (Piece piece : pieces) {
      space().unmap(piece.object(), piece.bytes(), address.value() + piece.offset());
    }
    aliases.giveBack(address.value());
  }

  private GpuVa range(long bytes, long alignment) {
    long address =
        aliases
            .find(ALIASES, RmSpace.END, bytes, alignment, false)
            .orElseThrow(() -> RmRefusal.noRoom("no room for an alias, bytes=" + bytes));
    aliases.take(address, bytes);
    return new GpuVa(address);
  }

  /** What GP_GET and GP_PUT the GPU sees, in the page that an alias shows. */
  public RingPointers pointers(GpuVa userd) {
    MemorySegment words =
        queue().read(new GpuVa(userd.value() + GuestAbi.USERD_GP_GET), 2 * Integer.BYTES);
    return new RingPointers(words.get(Layouts.U32, 0), words.get(Layouts.U32, Integer.BYTES));
  }

  /** Copies a few bytes, a page at most, to where the CPU reads them. */
  public void peek(GpuVa from, MemorySegment into) {
    MemorySegment.copy(queue().read(from, into.byteSize()), 0, into, 0, into.byteSize());
  }

  /** Has the GPU store a word, where no CPU can any more. */
  public void store(GpuVa address, int word) {
    queue().store(address, word);
  }

  /** Copies. */
  public void copy(GpuVa from, GpuVa to, long bytes) {
    queue().await(queue().copy(from, to, bytes));
  }

  /**
   * Computes the fingerprints of pages, and waits for them.
   *
   * @param from address of the first page here
   * @param into where the sums go, here too
   */
  public void fingerprint(GpuVa from, int count, long[] key, GpuVa into) {
    if (hasher == null) {
      hasher = PageHasher.make(open, space());
    }
    hasher.run(from, count, key, into);
  }

  @Override
  public void close() {
    if (hasher != null) {
      hasher.close();
    }
    queues.values().forEach(CopyQueue::release);
    if (space != null) {
      space.release();
    }
  }
}
