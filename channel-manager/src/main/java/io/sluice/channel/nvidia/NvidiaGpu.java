package io.sluice.channel.nvidia;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.control.ClassList;
import io.sluice.abi.rm.control.FbInfo;
import io.sluice.abi.rm.control.GpuGid;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Capability;
import io.sluice.channel.Gpu;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.evict.EvictionPool;
import io.sluice.channel.nvidia.relay.DriverFiles;
import io.sluice.channel.nvidia.relay.DriverRelay;
import io.sluice.channel.nvidia.relay.RelayLimits;
import io.sluice.channel.nvidia.relay.card.ProgramCopier;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.rm.CopyEngines;
import io.sluice.channel.nvidia.rm.Doorbell;
import io.sluice.channel.nvidia.rm.RmCard;
import io.sluice.channel.nvidia.rm.RmClient;
import io.sluice.channel.nvidia.rm.RmDriver;
import io.sluice.channel.nvidia.rm.RmFiles;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmPort;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.RmSpace;
import io.sluice.channel.nvidia.time.GraphicsEngine;
import io.sluice.channel.nvidia.time.ProgramTime;
import io.sluice.channel.nvidia.time.TimeLooks;
import io.sluice.channel.nvidia.time.TimeSlices;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * A Hopper GPU behind NVIDIA's open kernel modules, through {@code /dev/nvidiactl} and {@code
 * /dev/nvidia<n>} alone.
 *
 * <p>One RM client is kept for questions about the card, one owns the doorbell page and nothing
 * else; each guest gets a client of its own, whose descriptors are never handed out.
 */
public final class NvidiaGpu implements Gpu {
  private static final Pattern NODE = Pattern.compile("/dev/nvidia[0-9]{1,3}");

  /** What this backend can do so far. */
  private static final ImmutableSet<Capability> CAPABILITIES =
      ImmutableSet.of(
          Capability.DOORBELL,
          Capability.GUEST_MEMORY,
          Capability.CHANNEL_EVENTS,
          Capability.CONTROL_WORDS,
          Capability.KILL,
          Capability.SUSPEND,
          Capability.DETACH,
          Capability.STATE_SAVE,
          Capability.EVICTION,
          Capability.BUFFER_COPIES,
          Capability.PAGE_FINGERPRINTS,
          Capability.TIME_SHARES);

  /** What a channel of this backend is made of. */
  private static final ImmutableList<RmClass> CLASSES =
      ImmutableList.of(
          RmClass.HOPPER_CHANNEL_GPFIFO_A,
          RmClass.HOPPER_COMPUTE_A,
          RmClass.HOPPER_DMA_COPY_A,
          RmClass.HOPPER_USERMODE_A);

  private static final String MODEL = "gh100";

  /** The chip's number in the manner of the older cards: GH100. */
  private static final int CHIPSET = 0x180;

  private static final int MAX_CHANNELS = 128;
  private static final int MAX_ADDRESS_SPACES = 128;

  /** The name of opens that are no guest's. */
  private static final String UNSEEN = "";

  private final Kernel kernel;
  private final RandomGenerator random;
  private final RmPort port;
  private final RmDriver driver;
  private final RmCard card;
  private final RmClient client;
  private final Doorbell doorbell;
  private final CopyEngines copyEngines;
  private final GpuInfo info;
  private final Set<NvidiaGuestGpu> guests = ConcurrentHashMap.newKeySet();
  private final Set<ProgramTime> programs = ConcurrentHashMap.newKeySet();
  private final TimeSlices timeSlices = new TimeSlices();
  private final TimeLooks timeLooks;
  private final EvictionPool pool =
      new EvictionPool(this::openRm, this::engineForMoves, this::timeNs);
  private final Warmup warmup;

  private volatile Runnable wakeup = () -> {};

  /**
   * @param name the operator's name for the GPU
   * @param which the card: {@code 0000:65:00.0} or {@code /dev/nvidia0}; empty for the first
   * @param random chooses handles; must not be predictable
   * @throws io.sluice.abi.RefusedException SLU-RM-001 for a driver whose version is not known
   */
  public NvidiaGpu(String name, String which, Kernel kernel, RandomGenerator random) {
    this(name, which, kernel, random, new RmFiles(kernel));
  }

  NvidiaGpu(String name, String which, Kernel kernel, RandomGenerator random, RmPort port) {
    this.kernel = kernel;
    this.random = random;
    this.port = port;
    driver = RmDriver.probe(port);
    card = driver.card(which);
    client = RmClient.open(port, driver, card, random);
    timeLooks =
        new TimeLooks(
            this::timeNs,
            () -> guests.stream().map(NvidiaGuestGpu::time).toList(),
            () -> List.copyOf(programs),
            new GraphicsEngine(client),
            random);
    warmup = new Warmup(this, kernel);
    boolean complete = false;
    try {
      requireClasses(name);
      copyEngines = CopyEngines.ask(client);
      if (copyEngines.isEmpty()) {
        throw RmRefusal.notHopper(name, "copy engine");
      }
      info =
          new GpuInfo(
              name,
              MODEL,
              card.pciVendor(),
              card.pciDevice(),
              CHIPSET,
              0,
              ImmutableList.of(),
              0,
              frameBuffer(FbInfo.HEAP_SIZE),
              MAX_CHANNELS,
              MAX_ADDRESS_SPACES,
              RmSpace.END);
      doorbell = Doorbell.open(port, kernel, driver, card, random);
      complete = true;
    } finally {
      if (!complete) {
        client.close();
      }
    }
  }

  /** Whether a device node is a card of NVIDIA's own driver. */
  public static boolean isNode(Path device) {
    return NODE.matcher(device.toString()).matches();
  }

  /**
   * The relay of the CUDA programs of a guest of this card.
   *
   * @param clock nanoseconds
   * @param dropPrivileges takes all capabilities from the thread that calls it
   * @throws io.sluice.abi.RefusedException SLU-RLY-004 when a node of the driver is missing
   */
  public DriverRelay relay(
      String guest, RelayLimits limits, LongSupplier clock, Runnable dropPrivileges) {
    DriverRelay relay =
        new DriverRelay(
            guest,
            kernel,
            new DriverFiles(kernel, relayCard()),
            relayCard(),
            limits,
            pool,
            timeSlices,
            clock,
            dropPrivileges);
    count(relay);
    return relay;
  }

  /**
   * The relay of the same guest's programs on this card: they may come from that of another.
   *
   * @param video the guest's memory of this card, as far as they may have it
   * @throws io.sluice.abi.RefusedException SLU-RLY-004
   */
  public DriverRelay relayBeside(DriverRelay other, MemoryBudget video) {
    RelayCard here = relayCard();
    DriverRelay relay = other.beside(new DriverFiles(kernel, here), here, video, pool, timeSlices);
    count(relay);
    return relay;
  }

  /** From now on the time of these programs is counted, until they are over. */
  void count(ProgramTime relay) {
    programs.removeIf(ProgramTime::isOver);
    programs.add(relay);
    wakeUp();
  }

  /** What a relay knows of the card. */
  public RelayCard relayCard() {
    return new RelayCard(info.name(), card.gpuId(), card.minor(), client.deviceInstance(), uuid());
  }

  private UUID uuid() {
    UUID[] id = new UUID[1];
    long _ =
        client.control(
            client.subdevice(),
            RmControl.GPU_GET_GID_INFO,
            block -> GpuGid.FLAGS.setBits(block, GpuGid.BINARY),
            block -> {
              id[0] = GpuGid.uuid(block, GpuGid.DATA);
              return 0;
            });
    return id[0];
  }

  private void requireClasses(String name) {
    Set<Integer> offered = new HashSet<>();
    long _ =
        client.control(
            client.device(),
            RmControl.GPU_GET_CLASSLIST_V2,
            _ -> {},
            block -> {
              for (int i = 0;
                  i < Math.min(ClassList.COUNT.get(block), ClassList.CLASS_NUMBER.count());
                  i++) {
                offered.add(ClassList.CLASS_NUMBER.at(i).bits(block));
              }
              return 0;
            });
    for (RmClass type : CLASSES) {
      if (!offered.contains(type.number())) {
        throw RmRefusal.notHopper(name, type.name());
      }
    }
  }

  /** A size in bytes by its index in {@link FbInfo}. */
  private long frameBuffer(int index) {
    return 1024
        * client.control(
            client.subdevice(),
            RmControl.FB_GET_INFO_V2,
            block -> {
              FbInfo.COUNT.set(block, 1);
              FbInfo.LIST.at(0).setBits(block, index);
            },
            block -> FbInfo.LIST.at(1).get(block));
  }

  /** The driver's version, {@code 580.159.04}. */
  public String driverVersion() {
    return driver.version();
  }

  /** PCI addresses of the cards that the driver has. */
  public List<String> cards() {
    return driver.cards().stream().map(RmCard::pciAddress).toList();
  }

  Doorbell doorbell() {
    return doorbell;
  }

  /** Video memory that nobody holds, of this process or another. */
  long vramFreeBytes() {
    return frameBuffer(FbInfo.HEAP_FREE);
  }

  @Override
  public GpuInfo info() {
    return info;
  }

  @Override
  public ImmutableSet<Capability> capabilities() {
    return CAPABILITIES;
  }

  @Override
  public long timeNs() {
    return doorbell.timeNs();
  }

  @Override
  public GuestGpu open(String guestName) {
    return added(NvidiaGuestGpu.open(this, guestName, openRm()));
  }

  @Override
  public GuestGpu adopt(String guestName, AdoptedFiles files) {
    return added(NvidiaGuestGpu.adopt(this, guestName, openRm(), files.control()));
  }

  private RmOpen openRm() {
    RmClient opened = RmClient.open(port, driver, card, random);
    return new RmOpen(opened, kernel, doorbell, copyEngines);
  }

  /** An open of ours that is no guest. */
  NvidiaGuestGpu openUnseen() {
    return NvidiaGuestGpu.open(this, UNSEEN, openRm());
  }

  /** Another one over its control pages. */
  NvidiaGuestGpu adoptUnseen(NvidiaGuestGpu other) {
    return NvidiaGuestGpu.adopt(this, UNSEEN, openRm(), other.controlPages().orElseThrow().fd());
  }

  @Override
  public void setWakeup(Runnable newWakeup) {
    wakeup = newWakeup;
  }

  void wakeUp() {
    wakeup.run();
  }

  @Override
  public long poll(long nowNs) {
    long due = Long.MAX_VALUE;
    for (NvidiaGuestGpu guest : guests) {
      guest.poll(nowNs);
      due = Math.min(due, guest.pollDueInNs(nowNs));
    }
    return due;
  }

  @Override
  public long countTime() {
    return timeLooks.work();
  }

  /** First what a guest that moves would wait for, then pinned memory for evictions. */
  @Override
  public boolean prepareMore(long hostBytes) {
    return warmup.runNext() || pool.prepareOne(hostBytes);
  }

  EvictionPool pool() {
    return pool;
  }

  /** Copies memory of CUDA programs. */
  public ProgramCopier copier() {
    return pool;
  }

  /**
   * On which engine a guest's memory is copied. That of monitors has more of the card's copying
   * units, which fill the bus at any clock, and keep others waiting for it two to three times as
   * long. So it is one that no other guest has a channel on, if any of them may be working.
   */
  private int engineForMoves(RmOpen guest) {
    if (!anotherIsActive(guest)) {
      return copyEngines.ofMonitors();
    }
    return copyEngines.all().stream()
        .filter(engine ->
            guests.stream().noneMatch(g -> g.open() != guest && g.channels().runOn(engine)))
        .findFirst()
        .orElseGet(copyEngines::ofMonitors);
  }

  private NvidiaGuestGpu added(NvidiaGuestGpu guest) {
    guests.add(guest);
    return guest;
  }

  TimeSlices timeSlices() {
    return timeSlices;
  }

  void forget(NvidiaGuestGpu guest) {
    timeSlices.leave(guest.name());
    guests.remove(guest);
    wakeUp(); // the time slices of those that are left
  }

  /** Whether a guest other than this has entries that the GPU has not fetched. */
  boolean anotherWaits(RmOpen than) {
    return guests.stream().anyMatch(guest -> guest.open() != than && guest.channels().haveWork());
  }

  /** Whether a guest other than this may have something to do. */
  boolean anotherIsActive(RmOpen than) {
    return guests.stream().anyMatch(guest -> guest.open() != than && guest.channels().areActive());
  }

  /** Guests are closed before. */
  @Override
  public void close() {
    pool.close();
    doorbell.close();
    client.close();
  }
}
