package io.sluice.channel;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.GuestGpu.Extent;
import io.sluice.channel.GuestGpu.MemoryRegion;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.record.ChannelRecord;
import io.sluice.channel.record.StateRecord;
import io.sluice.quota.Quota;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * One attached guest: its ids of memory, address spaces and channels over one open of a GPU.
 *
 * <p>Every id is an index into a table of this guest's own with a named limit ({@link Limits});
 * what is no id of it is refused as pscnv does: ENOENT for channels and address spaces, EBADF for
 * memory. All refusals are {@link io.sluice.abi.RefusedException}.
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
  private final TransitionCounters transitions = new TransitionCounters();
  private final GuestLock lock;
  private final EventDispatcher dispatcher;

  // All guarded by lock.
  private final GuestTables tables;
  private final GuestChannels channels;
  private final VideoMemoryShare share;
  private final GuestState state;
  private final MemoryCalls memoryCalls;
  private final ChannelCalls channelCalls;
  private final GuestMove move;
  private final GuestParameters parameters;

  // Takes the lock by itself.
  private final GuestSharing sharing;

  /**
   * Opens the GPU for a guest that shares it with no other.
   *
   * @param name the operator's name of it, for messages
   * @param listener told of interrupts and errors
   */
  public Guest(String name, Gpu gpu, Kernel kernel, GuestListener listener) {
    this(name, gpu, new CardSlots(SlotLimits.NONE), kernel, listener);
  }

  /**
   * Opens the GPU for a guest.
   *
   * @param name the operator's name of it, by which {@code slots} admitted it
   * @param slots of this GPU
   * @param listener told of interrupts and errors
   */
  public Guest(String name, Gpu gpu, CardSlots slots, Kernel kernel, GuestListener listener) {
    this(name, gpu, gpu.open(name), slots, kernel, listener);
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
      CardSlots slots,
      Kernel kernel,
      GuestListener listener) {
    Guest guest = new Guest(name, gpu, gpu.adopt(name, files), slots, kernel, listener);
    guest.giveAway(true);
    return guest;
  }

  /**
   * Makes a guest of an open of its GPU, which is closed with it or when this fails.
   *
   * @param name the operator's name of it, by which {@code slots} admitted it
   * @param slots of this GPU
   * @param listener told of interrupts and errors
   */
  private Guest(
      String name,
      Gpu gpu,
      GuestGpu backend,
      CardSlots slots,
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
    tables = new GuestTables(name, info, slots, backend);
    channels = new GuestChannels(name, gpu, slots, pages, tables.spaces, transitions);
    share = new VideoMemoryShare(info.vramBytes(), capabilities, tables.buffers, channels);
    state = new GuestState(name, info, tables, channels, share);
    memoryCalls = new MemoryCalls(backend, capabilities, tables, share);
    channelCalls = new ChannelCalls(info, capabilities, channels);
    lock =
        new GuestLock(
            name,
            channels::takeUntold,
            listener::onChannelError,
            tables::takeChanged,
            this::memoryChanged);
    parameters = new GuestParameters(backend, share);
    sharing = new GuestSharing(this, lock, tables, share);
    tables.buffers.setRestoreLimit(share::residentLimit);
    move =
        new GuestMove(
            lock,
            backend,
            tables,
            channels,
            state,
            capabilities,
            listener::onChannelCreated,
            sharing::withRoom);
    dispatcher = new EventDispatcher(info.maxChannels(), lock, channels, listener);
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
   * The value of pscnv's GETPARAM; EINVAL for an unknown id.
   *
   * @param id the parameter; an index of it in the upper half
   */
  public long parameter(long id) {
    return lock.call(() -> parameters.get(id));
  }

  /** Memory used and allowed. */
  public MemoryUse memoryUse() {
    return lock.call(() -> tables.use(share.limitBytes()));
  }

  /**
   * How much video memory this guest may hold from now on; when that is news the listener is told.
   * What it holds already stays.
   *
   * @param bytes 0 to the GPU's video memory
   */
  public void setVramLimit(long bytes) {
    if (lock.call(() -> share.setLimit(bytes))) {
      listener.onVramLimit(bytes, gpu.timeNs());
    }
  }

  /** How much video memory this guest may hold; waits for nothing. */
  public long vramLimitBytes() {
    return share.limitBytes();
  }

  /**
   * Whether an allocation beyond the limit gets system memory, rather than ENOMEM. Needs {@link
   * Capability#EVICTION}.
   */
  public void setOverflowToSystem(boolean overflow) {
    lock.run(() -> share.setOverflowToSystem(overflow));
  }

  /** Its part in the sharing of video memory. */
  GuestSharing sharing() {
    return sharing;
  }

  private void memoryChanged() {
    sharing.changed();
  }

  // ---- memory ----

  /**
   * A buffer in video memory; in host memory too when the GPU cannot use guest memory. ENOMEM for
   * whatever pscnv refuses with it: size, flags, storage kind, no room, the quota, the table.
   *
   * @param flags pscnv GEM flags
   * @param tileFlags storage kind
   * @param cookie the guest's own word
   * @param sizeBytes rounded up to 4 KiB, 128 KiB for the large memory type
   */
  public MemoryGrant memAlloc(int flags, int tileFlags, int cookie, long sizeBytes) {
    return sharing.allocating(
        flags,
        sizeBytes,
        last -> lock.call(() -> memoryCalls.allocate(flags, tileFlags, cookie, sizeBytes, last)));
  }

  /** What a buffer is; EBADF. */
  public MemoryInfo memInfo(int handle) {
    return lock.call(() -> memoryCalls.info(handle));
  }

  /** Gives a handle back; address spaces that map the buffer keep it until they unmap it. EBADF. */
  public void memFree(int handle) {
    lock.run(() -> tables.buffers.free(handle));
  }

  /**
   * An empty buffer of guest memory. EINVAL size or flags, ENOMEM.
   *
   * @param flags pscnv GEM flags with a system memory type
   * @param sizeBytes a multiple of 4096
   */
  public int memRegister(int flags, int cookie, long sizeBytes) {
    return lock.call(() -> memoryCalls.register(flags, cookie, sizeBytes));
  }

  /**
   * Fills a part of a registered buffer. EBADF handle, EINVAL count or alignment, ERANGE outside
   * the buffer, EEXIST a part filled twice, EFAULT outside guest memory.
   *
   * @param offset where in the buffer the first extent goes
   * @param extents of regions from {@link #addRegion}
   */
  public void memPages(int handle, long offset, List<Extent> extents) {
    lock.run(() -> tables.buffers.pages().set(tables.buffers.get(handle), offset, extents));
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
  public MemoryRegion addRegion(Iova iova, Fd fd, long offset, long sizeBytes, boolean writable) {
    return lock.call(() -> memoryCalls.addRegion(this, iova, fd, offset, sizeBytes, writable));
  }

  void removeRegion(GuestRegion region) {
    lock.runAlways(() -> {
      if (!region.closed) {
        tables.removeRegion(region);
        channels.noteRevoked(region);
      }
    });
  }

  // ---- address spaces ----

  /** A new, empty address space; ENOMEM, EDQUOT as {@link CardSlots} says. */
  public int vspaceNew() {
    return lock.call(() -> tables.spaces.create().vid);
  }

  /** Gives the id back; channels keep the address space until they are freed. ENOENT. */
  public void vspaceFree(int vid) {
    lock.run(() -> tables.spaces.free(vid));
  }

  /**
   * Maps a whole buffer at the first free range. ENOENT vid, EBADF handle, EINVAL range or a
   * registered buffer that is not full, ENOMEM no room.
   *
   * @param start lowest address allowed
   * @param end first address not allowed
   * @param back search from the top
   */
  public GpuVa vspaceMap(int vid, int handle, GpuVa start, GpuVa end, boolean back) {
    return lock.call(() -> tables.spaces.map(vid, handle, start, end, back));
  }

  /** Unmaps what contains the address; the GPU has no access when this returns. ENOENT. */
  public void vspaceUnmap(int vid, GpuVa address) {
    lock.run(() -> tables.spaces.unmap(vid, address));
  }

  // ---- channels ----

  /**
   * A channel without a ring; its id is the index of its control page. ENOENT vid, ENOMEM, EDQUOT
   * as {@link CardSlots} says.
   */
  public int channelNew(int vid) {
    int cid =
        lock.call(() ->
            channels.create(tables.spaces.get(vid), OptionalInt.empty(), state.generation()).id());
    listener.onChannelCreated(cid);
    return cid;
  }

  /** Ends and frees a channel; ENOENT. */
  public void channelFree(int cid) {
    lock.run(() -> channels.free(channels.get(cid)));
  }

  /** Declares an engine object. ENOENT cid, ENODEV class, ENOMEM too many. */
  public void objectNew(int cid, int handle, int objectClass, int flags) {
    lock.run(() ->
        channels
            .get(cid)
            .declareObject(new ChannelRecord.EngineObject(handle, objectClass, flags)));
  }

  /**
   * Gives a channel its ring and lets it run. ENOENT cid, EINVAL order or address, EBUSY it has
   * one.
   *
   * @param ringStart GPU address of the ring, mapped already
   * @param ringOrder 1 &lt;&lt; ringOrder entries
   * @param slimask normally 1
   */
  public void fifoInitIb(int cid, GpuVa ringStart, int ringOrder, int slimask) {
    lock.run(() -> channelCalls.start(cid, ringStart, ringOrder, slimask));
  }

  /**
   * Keeps a copy of the words that set a channel's engines up; none takes it back. ENOENT, E2BIG.
   */
  public void setupSegment(int cid, int[] words) {
    lock.run(() -> channelCalls.setupSegment(cid, words));
  }

  /** State and counters of a channel; ENOENT. */
  public ChannelInfo channelQuery(int cid) {
    return lock.call(() -> channels.query(channels.get(cid)));
  }

  /** {@link Channel#progress} of the channels that tell. */
  Map<Integer, Long> progress() {
    return lock.call(channels::progress);
  }

  /** Ids of all channels, ascending. */
  public List<Integer> channelIds() {
    return lock.call(() -> channels.all().stream().map(GuestChannel::id).toList());
  }

  // ---- taking access back ----

  /**
   * Ends a channel; the listener is told. Nothing happens to one that has ended. ENOENT.
   *
   * @param reason SLUICE_ERROR_*, not 0
   * @param info detail of the reason
   */
  public void kill(int cid, int reason, int info) {
    lock.run(() -> channelCalls.kill(cid, reason, info));
  }

  /**
   * The channel takes no entries until as many resumes; its page stays live. Of a channel without a
   * ring, or a detached one, it takes effect when that starts or is attached.
   */
  public void suspend(int cid, String reason) {
    lock.run(() -> channelCalls.suspend(cid, reason));
  }

  /** Undoes one {@link #suspend}; EINVAL when there is none. */
  public void resume(int cid, String reason) {
    lock.run(() -> channels.get(cid).resume(reason));
  }

  /**
   * The guest's page becomes a shadow copy the GPU no longer reads; what was put before runs to its
   * end: ask {@link #drained}. EBUSY unless the channel runs.
   */
  public void detach(int cid, String reason) {
    lock.run(() -> channelCalls.detach(cid, reason));
  }

  /** Whether a detached channel has finished all it was given. */
  public boolean drained(int cid) {
    return lock.call(() -> channels.drained(channels.get(cid)));
  }

  /** The GPU reads the guest's page again; nothing is lost, nothing runs twice. EBUSY. */
  public void attach(int cid, String reason) {
    lock.run(() -> channels.get(cid).attach(reason));
  }

  // ---- state ----

  /**
   * All that another guest must be told to become this one, but the bytes of its memory. EBUSY
   * while a channel runs or drains, or is within a command; EOPNOTSUPP when a channel has started
   * and its state cannot be had.
   */
  public List<StateRecord> snapshot() {
    return lock.call(state::snapshot);
  }

  /**
   * Becomes what records say. The guest must be empty and know the guest memory that the records
   * name. Channels that had started are suspended; each has one more suspend than its record says,
   * so that one {@link #resume} lets it go on. The generation is another one than the records'.
   *
   * @throws io.sluice.abi.RefusedException when the records do not fit together, or not here; the
   *     guest is then as empty as before
   */
  public void restore(List<StateRecord> records) {
    sharing.withRoom(() -> lock.run(() -> state.restore(records)));
    channelIds().forEach(listener::onChannelCreated);
  }

  /** What a move needs of it. */
  public GuestMove move() {
    return move;
  }

  // ---- interrupts ----

  /**
   * The pending bitmap of the guest's device, one bit per channel in 32-bit words, for {@link
   * #setInterruptTarget}. Once; EOPNOTSUPP without {@link Capability#DIRECT_INTERRUPTS}.
   *
   * @param fd stays the caller's
   * @param offset byte offset in the file, a multiple of 4096
   * @param sizeBytes a multiple of 4096
   */
  public void setPendingBitmap(Fd fd, long offset, long sizeBytes) {
    lock.run(() -> {
      capabilities.require(Capability.DIRECT_INTERRUPTS, "setting pending bits");
      backend.setPendingBitmap(fd, offset, sizeBytes);
    });
  }

  /**
   * Where interrupts of a channel go from now on: the GPU itself sets its pending bit and, when
   * that was clear, signals an eventfd; or, without one, they are told to the listener. When this
   * returns a former eventfd is used no more. ENOENT.
   *
   * @param eventfd stays the caller's; null for the listener
   */
  public void setInterruptTarget(int cid, @Nullable Fd eventfd) {
    lock.run(() -> channelCalls.setInterruptTarget(cid, eventfd));
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

  /** What the GPU accounts to this guest; equals {@link #memoryUse} in what both tell. */
  public GuestGpu.MemoryUsage usage() {
    return lock.call(backend::usage);
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
      if (weight < 1 || weight > Quota.MAX_WEIGHT) {
        throw Refusal.invalid("no weight, weight=" + weight);
      }
      backend.setWeight(weight);
    });
  }

  /** GPU time used and waited for; empty where the GPU does not tell. */
  public Optional<GuestGpu.TimeUsage> timeUsage() {
    return lock.call(backend::timeUsage);
  }

  /** Whether {@link #close} was called. */
  boolean isClosed() {
    return lock.isClosed();
  }

  /** How often channels of this guest entered a state since it was attached. */
  public long entered(ChannelState state) {
    return transitions.entered(state);
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
    lock.close(
        () -> {
          if (state.isGivenAway()) {
            return;
          }
          state.releaseAll();
          tables.removeAllRegions();
        },
        () -> {
          backend.close();
          pages.close();
        });
  }
}
