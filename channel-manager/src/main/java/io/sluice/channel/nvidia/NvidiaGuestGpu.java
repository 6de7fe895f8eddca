package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvParam;
import io.sluice.abi.rm.UsermodePage;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.EventSink;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.nvidia.channel.ChannelHome;
import io.sluice.channel.nvidia.channel.DrainPace;
import io.sluice.channel.nvidia.channel.GuestPages;
import io.sluice.channel.nvidia.channel.NvidiaChannel;
import io.sluice.channel.nvidia.channel.OpenChannels;
import io.sluice.channel.nvidia.memory.MemoryHome;
import io.sluice.channel.nvidia.memory.NvidiaAddressSpace;
import io.sluice.channel.nvidia.memory.NvidiaMemory;
import io.sluice.channel.nvidia.memory.NvidiaRegion;
import io.sluice.channel.nvidia.memory.OpenSpaces;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.rm.OpenLock;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.SharedPages;
import io.sluice.channel.nvidia.submit.Monitor;
import io.sluice.channel.nvidia.time.ChannelSlices;
import io.sluice.channel.nvidia.time.GuestTime;
import io.sluice.channel.nvidia.time.TimeUse;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.GuestLimits;
import io.sluice.quota.Quota;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A guest's open of an NVIDIA GPU: an RM client of its own, so that the driver keeps guests apart
 * and gives everything back when it goes. One lock guards all that belongs to it.
 */
final class NvidiaGuestGpu implements GuestGpu {
  /** How long a step of a drain may wait for a call of the guest. */
  private static final long DRAIN_PATIENCE_NS = 200_000;

  private final NvidiaGpu gpu;
  private final String name;
  private final RmOpen open;
  private final OpenLock lock;
  private final GuestPages pages;
  private final NvidiaEvents events;
  private final Monitor monitor;
  private final MemoryHome memoryHome;
  private final ChannelHome channelHome;
  private final Host host = new Host();

  // Guarded by lock.
  private final OpenChannels channels = new OpenChannels();
  private final OpenSpaces spaces = new OpenSpaces();
  private final Set<NvidiaMemory> buffers = new HashSet<>();
  private final Set<NvidiaRegion> regions = new HashSet<>();
  private final GuestTime time;
  private final ChannelSlices slices;

  /** What a guest that comes will want first, when it stands still. */
  private @Nullable NvidiaAddressSpace spare;

  private NvidiaGuestGpu(
      NvidiaGpu gpu, String name, RmOpen open, GuestPages pages, NvidiaEvents events) {
    this.gpu = gpu;
    this.name = name;
    this.open = open;
    lock = open.lock();
    this.pages = pages;
    this.events = events;
    monitor = new Monitor(open);
    memoryHome = new MemoryHome(open, monitor, spaces, gpu.pool(), gpu.pool(), buffers::remove);
    channelHome = new ChannelHome(open, monitor, pages, host);
    time = new GuestTime(lock, channels, new TimeUse(), gpu.timeSlices().join(name));
    slices = new ChannelSlices(time.slices(), channels);
  }

  /** Takes the client over: it is closed with this, or when this fails. */
  static NvidiaGuestGpu open(NvidiaGpu gpu, String name, RmOpen open) {
    return open(
        gpu, name, open, bytes -> SharedPages.create(open.kernel(), "sluice-control", bytes));
  }

  /**
   * As {@link #open}, over control pages that another daemon shares until {@link #setSweeping} says
   * otherwise.
   *
   * @param control stays the caller's
   */
  static NvidiaGuestGpu adopt(NvidiaGpu gpu, String name, RmOpen open, Fd control) {
    NvidiaGuestGpu made =
        open(gpu, name, open, bytes -> SharedPages.adopt(open.kernel(), control, bytes));
    boolean complete = false;
    try {
      made.setSweeping(false);
      made.lock.run(() -> made.spare = made.newSpace());
      complete = true;
      return made;
    } finally {
      if (!complete) {
        made.close();
      }
    }
  }

  private static NvidiaGuestGpu open(
      NvidiaGpu gpu, String name, RmOpen open, LongFunction<SharedPages> controlPages) {
    List<Runnable> undo = new ArrayList<>();
    undo.add(open.client()::close);
    boolean complete = false;
    try {
      long bytes = gpu.info().maxChannels() * GuestLimits.PAGE_BYTES;
      SharedPages control = controlPages.apply(bytes);
      undo.add(control::close);
      SharedPages notifiers = SharedPages.create(open.kernel(), "sluice-notifiers", bytes);
      undo.add(notifiers::close);
      NvidiaEvents events = NvidiaEvents.open(open.client(), gpu.info().maxChannels());
      complete = true;
      return new NvidiaGuestGpu(
          gpu, name, open, new GuestPages(open.kernel(), control, notifiers), events);
    } finally {
      if (!complete) {
        undo.reversed().forEach(Runnable::run);
      }
    }
  }

  /** The open as a whole, as its channels and address spaces ask it. */
  private final class Host implements ChannelHome.ChannelOwner, NvidiaAddressSpace.SpaceOwner {
    @Override
    public void channelsChanged() {
      slices.divide();
    }

    @Override
    public void drains() {
      channels.noteDrain();
      gpu.wakeUp();
    }

    @Override
    public boolean anotherIsActive() {
      return gpu.anotherIsActive(open);
    }

    @Override
    public boolean anotherWaits() {
      return gpu.anotherWaits(open);
    }

    @Override
    public List<HardwareChannel> stop(NvidiaAddressSpace space) {
      return channels.stop(space);
    }

    @Override
    public void closed(int id) {
      channels.remove(id);
    }

    @Override
    public Channel createChannel(NvidiaAddressSpace space, OptionalInt id) {
      return addChannel(space, id);
    }

    @Override
    public void closed(NvidiaAddressSpace space) {
      spaces.remove(space);
    }
  }

  // ---- for the card ----

  RmOpen open() {
    return open;
  }

  String name() {
    return name;
  }

  long timeNs() {
    return gpu.timeNs();
  }

  private NvidiaAddressSpace newSpace() {
    return NvidiaAddressSpace.create(open, monitor, host);
  }

  private NvidiaChannel addChannel(NvidiaAddressSpace space, OptionalInt wanted) {
    int limit = info().maxChannels();
    int id = wanted.orElseGet(channels::lowestFreeId);
    if (id < 1 || id >= limit) {
      throw RmRefusal.noRoom("no more channels, limit=" + (limit - 1));
    }
    if (channels.has(id)) {
      throw RmRefusal.busy("there is a channel with this id, cid=" + id);
    }
    NvidiaChannel channel = new NvidiaChannel(channelHome, space, id);
    channels.add(channel);
    return channel;
  }

  /** Whether {@link #poll} has something to do; takes no lock. */
  boolean wantsPoll() {
    return !lock.isClosed() && (channels.areDraining() || slices.areStale());
  }

  /** In how many nanoseconds {@link #poll} has something to do; takes no lock. */
  long pollDueInNs(long nowNs) {
    if (!wantsPoll()) {
      return Long.MAX_VALUE;
    }
    return channels.areDraining() ? channels.pollDueInNs(nowNs) : DrainPace.MOST_NS;
  }

  /**
   * Takes the drain of its channels a step further, unless a call of the guest keeps it from that:
   * a drain waits for the copies of its move, the thread of all guests for no long call of one.
   */
  void poll(long nowNs) {
    if (wantsPoll()) {
      lock.runIfFree(
          channels.areDraining() ? DRAIN_PATIENCE_NS : 0,
          () -> {
            slices.refresh(nowNs);
            channels.poll(nowNs);
          });
    }
  }

  @Override
  public void requireDrainGoesOn() {
    channels.requireStep();
  }

  /** Of which what takes no lock may be asked without this one's. */
  OpenChannels channels() {
    return channels;
  }

  // ---- time ----

  /** Of what is shared, relative to the other guests; however many channels it has. */
  @Override
  public void setWeight(int newWeight) {
    if (!Quota.isWeight(newWeight)) {
      throw RmRefusal.invalid("no such weight, weight=" + newWeight);
    }
    lock.run(() -> slices.weigh(newWeight));
    gpu.wakeUp();
  }

  @Override
  public Optional<TimeUsage> timeUsage() {
    return Optional.of(time.use().totals());
  }

  /** Its part in the account of GPU time. */
  GuestTime time() {
    return time;
  }

  /**
   * What has happened to the channels.
   *
   * @param interrupted receives the ids of those that run
   * @param ended receives those that have ended since they were asked last
   * @return how many run
   */
  int collect(int[] interrupted, List<ChannelError> ended, long timeNs) {
    int[] count = new int[1];
    lock.runIfOpen(() -> {
      for (NvidiaChannel channel : channels.all()) {
        channel.takeError(timeNs).ifPresent(ended::add);
        if (channel.mayInterrupt()) {
          interrupted[count[0]++] = channel.id();
        }
      }
    });
    if (wantsPoll()) {
      gpu.wakeUp(); // poison interrupts
    }
    return count[0];
  }

  /** Ends the channels that can reach a region, then takes its pages from the GPU. */
  private void revoke(NvidiaRegion region) {
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
    regions.remove(region);
  }

  private GpuInfo info() {
    return gpu.info();
  }

  // ---- GuestGpu ----

  @Override
  public Optional<SharedArea> controlPages() {
    return Optional.of(pages.all());
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
    return lock.ask(() -> {
      if (spaces.count() >= info().maxAddressSpaces() - 1) {
        throw RmRefusal.noRoom("no more address spaces, limit=" + spaces.count());
      }
      NvidiaAddressSpace space = spare != null ? spare : newSpace();
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
    return lock.ask(() -> {
      NvidiaMemory memory =
          PscnvGem.isSystem(request.flags())
              ? NvidiaMemory.Host.allocate(memoryHome, request.sizeBytes())
              : NvidiaMemory.Video.allocate(memoryHome, request.sizeBytes());
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
    return lock.ask(() -> {
      NvidiaMemory memory = NvidiaMemory.Video.allocateEvicted(memoryHome, request.sizeBytes());
      buffers.add(memory);
      return memory;
    });
  }

  @Override
  public int setPools(List<? extends GpuMemory> memories, boolean system) {
    return lock.ask(() -> {
      List<NvidiaMemory.Video> buffers = new ArrayList<>(memories.size());
      for (GpuMemory memory : memories) {
        if (!(memory instanceof NvidiaMemory.Video video) || !video.isOf(open)) {
          throw RmRefusal.invalid("not allocated in video memory of this open");
        }
        buffers.add(video);
      }
      return buffers.isEmpty() ? 0 : gpu.pool().move(open, spaces, buffers, system);
    });
  }

  private void requireSize(MemoryRequest request) {
    if (request.sizeBytes() <= 0 || request.sizeBytes() > info().addressSpaceBytes()) {
      throw RmRefusal.noRoom("no such size, bytes=" + request.sizeBytes());
    }
  }

  @Override
  public RegisteredMemory addRegion(Fd fd, long offset, long sizeBytes, boolean writable) {
    return lock.ask(() -> {
      NvidiaRegion region = NvidiaRegion.map(open, fd, offset, sizeBytes, writable, this::revoke);
      regions.add(region);
      return region;
    });
  }

  @Override
  public GpuMemory register(MemoryRequest request) {
    requireSize(request);
    return lock.ask(() -> {
      NvidiaMemory memory = new NvidiaMemory.Registered(memoryHome, request.sizeBytes());
      buffers.add(memory);
      return memory;
    });
  }

  @Override
  public void copy(GpuMemory from, long fromOffset, GpuMemory to, long toOffset, long bytes) {
    lock.run(() -> {
      GpuVa source = inRange(from, fromOffset, bytes);
      GpuVa target = inRange(to, toOffset, bytes);
      monitor.copy(source, target, bytes);
    });
  }

  @Override
  public void fingerprint(
      GpuMemory memory, long firstPage, int pages, long[] key, GpuMemory into, long intoOffset) {
    lock.run(() -> {
      if (pages < 1 || firstPage < 0 || firstPage > Long.MAX_VALUE / GuestLimits.PAGE_BYTES) {
        throw RmRefusal.invalid("no pages, first=" + firstPage + " pages=" + pages);
      }
      GpuVa from =
          inRange(memory, firstPage * GuestLimits.PAGE_BYTES, pages * GuestLimits.PAGE_BYTES);
      GpuVa to = inRange(into, intoOffset, pages * 2L * Long.BYTES);
      monitor.fingerprint(from, pages, key, to);
    });
  }

  @Override
  public void setSweeping(boolean sweeping) {
    lock.run(() -> {
      pages.setShared(!sweeping);
      if (sweeping) {
        channels.all().forEach(NvidiaChannel::announceAgain);
      }
    });
  }

  private GpuVa inRange(GpuMemory memory, long offset, long bytes) {
    if (!(memory instanceof NvidiaMemory buffer) || !buffer.isOf(open)) {
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
    return lock.ask(() -> {
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
    lock.close(this::release, this::end);
  }

  private void release() {
    slices.stop();
    channels.all().forEach(NvidiaChannel::close);
    spaces.close();
    List.copyOf(buffers).forEach(NvidiaMemory::close);
    List.copyOf(regions).forEach(NvidiaRegion::close);
    if (spare != null) {
      spare.release();
    }
    monitor.close();
  }

  private void end() {
    gpu.forget(this);
    open.client().close();
    pages.close();
    events.close();
  }
}
