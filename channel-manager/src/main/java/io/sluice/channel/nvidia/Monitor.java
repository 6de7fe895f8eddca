package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Limits;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Our own eyes and hands on what a guest's GPU memory holds: an address space beside the guest's,
 * into which its objects are mapped a second time, and a channel there on a copy engine that no
 * guest is given. It sees the page that a channel reads its GP_PUT from after the guest's was
 * replaced, and copies video memory at the speed of the bus. Guarded by the open's lock.
 */
final class Monitor implements AutoCloseable {
  private static final GpuVa RING = new GpuVa(0x10_0000_0000L);
  private static final GpuVa ANSWERS = new GpuVa(RING.value() + HopperRing.SIZE_BYTES);
  private static final long ALIASES = 0x20_0000_0000L;

  private static final long MAX_PIECE_BYTES = 1L << 31;

  /** Longer than any copy that is asked of it in one piece takes. */
  private static final long LIMIT_NS = 5_000_000_000L;

  private final NvidiaGuestGpu gpu;
  private final NvidiaAddressSpace space;
  private final SharedPages memory;
  private final SharedPages pages;
  private final int object;
  private final HardwareChannel channel;
  private final HopperRing ring;
  private final AddressRanges aliases = new AddressRanges();
  private final HopperCommands commands = new HopperCommands();
  private boolean bound;

  private Monitor(
      NvidiaGuestGpu gpu,
      NvidiaAddressSpace space,
      SharedPages memory,
      SharedPages pages,
      int object,
      HardwareChannel channel) {
    this.gpu = gpu;
    this.space = space;
    this.memory = memory;
    this.pages = pages;
    this.object = object;
    this.channel = channel;
    ring = new HopperRing(memory.all(), pages.page(0), gpu.doorbellPage().page(), RING);
  }

  static Monitor open(NvidiaGuestGpu gpu) {
    Kernel kernel = gpu.kernel();
    RmClient client = gpu.client();
    List<Runnable> undo = new ArrayList<>();
    boolean complete = false;
    try {
      NvidiaAddressSpace space = NvidiaAddressSpace.create(gpu);
      undo.add(space::release);
      long bytes = HopperRing.SIZE_BYTES + Limits.PAGE_BYTES;
      SharedPages memory = SharedPages.create(kernel, "sluice-monitor", bytes);
      undo.add(memory::close);
      SharedPages pages = SharedPages.create(kernel, "sluice-monitor-page", 2 * Limits.PAGE_BYTES);
      undo.add(pages::close);
      int object = client.registerMemory(memory.all());
      undo.add(() -> client.free(client.device(), object));
      space.mapObject(object, bytes, RING.value());
      HardwareChannel channel =
          HardwareChannel.create(
              client,
              new HardwareChannel.Plan(
                  space.object(),
                  gpu.copyEngines().ofMonitors(),
                  RING,
                  HopperRing.ENTRIES,
                  pages.page(0),
                  pages.page(1)),
              false);
      new UserdWords(pages.page(0)).publish(channel.token());
      complete = true;
      return new Monitor(gpu, space, memory, pages, object, channel);
    } finally {
      if (!complete) {
        undo.reversed().forEach(Runnable::run);
      }
    }
  }

  /** Where everything of the guest's is mapped that was ever asked for. */
  NvidiaAddressSpace space() {
    return space;
  }

  /** A token whose doorbell is ours: ringing it does nothing to anybody. */
  int token() {
    return channel.token();
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
    bind().copy(new GpuVa(userd.value() + GuestAbi.USERD_GP_GET), ANSWERS, 2 * Integer.BYTES);
    run();
    MemorySegment answers = memory.all().asSlice(HopperRing.SIZE_BYTES);
    return new RingPointers(answers.get(Layouts.U32, 0), answers.get(Layouts.U32, 4));
  }

  /**
   * @param get next entry to fetch
   * @param put first entry that was not put
   */
  record RingPointers(int get, int put) {}

  /** Copies a few bytes, a page at most, to where the CPU reads them. */
  void peek(GpuVa from, MemorySegment into) {
    bind().copy(from, ANSWERS, into.byteSize());
    run();
    MemorySegment.copy(memory.all(), HopperRing.SIZE_BYTES, into, 0, into.byteSize());
  }

  /** Has the GPU store a word, where no CPU can any more. */
  void store(GpuVa address, int word) {
    bind().store(address, word);
    run();
  }

  /** Copies, by at most 2 GiB at a time. */
  void copy(GpuVa from, GpuVa to, long bytes) {
    copy(List.of(new Copy(from, to, bytes)), () -> {});
  }

  /** A copy to be made. */
  record Copy(GpuVa from, GpuVa to, long bytes) {}

  /**
   * Copies.
   *
   * @param meanwhile is done while the engine works
   */
  void copy(List<Copy> copies, Runnable meanwhile) {
    long last = 0;
    for (Copy copy : copies) {
      long piece;
      for (long at = 0; at < copy.bytes(); at += piece) {
        piece = Math.min(copy.bytes() - at, MAX_PIECE_BYTES);
        bind().copy(after(copy.from(), at), after(copy.to(), at), piece);
        if (ring.isFull()) {
          await(last);
        }
        last = ring.submitWithRelease(commands);
      }
    }
    try {
      meanwhile.run();
    } finally {
      await(last);
    }
  }

  private static GpuVa after(GpuVa start, long bytes) {
    return new GpuVa(start.value() + bytes);
  }

  private HopperCommands bind() {
    commands.clear();
    if (!bound) {
      bound = true;
      commands.bindCopy();
    }
    return commands;
  }

  private void run() {
    await(ring.submitWithRelease(commands));
  }

  private void await(long done) {
    if (!ring.await(done, gpu::timeNs, LIMIT_NS)) {
      throw RmRefusal.monitorStuck();
    }
  }

  @Override
  public void close() {
    channel.destroy();
    space.unmapObject(object, HopperRing.SIZE_BYTES + Limits.PAGE_BYTES, RING.value());
    gpu.client().free(gpu.client().device(), object);
    space.release();
    memory.close();
    pages.close();
  }
}
