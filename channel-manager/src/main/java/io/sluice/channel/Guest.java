package io.sluice.channel;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.GuestGpu.Extent;
import io.sluice.channel.GuestGpu.MemoryRegion;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.record.ChannelRecord;
import io.sluice.channel.record.GuestRecord;
import io.sluice.channel.record.StateRecord;
import io.sluice.quota.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
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
  /** pscnv GETPARAM: bytes of video memory; a guest is told what it may use. */
  private static final int PARAM_FB_SIZE = 8;

  /** pscnv GETPARAM: physical address of the card's registers; no guest's business. */
  private static final int PARAM_BAR0_ADDRESS = 17;

  private final String name;
  private final Gpu gpu;
  private final ImmutableSet<Capability> capabilities;
  private final GuestGpu backend;
  private final ControlPages pages;
  private final GuestListener listener;
  private final EventSink sink = new Dispatcher();
  private final TransitionCounters transitions = new TransitionCounters();
  private final ReentrantLock lock = new ReentrantLock();

  // All guarded by lock.
  private final GuestTables tables;
  private final GuestChannels channels;
  private int generation = 1;
  private long vramLimitBytes;
  private boolean overflowToSystem;
  private volatile boolean closed;

  /**
   * Opens the GPU for a guest.
   *
   * @param name the operator's name of it, for messages
   * @param listener told of interrupts and errors
   */
  public Guest(String name, Gpu gpu, Kernel kernel, GuestListener listener) {
    this.name = name;
    this.gpu = gpu;
    this.listener = listener;
    capabilities = gpu.capabilities();
    backend = gpu.open(name);
    int maxChannels = gpu.info().maxChannels();
    try {
      pages = ControlPages.of(backend, capabilities, maxChannels, kernel);
    } catch (SluiceException e) {
      backend.close();
      throw e;
    }
    tables = new GuestTables(gpu.info(), backend);
    channels = new GuestChannels(name, gpu, pages, tables, transitions);
    vramLimitBytes = gpu.info().vramBytes();
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
    return capabilities;
  }

  /** GPU time in nanoseconds. */
  public long timeNs() {
    return gpu.timeNs();
  }

  /** Never 0; another one after each {@link #reset}. */
  public int generation() {
    return locked(() -> generation);
  }

  /**
   * The control pages as one file; the page index is the channel's id. EOPNOTSUPP on a GPU whose
   * pages are no one file.
   */
  public SharedArea controlPages() {
    return backend
        .controlPages()
        .orElseThrow(() ->
            Refusal.with(
                Errno.EOPNOTSUPP, "the control pages of this GPU are not one file, gpu=" + name));
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
    return locked(() -> {
      if (id == PARAM_FB_SIZE) {
        return vramLimitBytes;
      }
      OptionalLong value =
          (int) id == PARAM_BAR0_ADDRESS ? OptionalLong.empty() : backend.parameter(id);
      return value.orElseThrow(
          () -> Refusal.invalid("no such parameter, id=0x" + Long.toHexString(id)));
    });
  }

  /** Memory used and allowed. */
  public QuotaInfo quota() {
    return locked(() ->
        new QuotaInfo(
            tables.vramBytes(), vramLimitBytes, gpu.info().vramBytes(), tables.systemBytes()));
  }

  /**
   * How much video memory this guest may hold from now on. What it holds already stays.
   *
   * @param bytes 0 to the GPU's video memory
   */
  public void setVramLimit(long bytes) {
    run(() -> {
      if (bytes < 0 || bytes > gpu.info().vramBytes()) {
        throw Refusal.invalid("no such limit of video memory, bytes=" + bytes);
      }
      vramLimitBytes = bytes;
    });
  }

  /**
   * Whether an allocation beyond the limit gets system memory, rather than ENOMEM. Needs {@link
   * Capability#EVICTION}; the card must have room for the buffer for a moment.
   */
  public void setOverflowToSystem(boolean overflow) {
    run(() -> {
      if (overflow) {
        require(Capability.EVICTION, "system memory in place of video memory");
      }
      overflowToSystem = overflow;
    });
  }

  /** Every buffer that was allocated in video memory, oldest first. */
  List<Buffer> videoBuffers() {
    return locked(() -> tables.videoBuffers(name));
  }

  /** Whether anything is left to share the GPU for: a buffer, an address space or a channel. */
  boolean usesGpu() {
    return locked(() -> !tables.isEmpty());
  }

  /**
   * Moves buffers between video and system memory while the channels of this guest are suspended.
   * Buffers that are gone are passed over, as are those that would bring the guest over its limit.
   *
   * @param ids from {@link #videoBuffers}
   * @return how many moved
   */
  int moveBuffers(List<Long> ids, boolean toSystem) {
    return locked(() -> {
      require(Capability.EVICTION, "moving buffers");
      List<GuestChannel> suspended = new ArrayList<>();
      try {
        channels.suspendRunning(suspended, "buffers move");
        int moved = 0;
        for (long id : ids) {
          moved += tables.move(id, toSystem, vramLimitBytes) ? 1 : 0;
        }
        return moved;
      } finally {
        suspended.forEach(channel -> channel.resume("buffers moved"));
      }
    });
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
    return locked(() -> {
      if (GemFlags.isSystem(flags) && capabilities.contains(Capability.GUEST_MEMORY)) {
        throw Refusal.invalid("system memory is registered, not allocated, flags=" + flags);
      }
      MemoryRequest request =
          new MemoryRequest(flags, tileFlags, cookie, sizeBytes, OptionalLong.empty());
      GuestMemory memory = tables.allocate(request, vramLimitBytes, overflowToSystem);
      return new MemoryGrant(memory.handle, memory.sizeBytes(), memory.apertureOffset());
    });
  }

  /** What a buffer is; EBADF. */
  public MemoryInfo memInfo(int handle) {
    return locked(() -> {
      GuestMemory memory = tables.memory(handle);
      return new MemoryInfo(
          memory.flags,
          memory.tileFlags,
          memory.cookie,
          memory.sizeBytes(),
          memory.apertureOffset());
    });
  }

  /** Gives a handle back; address spaces that map the buffer keep it until they unmap it. EBADF. */
  public void memFree(int handle) {
    run(() -> tables.free(handle));
  }

  /**
   * An empty buffer of guest memory. EINVAL size or flags, ENOMEM.
   *
   * @param flags pscnv GEM flags with a system memory type
   * @param sizeBytes a multiple of 4096
   */
  public int memRegister(int flags, int cookie, long sizeBytes) {
    return locked(() -> {
      require(Capability.GUEST_MEMORY, "registering guest memory");
      MemoryRequest request = new MemoryRequest(flags, 0, cookie, sizeBytes, OptionalLong.empty());
      return tables.register(request).handle;
    });
  }

  /**
   * Fills a part of a registered buffer. EBADF handle, EINVAL count or alignment, ERANGE outside
   * the buffer, EEXIST a part filled twice, EFAULT outside guest memory.
   *
   * @param offset where in the buffer the first extent goes
   * @param extents of regions from {@link #addRegion}
   */
  public void memPages(int handle, long offset, List<Extent> extents) {
    run(() -> tables.setPages(handle, offset, extents));
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
    return locked(() -> {
      require(Capability.GUEST_MEMORY, "adding guest memory");
      if (tables.regionCount() == Limits.MAX_REGIONS) {
        throw Refusal.full("ranges of guest memory", Limits.MAX_REGIONS);
      }
      MemoryRegion added = backend.addRegion(fd, offset, sizeBytes, writable);
      return tables.addRegion(new GuestRegion(this, added, iova, writable));
    });
  }

  void removeRegion(GuestRegion region) {
    lock.lock();
    try {
      if (!region.closed) {
        tables.removeRegion(region);
        channels.noteRevoked(region);
      }
    } finally {
      exit();
    }
  }

  // ---- address spaces ----

  /** A new, empty address space; ENOMEM. */
  public int vspaceNew() {
    return locked(() -> tables.newSpace().vid);
  }

  /** Gives the id back; channels keep the address space until they are freed. ENOENT. */
  public void vspaceFree(int vid) {
    run(() -> tables.freeSpace(vid));
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
    return locked(() -> tables.map(vid, handle, start, end, back));
  }

  /** Unmaps what contains the address; the GPU has no access when this returns. ENOENT. */
  public void vspaceUnmap(int vid, GpuVa address) {
    run(() -> tables.unmap(vid, address));
  }

  // ---- channels ----

  /** A channel without a ring; its id is the index of its control page. ENOENT vid, ENOMEM. */
  public int channelNew(int vid) {
    int cid =
        locked(() -> channels.create(tables.space(vid), OptionalInt.empty(), generation).id());
    listener.onChannelCreated(cid);
    return cid;
  }

  /** Ends and frees a channel; ENOENT. */
  public void channelFree(int cid) {
    run(() -> channels.free(channels.get(cid)));
  }

  /** Declares an engine object. ENOENT cid, ENODEV class, ENOMEM too many. */
  public void objectNew(int cid, int handle, int objectClass, int flags) {
    run(() ->
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
    run(() -> {
      GuestChannel channel = channels.get(cid);
      if (ringOrder < 0 || ringOrder > Limits.MAX_RING_ORDER) {
        throw Refusal.invalid("no such ring size, order=" + Integer.toUnsignedString(ringOrder));
      }
      long start = ringStart.value();
      if (start < 0 || (start & 7) != 0 || start >= gpu.info().addressSpaceBytes()) {
        throw Refusal.invalid("no such ring address, start=" + ringStart);
      }
      channel.start(new ChannelRecord.Ring(ringStart, ringOrder, slimask));
    });
  }

  /**
   * Keeps a copy of the words that set a channel's engines up; none takes it back. ENOENT, E2BIG.
   */
  public void setupSegment(int cid, int[] words) {
    run(() -> {
      GuestChannel channel = channels.get(cid);
      if (words.length > Limits.MAX_SETUP_WORDS) {
        throw Refusal.with(Errno.E2BIG, "set-up segment too long, words=" + words.length);
      }
      channel.setupSegment(words);
    });
  }

  /** State and counters of a channel; ENOENT. */
  public ChannelInfo channelQuery(int cid) {
    return locked(() -> channels.query(channels.get(cid)));
  }

  /** Ids of all channels, ascending. */
  public List<Integer> channelIds() {
    return locked(() -> channels.all().stream().map(GuestChannel::id).toList());
  }

  // ---- taking access back ----

  /**
   * Ends a channel; the listener is told. Nothing happens to one that has ended. ENOENT.
   *
   * @param reason SLUICE_ERROR_*, not 0
   * @param info detail of the reason
   */
  public void kill(int cid, int reason, int info) {
    run(() -> {
      require(Capability.KILL, "ending a running channel");
      channels.kill(channels.get(cid), reason, info);
    });
  }

  /**
   * The channel takes no entries until as many resumes; its page stays live. Of a channel without a
   * ring, or a detached one, it takes effect when that starts or is attached.
   */
  public void suspend(int cid, String reason) {
    run(() -> {
      require(Capability.SUSPEND, "suspending a channel");
      channels.get(cid).suspend(reason);
    });
  }

  /** Undoes one {@link #suspend}; EINVAL when there is none. */
  public void resume(int cid, String reason) {
    run(() -> channels.get(cid).resume(reason));
  }

  /**
   * The guest's page becomes a shadow copy the GPU no longer reads; what was put before runs to its
   * end: ask {@link #drained}. EBUSY unless the channel runs.
   */
  public void detach(int cid, String reason) {
    run(() -> {
      require(Capability.DETACH, "detaching a channel");
      channels.get(cid).detach(reason);
    });
  }

  /** Whether a detached channel has finished all it was given. */
  public boolean drained(int cid) {
    return locked(() -> channels.drained(channels.get(cid)));
  }

  /** The GPU reads the guest's page again; nothing is lost, nothing runs twice. EBUSY. */
  public void attach(int cid, String reason) {
    run(() -> channels.get(cid).attach(reason));
  }

  // ---- state ----

  /**
   * All that another guest must be told to become this one, but the bytes of its memory. EBUSY
   * while a channel runs or drains, or is within a command; EOPNOTSUPP when a channel has started
   * and its state cannot be had.
   */
  public List<StateRecord> snapshot() {
    return locked(() -> {
      SnapshotWriter writer = new SnapshotWriter();
      writer.add(new GuestRecord(name, generation, vramLimitBytes, gpu.info().chipset()));
      tables.write(writer);
      channels.all().forEach(writer::add);
      return writer.records();
    });
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
    run(() -> {
      if (!tables.isEmpty() || !channels.all().isEmpty()) {
        throw Refusal.busy("the guest is not empty, guest=" + name, "Reset it first.");
      }
      if (records.isEmpty() || !(records.getFirst() instanceof GuestRecord was)) {
        throw SnapshotReader.unfit("records begin with a guest");
      }
      SnapshotReader.fits(was.chipset() == gpu.info().chipset(), "another kind of GPU");
      SnapshotReader.fits(
          was.vramLimitBytes() <= gpu.info().vramBytes(), "more video memory than there is");
      int next = after(was.generation());
      boolean complete = false;
      try {
        new SnapshotReader(tables, channels, next).restore(records);
        generation = next;
        vramLimitBytes = was.vramLimitBytes();
        complete = true;
      } finally {
        if (!complete) {
          releaseAll();
        }
      }
    });
    channelIds().forEach(listener::onChannelCreated);
  }

  private static int after(int generation) {
    return generation == -1 ? 1 : generation + 1;
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
    run(() -> {
      require(Capability.DIRECT_INTERRUPTS, "setting pending bits");
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
    run(() -> {
      require(Capability.DIRECT_INTERRUPTS, "signalling eventfds");
      channels.get(cid).backend.setInterruptTarget(eventfd);
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
    return closed ? 0 : backend.readEvents(sink);
  }

  /** What the GPU accounts to this guest; equals {@link #quota} in what both tell. */
  public GuestGpu.MemoryUsage usage() {
    return locked(backend::usage);
  }

  /** Whether {@link #close} was called. */
  boolean isClosed() {
    return closed;
  }

  /** How often channels of this guest entered a state since it was attached. */
  public long entered(ChannelState state) {
    return transitions.entered(state);
  }

  /** Frees everything but guest memory regions; another generation begins. */
  public void reset() {
    run(() -> {
      releaseAll();
      generation = after(generation);
    });
  }

  /** Gives everything back. A second close does nothing. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      try {
        releaseAll();
        tables.removeAllRegions();
      } finally {
        closed = true;
        backend.close();
        pages.close();
      }
    } finally {
      lock.unlock();
    }
  }

  private void releaseAll() {
    channels.freeAll();
    tables.releaseAll();
  }

  private void require(Capability capability, String operation) {
    if (!capabilities.contains(capability)) {
      throw Refusal.missing(capability, operation);
    }
  }

  private <T> T locked(Supplier<T> operation) {
    enter();
    try {
      return operation.get();
    } finally {
      exit();
    }
  }

  private void run(Runnable operation) {
    enter();
    try {
      operation.run();
    } finally {
      exit();
    }
  }

  private void enter() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw Refusal.closed(name);
    }
  }

  /** Leaves the lock, then tells the listener what happened under it. */
  private void exit() {
    List<ChannelError> tell = channels.takeUntold();
    lock.unlock();
    tell.forEach(listener::onChannelError);
  }

  /** Interrupts go straight on; an error changes the tables first. */
  private final class Dispatcher implements EventSink {
    @Override
    public void interrupt(int channelId, long timeNs) {
      if (channelId > 0 && channelId < gpu.info().maxChannels()) {
        listener.onInterrupt(channelId);
      }
    }

    @Override
    public void error(ChannelError error) {
      lock.lock();
      try {
        if (!closed) {
          channels.noteEvent(error);
        }
      } finally {
        exit();
      }
    }
  }
}
