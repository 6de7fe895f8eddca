package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvParam;
import io.sluice.abi.rm.UsermodePage;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.ChannelError;
import io.sluice.channel.EventSink;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.Limits;
import io.sluice.quota.Quota;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A guest's open of an NVIDIA GPU: an RM client of its own, so that the driver keeps guests apart
 * and gives everything back when it goes. One lock guards all that belongs to it.
 */
final class NvidiaGuestGpu implements GuestGpu {
  private final NvidiaGpu gpu;
  private final Kernel kernel;
  private final RmClient client;
  private final SharedPages control;
  private final SharedPages notifiers;
  private final NvidiaEvents events;
  private final TimeUse timeUse = new TimeUse();
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final OpenChannels channels = new OpenChannels();
  private final ChannelSlices slices;
  private final Set<NvidiaAddressSpace> spaces = new HashSet<>();
  private final Set<NvidiaMemory> buffers = new HashSet<>();
  private final Set<NvidiaRegion> regions = new HashSet<>();
  private @Nullable Monitor monitor;

  /** What a guest that comes will want first, when it stands still. */
  private @Nullable NvidiaAddressSpace spare;

  private @Nullable PageHasher hasher;
  private boolean shared;
  private volatile boolean closed;

  /** When one who waits has polled last; GPU time. */
  private volatile long polledNs = -NvidiaGpu.POLL_NS;

  private NvidiaGuestGpu(
      NvidiaGpu gpu,
      Kernel kernel,
      RmClient client,
      SharedPages control,
      SharedPages notifiers,
      NvidiaEvents events) {
    this.gpu = gpu;
    this.kernel = kernel;
    this.client = client;
    this.control = control;
    this.notifiers = notifiers;
    this.events = events;
    slices = new ChannelSlices(gpu.timeSlices(), channels);
  }

  /** Takes the client over: it is closed with this, or when this fails. */
  static NvidiaGuestGpu open(NvidiaGpu gpu, Kernel kernel, RmClient client) {
    return open(gpu, kernel, client, bytes -> SharedPages.create(kernel, "sluice-control", bytes));
  }

  /**
   * As {@link #open}, over control pages that another daemon shares until {@link #setSweeping} says
   * otherwise.
   *
   * @param control stays the caller's
   */
  static NvidiaGuestGpu adopt(NvidiaGpu gpu, Kernel kernel, RmClient client, Fd control) {
    NvidiaGuestGpu made =
        open(gpu, kernel, client, bytes -> SharedPages.adopt(kernel, control, bytes));
    boolean complete = false;
    try {
      made.setSweeping(false);
      made.run(() -> made.spare = NvidiaAddressSpace.create(made));
      complete = true;
      return made;
    } finally {
      if (!complete) {
        made.close();
      }
    }
  }

  private static NvidiaGuestGpu open(
      NvidiaGpu gpu, Kernel kernel, RmClient client, LongFunction<SharedPages> controlPages) {
    List<Runnable> undo = new ArrayList<>();
    undo.add(client::close);
    boolean complete = false;
    try {
      long bytes = gpu.info().maxChannels() * Limits.PAGE_BYTES;
      SharedPages control = controlPages.apply(bytes);
      undo.add(control::close);
      SharedPages notifiers = SharedPages.create(kernel, "sluice-notifiers", bytes);
      undo.add(notifiers::close);
      NvidiaEvents events = NvidiaEvents.open(client, gpu.info().maxChannels());
      complete = true;
      return new NvidiaGuestGpu(gpu, kernel, client, control, notifiers, events);
    } finally {
      if (!complete) {
        undo.reversed().forEach(Runnable::run);
      }
    }
  }

  // ---- for the parts ----

  RmClient client() {
    return client;
  }

  Kernel kernel() {
    return kernel;
  }

  Doorbell doorbellPage() {
    return gpu.doorbell();
  }

  CopyEngines copyEngines() {
    return gpu.copyEngines();
  }

  void run(Runnable operation) {
    lock.lock();
    try {
      requireOpen();
      operation.run();
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #run}, unless somebody has the lock or it is closed: then nothing happens. */
  void runIfFree(Runnable operation) {
    if (lock.tryLock()) {
      try {
        if (!closed) {
          operation.run();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  <T> T ask(Supplier<T> question) {
    lock.lock();
    try {
      requireOpen();
      return question.get();
    } finally {
      lock.unlock();
    }
  }

  private void requireOpen() {
    if (closed) {
      throw RmRefusal.closed();
    }
  }

  NvidiaChannel addChannel(NvidiaAddressSpace space, OptionalInt wanted) {
    int limit = info().maxChannels();
    int id = wanted.orElseGet(channels::lowestFreeId);
    if (id < 1 || id >= limit) {
      throw RmRefusal.noRoom("no more channels, limit=" + (limit - 1));
    }
    if (channels.has(id)) {
      throw RmRefusal.busy("there is a channel with this id, cid=" + id);
    }
    NvidiaChannel channel =
        new NvidiaChannel(this, space, id, control.page(id), notifiers.page(id));
    channels.add(channel);
    return channel;
  }

  SharedArea controlPage(int id) {
    return new SharedArea(kernel.dup(control.fd()), id * Limits.PAGE_BYTES, Limits.PAGE_BYTES);
  }

  /** The guest sees a fresh page of zeros in place of the former. */
  void replaceControlPage(int id) {
    control.replace(id);
  }

  /** Made when it is needed first. */
  Monitor monitor() {
    if (monitor == null) {
      monitor = Monitor.open(this);
    }
    return monitor;
  }

  /** Whether control pages are another daemon's, too, and tell the guest nothing of ours. */
  boolean isShared() {
    return shared;
  }

  /** Host memory for what is evicted. */
  Staging staging() {
    return gpu.staging();
  }

  boolean isClosed() {
    return closed;
  }

  void unmapEverywhere(NvidiaMemory memory) {
    spaces.forEach(space -> space.unmapAll(memory));
  }

  boolean mapEverywhereAgain(NvidiaMemory memory) {
    boolean all = true;
    for (NvidiaAddressSpace space : spaces) {
      all &= space.mapAllAgain(memory);
    }
    return all;
  }

  boolean anotherGuestWaits() {
    return gpu.anotherWaits(this);
  }

  boolean anotherGuestIsActive() {
    return gpu.anotherIsActive(this);
  }

  /** There is something to do for {@link NvidiaGpu#poll}. */
  void wakeUp() {
    gpu.wakeUp();
  }

  /** Whether {@link #poll} has something to do; takes no lock. */
  boolean wantsPoll() {
    return !closed && (channels.areDraining() || slices.areStale());
  }

  /**
   * Whether one who waits for a drain polls this open himself: then it is left to him, but for
   * channels that were given back, which nobody waits for.
   */
  boolean isPolled(long nowNs) {
    return nowNs - polledNs < NvidiaGpu.POLL_NS && !channels.areReturning();
  }

  @Override
  public void poll(long nowNs) {
    polledNs = nowNs;
    if (wantsPoll()) {
      pollNow(nowNs);
    }
  }

  /** Takes what is under way a step further. */
  void pollNow(long nowNs) {
    lock.lock();
    try {
      if (!closed) {
        slices.refresh();
        channels.poll(nowNs);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Of which what takes no lock may be asked without this one's. */
  OpenChannels channels() {
    return channels;
  }

  // ---- time ----

  /** Of what is shared, relative to the other guests; however many channels it has. */
  @Override
  public void setWeight(int newWeight) {
    if (newWeight < 1 || newWeight > Quota.MAX_WEIGHT) {
      throw RmRefusal.invalid("no such weight, weight=" + newWeight);
    }
    run(() -> {
      gpu.timeSlices().set(this, newWeight);
      slices.weigh(newWeight);
    });
    wakeUp();
  }

  @Override
  public Optional<TimeUsage> timeUsage() {
    return Optional.of(timeUse.totals());
  }

  /** What it is charged with. */
  TimeUse timeUse() {
    return timeUse;
  }

  /** What its weight is worth to its channels. */
  ChannelSlices slices() {
    return slices;
  }

  void forget(NvidiaChannel channel) {
    channels.remove(channel);
  }

  long timeNs() {
    return gpu.timeNs();
  }

  /**
   * What has happened to the channels.
   *
   * @param interrupted receives the ids of those that run
   * @param ended receives those that have ended since they were asked last
   * @return how many run
   */
  int collect(int[] interrupted, List<ChannelError> ended, long timeNs) {
    lock.lock();
    try {
      int count = 0;
      if (!closed) {
        for (NvidiaChannel channel : channels.all()) {
          channel.takeError(timeNs).ifPresent(ended::add);
          if (channel.mayInterrupt()) {
            interrupted[count++] = channel.id();
          }
        }
        if (wantsPoll()) {
          wakeUp(); // poison interrupts
        }
      }
      return count;
    } finally {
      lock.unlock();
    }
  }

  void forget(NvidiaAddressSpace space) {
    spaces.remove(space);
  }

  void forget(NvidiaMemory memory) {
    buffers.remove(memory);
  }

  void forget(NvidiaRegion region) {
    regions.remove(region);
  }

  /** Ends the channels that can reach a region, then takes its pages from the GPU. */
  void revoke(NvidiaRegion region) {
    for (NvidiaMemory memory : buffers) {
      if (memory instanceof NvidiaMemory.Registered registered && registered.uses(region)) {
        for (NvidiaChannel channel : channels.all()) {
          if (channel.space().maps(memory)) {
            channel.kill(GuestAbi.ERROR_REVOKED, 0);
          }
        }
        registered.revoke(region);
      }
    }
  }

  private GpuInfo info() {
    return gpu.info();
  }

  // ---- GuestGpu ----

  @Override
  public Optional<SharedArea> controlPages() {
    return Optional.of(new SharedArea(control.fd(), 0, info().maxChannels() * Limits.PAGE_BYTES));
  }

  /** Every mapping of video memory has a descriptor of its own, which no machine's BAR can be. */
  @Override
  public Optional<SharedArea> vramAperture() {
    return Optional.empty();
  }

  @Override
  public Optional<SharedArea> doorbell() {
    return Optional.of(new SharedArea(gpu.doorbell().fd(), 0, UsermodePage.MAPPED_BYTES));
  }

  @Override
  public OptionalLong parameter(long id) {
    GpuInfo info = info();
    if (id != (int) id) {
      return OptionalLong.empty();
    }
    return switch ((int) id) {
      case PscnvParam.PCI_VENDOR -> OptionalLong.of(info.pciVendor());
      case PscnvParam.PCI_DEVICE -> OptionalLong.of(info.pciDevice());
      case PscnvParam.BUS_TYPE -> OptionalLong.of(PscnvParam.BUS_TYPE_PCIE);
      case PscnvParam.FB_SIZE -> OptionalLong.of(info.vramBytes());
      case PscnvParam.CHIPSET_ID -> OptionalLong.of(info.chipset());
      case PscnvParam.PTIMER_TIME -> OptionalLong.of(gpu.timeNs());
      default -> OptionalLong.empty();
    };
  }

  @Override
  public AddressSpace createAddressSpace() {
    return ask(() -> {
      if (spaces.size() >= info().maxAddressSpaces() - 1) {
        throw RmRefusal.noRoom("no more address spaces, limit=" + spaces.size());
      }
      NvidiaAddressSpace space = spare != null ? spare : NvidiaAddressSpace.create(this);
      spare = null;
      spaces.add(space);
      return space;
    });
  }

  @Override
  public GpuMemory allocate(MemoryRequest request) {
    if (request.apertureOffset().isPresent()) {
      throw RmRefusal.missing("allocating at an aperture offset");
    }
    requireSize(request);
    return ask(() -> {
      NvidiaMemory memory =
          PscnvGem.isSystem(request.flags())
              ? NvidiaMemory.Host.allocate(this, request.sizeBytes())
              : NvidiaMemory.Video.allocate(this, request.sizeBytes());
      buffers.add(memory);
      return memory;
    });
  }

  @Override
  public GpuMemory allocateEvicted(MemoryRequest request) {
    if (request.apertureOffset().isPresent()) {
      throw RmRefusal.missing("allocating at an aperture offset");
    }
    requireSize(request);
    return ask(() -> {
      NvidiaMemory memory = NvidiaMemory.Video.allocateEvicted(this, request.sizeBytes());
      buffers.add(memory);
      return memory;
    });
  }

  @Override
  public int setPools(List<? extends GpuMemory> memories, boolean system) {
    return ask(() -> {
      List<NvidiaMemory.Video> buffers = new ArrayList<>(memories.size());
      for (GpuMemory memory : memories) {
        if (!(memory instanceof NvidiaMemory.Video video) || video.gpu != this) {
          throw RmRefusal.invalid("not allocated in video memory of this open");
        }
        buffers.add(video);
      }
      return buffers.isEmpty() ? 0 : staging().move(this, buffers, system);
    });
  }

  private void requireSize(MemoryRequest request) {
    if (request.sizeBytes() <= 0 || request.sizeBytes() > info().addressSpaceBytes()) {
      throw RmRefusal.noRoom("no such size, bytes=" + request.sizeBytes());
    }
  }

  @Override
  public MemoryRegion addRegion(Fd fd, long offset, long sizeBytes, boolean writable) {
    return ask(() -> {
      NvidiaRegion region = NvidiaRegion.map(this, fd, offset, sizeBytes, writable);
      regions.add(region);
      return region;
    });
  }

  @Override
  public GpuMemory register(MemoryRequest request) {
    requireSize(request);
    return ask(() -> {
      NvidiaMemory memory = new NvidiaMemory.Registered(this, request.sizeBytes());
      buffers.add(memory);
      return memory;
    });
  }

  @Override
  public void copy(GpuMemory from, long fromOffset, GpuMemory to, long toOffset, long bytes) {
    run(() -> {
      GpuVa source = inRange(from, fromOffset, bytes);
      GpuVa target = inRange(to, toOffset, bytes);
      monitor().copy(source, target, bytes);
    });
  }

  @Override
  public void fingerprint(
      GpuMemory memory, long firstPage, int pages, long[] key, GpuMemory into, long intoOffset) {
    run(() -> {
      if (pages < 1 || firstPage < 0 || firstPage > Long.MAX_VALUE / Limits.PAGE_BYTES) {
        throw RmRefusal.invalid("no pages, first=" + firstPage + " pages=" + pages);
      }
      GpuVa from = inRange(memory, firstPage * Limits.PAGE_BYTES, pages * Limits.PAGE_BYTES);
      GpuVa to = inRange(into, intoOffset, pages * 2L * Long.BYTES);
      if (hasher == null) {
        hasher = PageHasher.open(this, monitor().space());
      }
      hasher.run(from, pages, key, to);
    });
  }

  @Override
  public void setSweeping(boolean sweeping) {
    run(() -> {
      shared = !sweeping;
      if (sweeping) {
        channels.all().forEach(NvidiaChannel::announceAgain);
      }
    });
  }

  private GpuVa inRange(GpuMemory memory, long offset, long bytes) {
    if (!(memory instanceof NvidiaMemory buffer) || buffer.gpu != this) {
      throw new IllegalArgumentException("a buffer of another open, memory=" + memory);
    }
    if (offset < 0 || bytes < 0 || offset > buffer.sizeBytes() - bytes) {
      throw RmRefusal.invalid("outside of the buffer, offset=" + offset + " bytes=" + bytes);
    }
    return new GpuVa(buffer.alias().value() + offset);
  }

  @Override
  public Fd events() {
    return events.fd();
  }

  @Override
  public int readEvents(EventSink sink) {
    return events.read(this, sink);
  }

  @Override
  public MemoryUsage usage() {
    return ask(() -> {
      long video = 0;
      long system = 0;
      for (NvidiaMemory memory : buffers) {
        if (memory.isSystem()) {
          system += memory.sizeBytes();
        } else {
          video += memory.sizeBytes();
        }
      }
      return new MemoryUsage(video, system, info().vramBytes(), gpu.vramFreeBytes());
    });
  }

  /** What is left is freed in order, so that no channel outlives what it uses. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      slices.stop();
      try {
        channels.all().forEach(NvidiaChannel::close);
        List.copyOf(spaces).forEach(NvidiaAddressSpace::close);
        List.copyOf(buffers).forEach(NvidiaMemory::close);
        List.copyOf(regions).forEach(NvidiaRegion::close);
        if (spare != null) {
          spare.release();
        }
        if (hasher != null) {
          hasher.close();
        }
        if (monitor != null) {
          monitor.close();
        }
      } finally {
        closed = true;
        gpu.forget(this);
        client.close();
        notifiers.close();
        control.close();
        events.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
