package io.sluice.channel.guest;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.SluiceException;
import io.sluice.abi.pscnv.PscnvParam;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Capability;
import io.sluice.channel.CardSlots;
import io.sluice.channel.Gpu;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.GuestRoom;
import io.sluice.channel.Refusal;
import io.sluice.channel.SlotLimits;
import io.sluice.channel.state.GuestLimits;
import io.sluice.channel.table.Capabilities;
import io.sluice.channel.table.ControlPages;
import io.sluice.channel.table.TransitionCounters;
import io.sluice.quota.Quota;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One attached guest over one open of a GPU: its identity, its life and its lock. What it has is in
 * four rooms that lock themselves: {@link #buffers}, {@link #spaces}, {@link #channels}, {@link
 * #move}.
 *
 * <p>Every id is an index into a table of this guest's own with a named limit ({@link
 * GuestLimits}); what is no id of it is refused as pscnv does: ENOENT for channels and address
 * spaces, EBADF for memory. All refusals are {@link io.sluice.abi.RefusedException}.
 *
 * <p>Methods may be called from any thread; one lock guards the tables. {@link #dispatchEvents} is
 * called by one thread at a time and takes the lock for errors only, so that an interrupt never
 * waits for a call. The listener is called without the lock.
 */
public final class Guest implements EventSource, AutoCloseable {
  private final String name;
  private final Gpu gpu;
  private final Capabilities capabilities;
  private final GuestGpu backend;
  private final ControlPages pages;
  private final GuestListener listener;
  private final GuestLock lock;
  private final EventDispatcher dispatcher;

  private final GuestState state; // guarded by lock
  private final GuestBuffers buffers;
  private final GuestSpaces spaces;
  private final GuestChannels channels;
  private final GuestMove move;

  /**
   * Opens the GPU for a guest that shares it with no other.
   *
   * @param name the operator's name of it, for messages
   * @param listener told of interrupts and errors
   */
  public Guest(String name, Gpu gpu, Kernel kernel, GuestListener listener) {
    this(name, gpu, new GuestRoom(new CardSlots(SlotLimits.NONE)), kernel, listener);
  }

  /**
   * Opens the GPU for a guest.
   *
   * @param name the operator's name of it, by which its slots admitted it
   * @param room that it has beside others; slots are those of this GPU
   * @param listener told of interrupts and errors
   */
  public Guest(String name, Gpu gpu, GuestRoom room, Kernel kernel, GuestListener listener) {
    this(name, gpu, gpu.open(name), room, kernel, listener);
  }

  /**
   * Takes a guest's memory over, which another daemon of this host has given away; see {@link
   * Gpu#adopt}. What it holds comes with its state records. It counts as given away until {@link
   * #giveAway} says otherwise: the other daemon may keep it.
   */
  public static Guest adopting(
      String name,
      Gpu gpu,
      Gpu.AdoptedFiles files,
      GuestRoom room,
      Kernel kernel,
      GuestListener listener) {
    Guest guest = new Guest(name, gpu, gpu.adopt(name, files), room, kernel, listener);
    guest.giveAway(true);
    return guest;
  }

  /**
   * Makes a guest of an open of its GPU, which is closed with it or when this fails.
   *
   * @param name the operator's name of it, by which its slots admitted it
   * @param room that it has beside others; slots are those of this GPU
   * @param listener told of interrupts and errors
   */
  private Guest(
      String name,
      Gpu gpu,
      GuestGpu backend,
      GuestRoom room,
      Kernel kernel,
      GuestListener listener) {
    this.backend = backend;
    this.name = name;
    this.gpu = gpu;
    this.listener = listener;
    GpuInfo info = gpu.info();
    capabilities = new Capabilities(gpu.capabilities());
    try {
      pages = ControlPages.of(backend, capabilities, info.maxChannels(), kernel);
    } catch (SluiceException e) {
      backend.close();
      throw e;
    }
    TransitionCounters transitions = new TransitionCounters();
    state = new GuestState(name, gpu, room, backend, pages, transitions);
    lock = new GuestLock(name, state, listener);
    buffers = new GuestBuffers(name, lock, state, gpu, backend, capabilities, listener);
    spaces = new GuestSpaces(lock, state);
    channels = new GuestChannels(lock, state, backend, info, capabilities, listener, transitions);
    move = new GuestMove(lock, backend, state, capabilities, listener);
    dispatcher = new EventDispatcher(info.maxChannels(), lock, state.channels, listener);
  }

  // ---- its rooms ----

  /** Its memory. */
  public GuestBuffers buffers() {
    return buffers;
  }

  /** Its address spaces. */
  public GuestSpaces spaces() {
    return spaces;
  }

  /** Its channels. */
  public GuestChannels channels() {
    return channels;
  }

  /** Its move elsewhere, and back. */
  public GuestMove move() {
    return move;
  }

  // ---- what it is ----

  /** The operator's name. */
  public String name() {
    return name;
  }

  /** What the GPU is. */
  public GpuInfo info() {
    return gpu.info();
  }

  /** What the GPU can do. */
  public ImmutableSet<Capability> capabilities() {
    return capabilities.all();
  }

  /** GPU time in nanoseconds. */
  public long timeNs() {
    return gpu.timeNs();
  }

  /** Never 0; another one after each {@link #reset}. */
  public int generation() {
    return lock.call(state::generation);
  }

  /**
   * The control pages as one file; the page index is the channel's id. EOPNOTSUPP on a GPU whose
   * pages are no one file.
   */
  public SharedArea controlPages() {
    return backend.controlPages().orElseThrow(() -> Refusal.pagesAreNoFile(gpu.info().name()));
  }

  /** All video memory this guest can ever touch as one file; empty without the capability. */
  public Optional<SharedArea> vramAperture() {
    return backend.vramAperture();
  }

  /** The doorbell page; empty without the capability. */
  public Optional<SharedArea> doorbell() {
    return backend.doorbell();
  }

  /**
   * The value of pscnv's GETPARAM; EINVAL for an unknown id. A guest is told the video memory that
   * it may use, and no address of the host.
   *
   * @param id the parameter; an index of it in the upper half
   */
  public long parameter(long id) {
    return lock.call(() -> {
      if (id == PscnvParam.FB_SIZE) {
        return state.buffers.limitBytes();
      }
      OptionalLong value =
          (int) id == PscnvParam.BAR0_ADDR ? OptionalLong.empty() : backend.parameter(id);
      return value.orElseThrow(
          () -> Refusal.invalid("no such parameter, id=0x" + Long.toHexString(id)));
    });
  }

  // ---- events and end ----

  @Override
  public Fd events() {
    return backend.events();
  }

  /** Tells the listener what channels did. Not to be called any more when the guest is closed. */
  @Override
  public int dispatchEvents() {
    return lock.isClosed() ? 0 : backend.readEvents(dispatcher);
  }

  /**
   * This guest's part of GPU time relative to the other guests; EOPNOTSUPP without {@link
   * Capability#TIME_SHARES}.
   *
   * @param weight 1 to 1024
   */
  public void setTimeWeight(int weight) {
    lock.run(() -> {
      capabilities.require(Capability.TIME_SHARES, "sharing GPU time");
      if (!Quota.isWeight(weight)) {
        throw Refusal.invalid("no weight, weight=" + weight);
      }
      backend.setWeight(weight);
    });
  }

  /** How full its tables are. Waits for nothing that is under way. */
  public TableUse tables() {
    lock.requireOpen();
    return state.tables();
  }

  /** Heap of this process that the guest's grids have; empty where the GPU takes none. */
  public Optional<GuestGpu.HeapUsage> heapUsage() {
    return lock.call(backend::heapUsage);
  }

  /** GPU time used and waited for; empty where the GPU does not tell. */
  public Optional<GuestGpu.TimeUsage> timeUsage() {
    return lock.call(backend::timeUsage);
  }

  /** Whether {@link #close} was called. */
  public boolean isClosed() {
    return lock.isClosed();
  }

  /** Frees everything but guest memory regions; another generation begins. */
  public void reset() {
    lock.run(state::reset);
  }

  /**
   * Another daemon is about to take the guest over with its memory, or is not any more: while it
   * is, nothing here changes memory that no buffer has, and {@link #close} lets go of the GPU
   * without touching memory or control pages.
   */
  public void giveAway(boolean given) {
    lock.runIfOpen(() -> {
      state.giveAway(given);
      backend.setSweeping(!given);
    });
  }

  /** Gives everything back. A second close does nothing. */
  @Override
  public void close() {
    lock.close(() -> {
      try {
        backend.close();
        pages.close();
      } finally {
        state.heap.freeAll();
      }
    });
  }
}
