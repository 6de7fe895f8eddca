package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
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
import io.sluice.quota.GuestQuota;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A guest's open of an NVIDIA GPU: an RM client of its own, so that the driver keeps guests apart
 * and gives everything back when it goes. One lock guards all that belongs to it.
 */
final class NvidiaGuestGpu implements GuestGpu {
  private static final Logger log = LoggerFactory.getLogger(NvidiaGuestGpu.class);

  /** Weight of a channel of which nobody has said anything, among those of its guest. */
  private static final int USUAL_WEIGHT = 16;

  /** Where guests have no weights: 16 is about what RM gives a channel by itself. */
  private static final long MICROSECONDS_PER_WEIGHT = 64;

  private final NvidiaGpu gpu;
  private final Kernel kernel;
  private final RmClient client;
  private final SharedPages control;
  private final SharedPages notifiers;
  private final NvidiaEvents events;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final TreeMap<Integer, NvidiaChannel> channels = new TreeMap<>();
  private volatile NvidiaChannel[] channelArray = {};
  private final Set<NvidiaAddressSpace> spaces = new HashSet<>();
  private final Set<NvidiaMemory> buffers = new HashSet<>();
  private final Set<NvidiaRegion> regions = new HashSet<>();
  private @Nullable Monitor monitor;

  /** What a guest that comes will want first, when it stands still. */
  private @Nullable NvidiaAddressSpace spare;

  private @Nullable PageHasher hasher;
  private boolean shared;
  private int weight;
  private long slicedUnitNs;
  private boolean closing;
  private volatile boolean closed;

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
    int id = wanted.orElseGet(this::lowestFreeId);
    if (id < 1 || id >= limit) {
      throw RmRefusal.noRoom("no more channels, limit=" + (limit - 1));
    }
    if (channels.containsKey(id)) {
      throw RmRefusal.busy("there is a channel with this id, cid=" + id);
    }
    NvidiaChannel channel =
        new NvidiaChannel(this, space, id, control.page(id), notifiers.page(id));
    channels.put(id, channel);
    channelArray = channels.values().toArray(new NvidiaChannel[0]);
    return channel;
  }

  private int lowestFreeId() {
    int id = 1;
    while (channels.containsKey(id)) {
      id++;
    }
    return id;
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

  /** Stops the channels of an address space that run; the caller lets them go on. */
  List<HardwareChannel> stopChannelsOf(NvidiaAddressSpace space) {
    List<HardwareChannel> stopped = new ArrayList<>();
    for (NvidiaChannel channel : channels.values()) {
      HardwareChannel hardware = channel.hardware();
      if (channel.space() == space && hardware != null && !hardware.isDisabled()) {
        hardware.setDisabled(true);
        stopped.add(hardware);
      }
    }
    return stopped;
  }

  /**
   * Whether all channels that are detached have come to the ends of what they may run. While one
   * waits for what another has yet to release they are given more.
   */
  boolean endOfDetached() {
    boolean all = true;
    boolean impatient = false;
    for (NvidiaChannel channel : channels.values()) {
      Detachment detachment = channel.detachment();
      if (detachment != null) {
        all &= detachment.isAtEnd();
        impatient |= detachment.isPatienceOver();
      }
    }
    if (impatient) {
      passOn();
    }
    return all;
  }

  /** Gives what the guest has put to the channels that are detached. */
  void passOn() {
    for (NvidiaChannel channel : channels.values()) {
      Detachment detachment = channel.detachment();
      if (detachment != null) {
        detachment.passOn();
      }
    }
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

  /** A channel goes on only when it is looked at again. */
  void wantTending() {
    gpu.wantTending();
  }

  /** Looks at channels that are to go on; whether there are any. */
  boolean tend() {
    boolean any = false;
    for (NvidiaChannel channel : channelArray) {
      any |= channel.isAttaching();
    }
    return any && tendChannels();
  }

  private boolean tendChannels() {
    lock.lock();
    try {
      boolean more = false;
      if (!closed) {
        for (NvidiaChannel channel : channelArray) {
          if (channel.isAttaching()) {
            channel.advance();
            more |= channel.isAttaching();
          }
        }
      }
      return more;
    } finally {
      lock.unlock();
    }
  }

  /** Whether a channel may have something to do; takes no lock. */
  boolean isActive() {
    for (NvidiaChannel channel : channelArray) {
      if (channel.isActive()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a channel is on an engine; takes no lock. */
  boolean runsOn(int engine) {
    for (NvidiaChannel channel : channelArray) {
      HardwareChannel hardware = channel.hardware();
      if (hardware != null && hardware.engineType() == engine) {
        return true;
      }
    }
    return false;
  }

  /** Whether a channel has entries that the GPU has not fetched; takes no lock. */
  boolean waits() {
    for (NvidiaChannel channel : channelArray) {
      if (channel.waits()) {
        return true;
      }
    }
    return false;
  }

  // ---- time ----

  /** Of what is shared, relative to the other guests; however many channels it has. */
  @Override
  public void setWeight(int newWeight) {
    if (newWeight < 1 || newWeight > GuestQuota.MAX_WEIGHT) {
      throw RmRefusal.invalid("no such weight, weight=" + newWeight);
    }
    run(() -> {
      weight = newWeight;
      gpu.timeSlices().set(this, newWeight);
      setTimeSlices();
    });
  }

  /** Other guests' weights, or how many of them there are, may have changed the unit. */
  void refreshTimeSlices() {
    if (weight != 0 && gpu.timeSlices().unitNs() != slicedUnitNs) {
      setTimeSlices();
    }
  }

  /** Divides what the guest's weight is worth among its channels of each engine. */
  void setTimeSlices() {
    if (closing) {
      return;
    }
    slicedUnitNs = gpu.timeSlices().unitNs();
    Map<Integer, Integer> wholes = new HashMap<>();
    for (NvidiaChannel channel : channels.values()) {
      HardwareChannel hardware = channel.hardware();
      if (hardware != null) {
        wholes.merge(hardware.engineType(), part(channel), Integer::sum);
      }
    }
    for (NvidiaChannel channel : channels.values()) {
      HardwareChannel hardware = channel.hardware();
      if (hardware != null) {
        setTimeSlice(channel, hardware, wholes.getOrDefault(hardware.engineType(), 1));
      }
    }
  }

  private static int part(NvidiaChannel channel) {
    return channel.weight() == 0 ? USUAL_WEIGHT : channel.weight();
  }

  /** Of a channel that has ended RM may refuse it. */
  private void setTimeSlice(NvidiaChannel channel, HardwareChannel hardware, int whole) {
    try {
      if (weight != 0) {
        hardware.setTimeslice(TimeSlices.microseconds(slicedUnitNs, weight, part(channel), whole));
      } else if (channel.weight() != 0) {
        hardware.setTimeslice(channel.weight() * MICROSECONDS_PER_WEIGHT);
      }
    } catch (RefusedException e) {
      log.atWarn().addKeyValue("cid", channel.id()).setCause(e).log("no time slice was set");
    }
  }

  void forget(NvidiaChannel channel) {
    channels.remove(channel.id());
    channelArray = channels.values().toArray(new NvidiaChannel[0]);
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
        refreshTimeSlices();
        for (NvidiaChannel channel : channelArray) {
          channel.advance();
          if (channel.hasWork()) {
            interrupted[count++] = channel.id();
          } else {
            channel.takeError(timeNs).ifPresent(ended::add);
          }
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
        for (NvidiaChannel channel : channels.values()) {
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
        channels.values().forEach(NvidiaChannel::announceAgain);
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
      closing = true;
      try {
        List.copyOf(channels.values()).forEach(NvidiaChannel::close);
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
