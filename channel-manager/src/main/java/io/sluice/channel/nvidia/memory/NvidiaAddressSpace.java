package io.sluice.channel.nvidia.memory;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.ioctl.Nvos46MapMemoryDma;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.nvidia.rm.AddressRanges;
import io.sluice.channel.nvidia.rm.Piece;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.RmSpace;
import io.sluice.channel.nvidia.submit.Monitor;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An address space of RM. Addresses are chosen here, since they must be the guest's; nothing of
 * ours is mapped in it. Guarded by the open's lock.
 */
public final class NvidiaAddressSpace implements AddressSpace {
  private static final Logger log = LoggerFactory.getLogger(NvidiaAddressSpace.class);

  /** Lowest address that RM maps at. */
  static final long FIRST_ADDRESS = 0x10_0000;

  // Where RM puts buffers of its own when a context is made.
  private static final long RM_START = 0x1_0000_0000L;

  /** From here on, {@link #OURS_BYTES} are ours, behind what RM keeps for itself. */
  public static final long OURS = 0x2_0000_0000L;

  static final long OURS_BYTES = 0x1000_0000L;

  private final RmOpen open;
  private final Monitor monitor;
  private final RmSpace space;
  private final SpaceOwner owner;
  private final AddressRanges ranges = new AddressRanges();
  private final TreeMap<Long, NvidiaMemory> entries = new TreeMap<>();
  private int channels;
  private boolean closed;

  /** The open that an address space belongs to. */
  public interface SpaceOwner {
    /** Makes a channel in it. */
    Channel createChannel(NvidiaAddressSpace space, OptionalInt id);

    /** It is gone. */
    void closed(NvidiaAddressSpace space);
  }

  private NvidiaAddressSpace(RmOpen open, Monitor monitor, RmSpace space, SpaceOwner owner) {
    this.open = open;
    this.monitor = monitor;
    this.space = space;
    this.owner = owner;
    ranges.take(RM_START, OURS + OURS_BYTES - RM_START);
  }

  public static NvidiaAddressSpace create(RmOpen open, Monitor monitor, SpaceOwner owner) {
    return new NvidiaAddressSpace(open, monitor, RmSpace.create(open.client()), owner);
  }

  /** As RM has it. */
  public RmSpace space() {
    return space;
  }

  @Override
  public GpuVa map(GpuMemory memory, GpuVa start, GpuVa end, boolean highestFirst) {
    if (!(memory instanceof NvidiaMemory buffer) || !buffer.isOf(open)) {
      throw new IllegalArgumentException("a buffer of another open, memory=" + memory);
    }
    return open.lock()
        .ask(() -> {
          long address = choose(buffer, start.value(), end.value(), highestFirst);
          mapPieces(buffer, address);
          ranges.take(address, buffer.sizeBytes());
          entries.put(address, buffer);
          buffer.mapped();
          return new GpuVa(address);
        });
  }

  private void mapPieces(NvidiaMemory buffer, long address) {
    boolean aligned = address % buffer.alignment() == 0;
    int flags = aligned ? 0 : Nvos46MapMemoryDma.FLAGS_PAGE_SIZE_4KB;
    List<Piece> done = new ArrayList<>();
    boolean complete = false;
    try {
      for (Piece piece : buffer.pieces()) {
        space.map(piece.object(), piece.bytes(), address + piece.offset(), flags);
        done.add(piece);
      }
      complete = true;
    } finally {
      if (!complete) {
        done.forEach(piece -> unmap(piece, address));
      }
    }
  }

  private void unmapPieces(NvidiaMemory buffer, long address) {
    buffer.pieces().forEach(piece -> unmap(piece, address));
  }

  /** Aligned to the pages of the buffer if there is room for that, else to the smallest. */
  private long choose(NvidiaMemory buffer, long start, long end, boolean highestFirst) {
    long low = Math.max(start, FIRST_ADDRESS);
    long high = Math.min(end, RmSpace.END);
    OptionalLong found =
        ranges.find(low, high, buffer.sizeBytes(), buffer.alignment(), highestFirst);
    if (found.isEmpty()) {
      found = ranges.find(low, high, buffer.sizeBytes(), GuestLimits.PAGE_BYTES, highestFirst);
    }
    return found.orElseThrow(() ->
        RmRefusal.noRoom(
            "no room, start=0x"
                + Long.toHexString(start)
                + " end=0x"
                + Long.toHexString(end)
                + " bytes="
                + buffer.sizeBytes()));
  }

  @Override
  public void unmap(GpuVa address) {
    open.lock()
        .run(() -> {
          Map.Entry<Long, NvidiaMemory> at = entries.floorEntry(address.value());
          if (at == null || address.value() - at.getKey() >= at.getValue().sizeBytes()) {
            throw RmRefusal.notThere("nothing is mapped there, address=" + address);
          }
          remove(at.getKey(), at.getValue());
        });
  }

  private void remove(long address, NvidiaMemory memory) {
    // Pieces of a region that was closed are unmapped already, and no longer among them.
    unmapPieces(memory, address);
    entries.remove(address);
    ranges.giveBack(address);
    memory.unmapped();
  }

  private void unmap(Piece piece, long address) {
    space.unmap(piece.object(), piece.bytes(), address + piece.offset());
  }

  // ---- what is ours ----

  /** A place where an object of ours stands instead of the guest's buffers, until it is closed. */
  public interface Hole extends AutoCloseable {
    @Override
    void close();
  }

  /** Maps an object of ours in place of whatever buffers overlap it. */
  public Hole replace(int object, long bytes, long address) {
    List<Map.Entry<Long, NvidiaMemory>> moved = new ArrayList<>();
    for (Map.Entry<Long, NvidiaMemory> entry : entries.entrySet()) {
      long start = entry.getKey();
      if (start < address + bytes && address < start + entry.getValue().sizeBytes()) {
        moved.add(Map.entry(start, entry.getValue()));
      }
    }
    moved.forEach(entry -> unmapPieces(entry.getValue(), entry.getKey()));
    boolean complete = false;
    try {
      space.map(object, bytes, address);
      complete = true;
    } finally {
      if (!complete) {
        moved.forEach(entry -> mapPieces(entry.getValue(), entry.getKey()));
      }
    }
    return new Hole() {
      private boolean closed;

      @Override
      public void close() {
        if (!closed) {
          closed = true;
          space.unmap(object, bytes, address);
          mapAgain(moved);
        }
      }
    };
  }

  private void mapAgain(List<Map.Entry<Long, NvidiaMemory>> moved) {
    boolean all = true;
    for (Map.Entry<Long, NvidiaMemory> entry : moved) {
      all &= mapAgain(entry.getKey(), entry.getValue());
    }
    if (!all) {
      throw RmRefusal.notBack();
    }
  }

  /** Whether a buffer that was mapped is so again; if not it is gone from there for good. */
  private boolean mapAgain(long address, NvidiaMemory buffer) {
    try {
      mapPieces(buffer, address);
      return true;
    } catch (RefusedException e) {
      log.atWarn()
          .addKeyValue("address", Long.toHexString(address))
          .setCause(e)
          .log("a buffer could not be mapped again");
      entries.remove(address);
      ranges.giveBack(address);
      buffer.unmapped();
      return false;
    }
  }

  /**
   * The CPU's view of a few bytes at an address.
   *
   * @throws io.sluice.abi.RefusedException nothing is mapped there, or no host memory
   */
  public MemorySegment cpu(long address, long bytes) {
    Map.Entry<Long, NvidiaMemory> at = entries.floorEntry(address);
    if (at == null || address - at.getKey() > at.getValue().sizeBytes() - bytes) {
      throw RmRefusal.notThere("nothing is mapped there, address=0x" + Long.toHexString(address));
    }
    return at.getValue().cpu(address - at.getKey(), bytes);
  }

  /**
   * Copies what the guest has at an address, as the GPU would see it.
   *
   * @param into no more than is left of the page
   * @return false when there is nothing that can be read
   */
  public boolean peek(long address, MemorySegment into) {
    Map.Entry<Long, NvidiaMemory> at = entries.floorEntry(address);
    if (at == null || address - at.getKey() > at.getValue().sizeBytes() - into.byteSize()) {
      return false;
    }
    NvidiaMemory memory = at.getValue();
    long offset = address - at.getKey();
    try {
      if (!(memory instanceof NvidiaMemory.Video)) {
        MemorySegment.copy(memory.cpu(offset, into.byteSize()), 0, into, 0, into.byteSize());
      } else {
        monitor.peek(new GpuVa(memory.alias().value() + offset), into);
      }
      return true;
    } catch (RefusedException e) {
      log.atDebug().addKeyValue("address", Long.toHexString(address)).setCause(e).log("no peeking");
      return false;
    }
  }

  /** Takes a buffer's pieces out at all its addresses. */
  void unmapAll(NvidiaMemory memory) {
    entries.forEach((address, buffer) -> {
      if (buffer == memory) {
        unmapPieces(buffer, address);
      }
    });
  }

  /** Puts the pieces that a buffer has now in, where it was; whether that was possible. */
  boolean mapAllAgain(NvidiaMemory memory) {
    boolean all = true;
    for (Map.Entry<Long, NvidiaMemory> entry : List.copyOf(entries.entrySet())) {
      all &= entry.getValue() != memory || mapAgain(entry.getKey(), memory);
    }
    return all;
  }

  public boolean maps(NvidiaMemory memory) {
    return entries.containsValue(memory);
  }

  @Override
  public Channel createChannel(OptionalInt id) {
    return open.lock()
        .ask(() -> {
          if (closed) {
            throw RmRefusal.notThere("the address space is closed");
          }
          Channel channel = owner.createChannel(this, id);
          channels++;
          return channel;
        });
  }

  public void channelClosed() {
    channels--;
    releaseIfUnused();
  }

  @Override
  public void close() {
    open.lock()
        .run(() -> {
          if (!closed) {
            closed = true;
            releaseIfUnused();
          }
        });
  }

  private void releaseIfUnused() {
    if (!closed || channels > 0) {
      return;
    }
    for (Map.Entry<Long, NvidiaMemory> entry : List.copyOf(entries.entrySet())) {
      remove(entry.getKey(), entry.getValue());
    }
    release();
    owner.closed(this);
  }

  /** Frees the objects of one that nothing uses. */
  public void release() {
    space.release();
  }
}
