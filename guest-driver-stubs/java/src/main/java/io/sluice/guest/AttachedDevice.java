package io.sluice.guest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.guest.ChanNew;
import io.sluice.abi.guest.ChanQuery;
import io.sluice.abi.guest.Extent;
import io.sluice.abi.guest.FifoInitIb;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.guest.HandleArgs;
import io.sluice.abi.guest.ObjEngNew;
import io.sluice.abi.guest.Ping;
import io.sluice.abi.guest.SetupSegment;
import io.sluice.abi.pscnv.PscnvLimits;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A Sluice device attached to this process: calls, buffers, address spaces and channels.
 *
 * <p>Submitting work on a channel writes memory only; everything else is a call to the host. May be
 * used from several threads. Closing it detaches: the host then frees all this guest held, and the
 * buffers it still has are unmapped.
 */
public final class AttachedDevice implements AutoCloseable {
  private static final long CONTROL_PAGE_BYTES = PscnvLimits.CONTROL_PAGE_BYTES;
  private static final int PAGE = VfioUserClient.PAGE_BYTES;
  private static final long FIRST_IOVA = 1L << 32;

  private final Kernel kernel;
  private final Set<Mapping> mappings = ConcurrentHashMap.newKeySet();
  private final MemorySegment list;
  private final long listIova;
  private final Interrupts interrupts;
  private volatile DeviceLink link;
  private volatile Bars bars;
  private volatile CallPort calls;
  private volatile int moves;

  @GuardedBy("this")
  private long nextIova = FIRST_IOVA;

  private AttachedDevice(Kernel kernel, DeviceLink link) {
    this.kernel = kernel;
    this.link = link;
    boolean attached = false;
    try {
      int magic = register(GuestAbi.REG_MAGIC);
      int major = register(GuestAbi.REG_VERSION) >>> 16;
      if (magic != GuestAbi.MAGIC || major != GuestAbi.ABI_MAJOR) {
        throw new DeviceLostException(
            "not a Sluice device of ABI %d: magic=0x%x major=%d"
                .formatted(GuestAbi.ABI_MAJOR, magic, major));
      }
      this.bars = mapBars(link);
      MemorySegment callBar = bars.calls().segment();
      this.interrupts =
          new Interrupts(
              kernel,
              callBar,
              link.host(),
              register(GuestAbi.REG_NUM_VECTORS),
              register(GuestAbi.REG_NUM_CHANNELS));
      link.vectors(interrupts.vectors());
      this.calls = newCalls(callBar, link);
      this.listIova = takeIova(PAGE);
      this.list = shareMemory("sluice-list", PAGE, listIova).segment();
      attached = true;
    } finally {
      if (!attached) {
        closeMappings();
        link.close();
      }
    }
  }

  /**
   * Attaches to a guest's socket.
   *
   * @throws DeviceLostException when nothing of this ABI serves it
   */
  public static AttachedDevice attach(Kernel kernel, Path socket) {
    return new AttachedDevice(kernel, VfioUserClient.connect(kernel, socket));
  }

  /**
   * Attaches to a device of this machine that is bound to vfio-pci, through the kernel's VFIO. The
   * device must be allowed to be bus master, or it cannot interrupt.
   *
   * @param group number of its IOMMU group
   * @param address its PCI address, {@code 0000:01:00.0}
   * @throws DeviceLostException when it is nothing of this ABI
   */
  public static AttachedDevice attach(Kernel kernel, int group, String address) {
    return new AttachedDevice(kernel, KernelVfioLink.open(kernel, group, address));
  }

  /** The mapped regions of a device; null for those that it has not. */
  private record Bars(
      Mapping calls, Mapping control, @Nullable Mapping aperture, @Nullable Mapping doorbell) {}

  private Bars mapBars(DeviceLink from) {
    int capabilities = from.read(GuestAbi.REG_CAPS_LO);
    return new Bars(
        map(from, GuestAbi.BAR_CALLS),
        map(from, GuestAbi.BAR_CONTROL),
        (capabilities & GuestAbi.CAP_VRAM_APERTURE) != 0 ? map(from, GuestAbi.BAR_VRAM) : null,
        (capabilities & GuestAbi.CAP_DOORBELL) != 0 ? map(from, GuestAbi.BAR_DOORBELL) : null);
  }

  private Mapping map(DeviceLink from, int region) {
    Mapping mapping = from.map(region);
    mappings.add(mapping);
    return mapping;
  }

  private void unmap(Bars gone) {
    unshare(gone.calls());
    unshare(gone.control());
    if (gone.aperture() != null) {
      unshare(gone.aperture());
    }
    if (gone.doorbell() != null) {
      unshare(gone.doorbell());
    }
  }

  private CallPort newCalls(MemorySegment bar, DeviceLink over) {
    return new CallPort(
        bar, slots -> over.writeEach(GuestAbi.REG_CALL, slots), interrupts::awaitCompletion);
  }

  // ---- moving ----

  Kernel kernel() {
    return kernel;
  }

  /** What serves it, when this process talks to that itself. */
  Optional<VfioUserClient> client() {
    return link instanceof VfioUserClient client ? Optional.of(client) : Optional.empty();
  }

  /** How often the device has moved. */
  int moves() {
    return moves;
  }

  /** The device is at another server now, where it stands still; the former one is let go of. */
  void moved(DeviceLink to) {
    Bars there = mapBars(to);
    Bars before = bars;
    DeviceLink from = link;
    to.vectors(interrupts.vectors());
    interrupts.rebind(there.calls().segment(), to.host());
    bars = there;
    calls = newCalls(there.calls().segment(), to);
    link = to;
    moves++;
    from.close();
    unmap(before);
  }

  /** A register of BAR 0: a round trip. */
  public int register(int offset) {
    return link.read(offset);
  }

  /** Writes a register of BAR 0: a round trip. */
  public void writeRegister(int offset, int value) {
    link.write(offset, value);
  }

  /** A call that does nothing: echoes a value. */
  public long ping(long value) {
    return calls.call(
        "PING", GuestAbi.CALL_PING, a -> Ping.VALUE.set(a, value), a -> Ping.ECHO.get(a));
  }

  /** A buffer in video memory. */
  public Buffer allocateVideo(long sizeBytes) {
    Buffer[] made = new Buffer[1];
    call(
        DeviceCalls.memAlloc(
            sizeBytes,
            (handle, offset, bytes) ->
                made[0] =
                    new DeviceBuffer(
                        handle,
                        OptionalLong.empty(),
                        () -> aperture(offset, bytes),
                        () -> call(DeviceCalls.memFree(handle)))));
    return made[0];
  }

  /** A part of video memory; empty without an aperture. */
  MemorySegment aperture(long offset, long sizeBytes) {
    Mapping mapped = bars.aperture();
    return mapped == null ? MemorySegment.NULL : mapped.segment().asSlice(offset, sizeBytes);
  }

  /**
   * A buffer of this process' memory.
   *
   * @param sizeBytes a multiple of 4096
   */
  public Buffer allocateProcess(long sizeBytes) {
    long iova = takeIova(sizeBytes);
    Mapping mapping = shareMemory("sluice-buffer", sizeBytes, iova);
    int[] handle = new int[1];
    call(DeviceCalls.memRegister(sizeBytes, made -> handle[0] = made));
    withList(list -> call(DeviceCalls.memPages(handle[0], list.add(iova, sizeBytes))));
    return new DeviceBuffer(
        handle[0], OptionalLong.of(iova), mapping::segment, () -> free(handle[0], iova, mapping));
  }

  /** Frees a buffer and takes the memory back; channels that still map it end. */
  private void free(int handle, long iova, Mapping mapping) {
    long size = mapping.sizeBytes();
    try {
      call(DeviceCalls.memFree(handle));
      unmapDma(iova, size);
    } finally {
      unshare(mapping);
    }
  }

  /**
   * Bus address of a buffer in this process' memory.
   *
   * @throws IllegalArgumentException for one in video memory
   */
  public long busAddress(Buffer buffer) {
    return switch (buffer) {
      case DeviceBuffer made ->
          made.busAddress()
              .orElseThrow(() -> new IllegalArgumentException("video memory is not on the bus"));
    };
  }

  /** Lists of extents for the host to read, in the page that is kept for them. */
  final class ExtentList {
    private long used;

    private ExtentList() {}

    /** Adds a list of one extent; returns its bus address. */
    long add(long iova, long sizeBytes) {
      if (used == PAGE) {
        throw new IllegalArgumentException("more buffers at once than a page has extents");
      }
      Extent.IOVA.set(list, used, iova);
      Extent.BYTES.set(list, used, sizeBytes);
      used += Extent.SIZE;
      return listIova + used - Extent.SIZE;
    }
  }

  /** Has calls made that name lists. */
  synchronized void withList(Consumer<ExtentList> action) {
    action.accept(new ExtentList());
  }

  /** A new, empty address space. */
  public Space newSpace() {
    int vid =
        (int)
            calls.call(
                "VSPACE_NEW", GuestAbi.CALL_VSPACE_NEW, _ -> {}, a -> HandleArgs.HANDLE.bits(a));
    return new Space(this, vid);
  }

  /**
   * Frees all this guest holds, and waits for the new generation.
   *
   * @return the new generation
   */
  public int reset() {
    link.reset();
    return register(GuestAbi.REG_GENERATION);
  }

  /** State of a channel, SLUICE_CHANNEL_*, as the host tells it. */
  int channelState(int cid) {
    return (int)
        calls.call(
            "CHAN_QUERY",
            GuestAbi.CALL_CHAN_QUERY,
            a -> ChanQuery.CID.setBits(a, cid),
            a -> ChanQuery.STATE.bits(a));
  }

  Interrupts interrupts() {
    return interrupts;
  }

  /** Throws when the host has ended: nothing comes from it any more. */
  void requireHost() {
    if (interrupts.isHostGone()) {
      throw new DeviceLostException("the device's host has ended");
    }
  }

  /** The doorbell page; empty on a GPU that watches GP_PUT instead. */
  public MemorySegment doorbell() {
    Mapping mapped = bars.doorbell();
    return mapped == null ? MemorySegment.NULL : mapped.segment();
  }

  /**
   * Maps the doorbell page anew: that of the GPU where the device is now, which may be another one
   * when the generation in control pages has changed. The former mapping stays.
   */
  public MemorySegment mapDoorbell() {
    return map(link, GuestAbi.BAR_DOORBELL).segment();
  }

  /** The control page of a channel. */
  public MemorySegment controlPage(int cid) {
    return bars.control().segment().asSlice(cid * CONTROL_PAGE_BYTES, CONTROL_PAGE_BYTES);
  }

  /**
   * A channel without a ring, for those who submit in a manner of their own; freed with its address
   * space's guest, or by a reset.
   *
   * @param classes engine classes it will use
   * @return the guest's id of it
   */
  public int newChannel(Space space, int... classes) {
    int cid = newChannel(space.id());
    for (int objectClass : classes) {
      calls.call(
          "OBJ_ENG_NEW",
          GuestAbi.CALL_OBJ_ENG_NEW,
          a -> {
            ObjEngNew.CID.setBits(a, cid);
            ObjEngNew.HANDLE.setBits(a, objectClass);
            ObjEngNew.OCLASS.setBits(a, objectClass);
          });
    }
    return cid;
  }

  int newChannel(int vid) {
    return (int)
        calls.call(
            "CHAN_NEW",
            GuestAbi.CALL_CHAN_NEW,
            a -> ChanNew.VID.setBits(a, vid),
            a -> ChanNew.CID.bits(a));
  }

  /**
   * Gives a channel its ring.
   *
   * @param ringAddress GPU address of the ring
   * @param ringOrder it has 1 &lt;&lt; ringOrder entries
   */
  public void startChannel(int cid, long ringAddress, int ringOrder) {
    calls.call(
        "FIFO_INIT_IB",
        GuestAbi.CALL_FIFO_INIT_IB,
        a -> {
          FifoInitIb.CID.setBits(a, cid);
          FifoInitIb.SLIMASK.set(a, 1);
          FifoInitIb.IB_ORDER.setBits(a, ringOrder);
          FifoInitIb.IB_START.set(a, ringAddress);
        });
  }

  /**
   * Tells the host by which words a channel's engines are set up, should it have to go on in
   * another channel of the hardware.
   *
   * @param words methods with their headers, at most 1024
   */
  public synchronized void setupSegment(int cid, int[] words) {
    if (words.length * 4L > list.byteSize()) {
      throw new IllegalArgumentException("too long, words=" + words.length);
    }
    MemorySegment.copy(words, 0, list, ValueLayout.JAVA_INT, 0, words.length);
    calls.call(
        "SETUP_SEGMENT",
        GuestAbi.CALL_SETUP_SEGMENT,
        a -> {
          SetupSegment.CID.setBits(a, cid);
          SetupSegment.WORDS.set(a, words.length);
          SetupSegment.IOVA.set(a, listIova);
        });
  }

  /** Makes a call. */
  void call(CallPort.DeviceCall one) {
    calls.callAll(List.of(one));
  }

  /** Makes calls, and waits once. */
  void callAll(List<CallPort.DeviceCall> all) {
    calls.callAll(all);
  }

  void unmapDma(long iova, long sizeBytes) {
    link.unshare(iova, sizeBytes);
  }

  synchronized long takeIova(long sizeBytes) {
    long iova = nextIova;
    nextIova += sizeBytes;
    return iova;
  }

  Mapping shareMemory(String name, long sizeBytes, long iova) {
    try (Fd fd = kernel.memfdCreate(name, sizeBytes)) {
      kernel.addSeals(fd, Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW);
      Mapping mapping = kernel.mmap(fd, 0, sizeBytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
      mappings.add(mapping);
      link.share(fd, mapping, iova);
      return mapping;
    }
  }

  /** Unmaps memory that was shared, unless that was done already. */
  void unshare(Mapping mapping) {
    if (mappings.remove(mapping)) {
      mapping.close();
    }
  }

  private void closeMappings() {
    mappings.forEach(this::unshare);
  }

  @Override
  public void close() {
    link.close();
    interrupts.close();
    closeMappings();
  }
}
