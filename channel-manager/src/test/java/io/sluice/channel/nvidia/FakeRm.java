package io.sluice.channel.nvidia;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.rm.ErrorNotifier;
import io.sluice.abi.rm.RmAbi;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.RmEngine;
import io.sluice.abi.rm.RmIoctl;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.alloc.ChannelAlloc;
import io.sluice.abi.rm.alloc.ChannelGroupAlloc;
import io.sluice.abi.rm.alloc.MemoryAlloc;
import io.sluice.abi.rm.alloc.MemoryVirtualAlloc;
import io.sluice.abi.rm.control.CeCaps;
import io.sluice.abi.rm.control.ClassList;
import io.sluice.abi.rm.control.DisableChannels;
import io.sluice.abi.rm.control.EngineList;
import io.sluice.abi.rm.control.FbInfo;
import io.sluice.abi.rm.control.MmuFaultInfo;
import io.sluice.abi.rm.control.ResidentChannel;
import io.sluice.abi.rm.control.UtilSamples;
import io.sluice.abi.rm.control.WorkSubmitToken;
import io.sluice.abi.rm.ioctl.NvAllocOsEvent;
import io.sluice.abi.rm.ioctl.NvCardInfo;
import io.sluice.abi.rm.ioctl.NvRegisterFd;
import io.sluice.abi.rm.ioctl.NvVersion;
import io.sluice.abi.rm.ioctl.Nvos00Free;
import io.sluice.abi.rm.ioctl.Nvos02AllocMemory;
import io.sluice.abi.rm.ioctl.Nvos21Alloc;
import io.sluice.abi.rm.ioctl.Nvos30IdleChannels;
import io.sluice.abi.rm.ioctl.Nvos33MapMemory;
import io.sluice.abi.rm.ioctl.Nvos46MapMemoryDma;
import io.sluice.abi.rm.ioctl.Nvos47UnmapMemoryDma;
import io.sluice.abi.rm.ioctl.Nvos54Control;
import io.sluice.abi.rm.ioctl.Nvos55DupObject;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.rm.RmPort;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * RM as the fact sheet of an H200 describes it, without a GPU: a tree of objects per client,
 * mappings per address space, descriptors and what they are tied to. It is strict where RM is
 * forgiving: what would silently destroy a channel is an AssertionError here.
 */
final class FakeRm implements RmPort {
  /** RM's first client. */
  static final int FIRST_CLIENT = 0xc1d0_0018;

  private static final long PAGE = 4096;

  /** An object: its client, its parent and class, and of memory the pages. */
  record Rmo(int client, int parent, int type, @Nullable MemorySegment pages) {
    Rmo with(MemorySegment otherPages) {
      return new Rmo(client, parent, type, otherPages);
    }
  }

  private record Key(int client, int handle) {}

  private final Kernel kernel;
  private final RmAbi abi = RmAbi.of("580.159.04");
  private final Map<Key, Rmo> objects = new LinkedHashMap<>();
  private final Map<Key, ChannelMemory> channels = new LinkedHashMap<>();
  private final Map<Key, TreeMap<Long, Mapped>> mapped = new HashMap<>();
  private final Map<Integer, Integer> clientOfControl = new HashMap<>();
  private final Map<Integer, Integer> controlOfCard = new HashMap<>();
  private final Set<Long> cards = new HashSet<>();
  private int nextClient = FIRST_CLIENT;
  private int nextToken = 0x1_0004;
  private int calls;

  String version = "580.159.04";
  int missingClass;

  /** What GET_MMU_FAULT_INFO tells. */
  long faultAddress;

  /** The call, counted from 1, that RM refuses; 0 for none. */
  int refuseCall;

  /** The host has pages of 4 KiB alone. */
  boolean noLargePages;

  /** RM rounds addresses of mappings down to this. */
  long mapGranularity = PAGE;

  /** Which channel the graphics engine holds. */
  int resident;

  /** How busy that was: parts of 10,000, by the end of the time they are of. */
  final Map<Long, Integer> samples = new TreeMap<>();

  /** A command that is not supported. */
  @Nullable RmControl unsupported;

  final List<String> log = new ArrayList<>();

  /** Handles of channels that wait for a semaphore. */
  final Set<Integer> waiting = new HashSet<>();

  /** What a channel was made over. */
  private record ChannelMemory(
      int userd, int errors, int space, long ring, int entries, int engine) {}

  /** A mapping of a space. */
  private record Mapped(int handle, long bytes) {}

  private final Arena videoMemory = Arena.ofAuto();
  private final Map<Key, Integer> spaceOf = new HashMap<>();
  private final Map<Key, Integer> engineOf = new HashMap<>();
  private final Map<Key, Integer> disabled = new HashMap<>();

  /** Bytes that channels have copied, by engine. */
  final Map<Integer, Long> copied = new HashMap<>();

  FakeRm(Kernel kernel) {
    this.kernel = kernel;
  }

  /** Channels are executed from now on, until it is closed. */
  FakeHopper execute() {
    return new FakeHopper(this);
  }

  /** What the GPU has pinned of pages stays what it was. */
  synchronized void aboutToPunch(MemorySegment pages) {
    objects.replaceAll((_, object) -> {
      MemorySegment own = object.pages();
      boolean same = own != null && own.address() == pages.address();
      return same ? object.with(videoMemory.allocate(PAGE, PAGE).copyFrom(pages)) : object;
    });
  }

  /** A channel as the GPU sees it. */
  record Running(
      int client,
      int handle,
      int space,
      MemorySegment userd,
      long ring,
      int entries,
      int engine,
      boolean on) {}

  synchronized List<Running> running() {
    List<Running> all = new ArrayList<>();
    channels.forEach((key, memory) ->
        all.add(
            new Running(
                key.client(),
                key.handle(),
                memory.space(),
                pages(key.client(), memory.userd()),
                memory.ring(),
                memory.entries(),
                memory.engine(),
                disabled.getOrDefault(key, 0) == 0)));
    return all;
  }

  /** The bytes at an address, as far as one mapping goes; null where nothing is. */
  synchronized @Nullable MemorySegment at(int client, int space, long address) {
    for (Map.Entry<Key, TreeMap<Long, Mapped>> entry : mapped.entrySet()) {
      Key virtual = entry.getKey();
      if (virtual.client() == client && spaceOf.getOrDefault(virtual, 0) == space) {
        Map.Entry<Long, Mapped> found = entry.getValue().floorEntry(address);
        if (found != null && address - found.getKey() < found.getValue().bytes()) {
          return pages(client, found.getValue().handle())
              .asSlice(
                  address - found.getKey(), found.getKey() + found.getValue().bytes() - address);
        }
      }
    }
    return null;
  }

  synchronized void fail(Running channel, int xid) {
    ChannelMemory memory = channels.get(new Key(channel.client(), channel.handle()));
    if (memory != null) {
      fail(channel.client(), memory, xid, 11);
    }
  }

  int calls() {
    return calls;
  }

  Map<String, Integer> objectCounts() {
    Map<String, Integer> counts = new HashMap<>();
    objects.values().forEach(o -> counts.merge(Integer.toHexString(o.type()), 1, Integer::sum));
    return counts;
  }

  /** The client and the handle of the newest object of a class. */
  synchronized int[] newest(RmClass type) {
    Key newest =
        objects.entrySet().stream()
            .filter(entry -> entry.getValue().type() == type.number())
            .map(Map.Entry::getKey)
            .reduce((_, later) -> later)
            .orElseThrow();
    return new int[] {newest.client(), newest.handle()};
  }

  List<Integer> handles() {
    return objects.keySet().stream().map(Key::handle).toList();
  }

  int mappings() {
    return mapped.values().stream().mapToInt(Map::size).sum();
  }

  /** A channel ends with an error, as RM tells it. */
  void failChannel(int xid, int engine) {
    Map.Entry<Key, ChannelMemory> first = channels.entrySet().iterator().next();
    fail(first.getKey().client(), first.getValue(), xid, engine);
  }

  private void fail(int client, ChannelMemory memory, int xid, int engine) {
    MemorySegment pages = pages(client, memory.errors());
    ErrorNotifier.INFO32.setBits(pages, xid);
    ErrorNotifier.INFO16.set(pages, engine);
    ErrorNotifier.STATUS.set(pages, ErrorNotifier.STATUS_ERROR);
  }

  private MemorySegment pages(int client, int handle) {
    Rmo object = objects.get(new Key(client, handle));
    if (object == null || object.pages() == null) {
      throw new AssertionError("no pages, handle=" + Integer.toHexString(handle));
    }
    return object.pages();
  }

  // ---- nodes ----

  @Override
  public Fd openControl() {
    return kernel.eventfd(0, 0);
  }

  /** A file, so that what RM_MAP_MEMORY prepared can be mapped. */
  @Override
  public Fd openCard(int minor) {
    if (minor != 3) {
      throw new AssertionError("no such card, minor=" + minor);
    }
    Fd fd = kernel.memfdCreate("nvidia", PAGE);
    cards.add(kernel.fstat(fd).inode());
    return fd;
  }

  synchronized boolean isCard(Fd fd) {
    return cards.contains(kernel.fstat(fd).inode());
  }

  @Override
  public void ioctl(Fd fd, RmIoctl ioctl, long request, MemorySegment argument) {
    ioctl(fd, ioctl, request, argument, MemorySegment.NULL);
  }

  @Override
  public synchronized void ioctl(
      Fd fd, RmIoctl ioctl, long request, MemorySegment argument, MemorySegment block) {
    if (request != abi.request(ioctl) || argument.byteSize() != abi.layout(ioctl).byteSize()) {
      throw new AssertionError("not the request of " + ioctl);
    }
    calls++;
    boolean refuse = calls == refuseCall;
    switch (ioctl) {
      case CHECK_VERSION_STR -> NvVersion.VERSION_STRING.slice(argument).setString(0, version);
      case CARD_INFO -> card(argument.asSlice(5 * NvCardInfo.SIZE, NvCardInfo.SIZE));
      case REGISTER_FD -> controlOfCard.put(fd.number(), NvRegisterFd.CONTROL_FD.get(argument));
      case RM_ALLOC ->
          Nvos21Alloc.STATUS.setBits(argument, refuse ? noMemory() : alloc(fd, argument, block));
      case RM_CONTROL ->
          Nvos54Control.STATUS.setBits(argument, refuse ? noMemory() : control(argument, block));
      case RM_FREE -> Nvos00Free.STATUS.setBits(argument, free(argument));
      case RM_ALLOC_MEMORY ->
          Nvos02AllocMemory.STATUS.setBits(
              argument, refuse ? noMemory() : allocMemory(argument, block));
      case RM_MAP_MEMORY ->
          Nvos33MapMemory.STATUS.setBits(argument, refuse ? noMemory() : mapMemory(argument));
      case RM_MAP_MEMORY_DMA ->
          Nvos46MapMemoryDma.STATUS.setBits(argument, refuse ? noMemory() : mapDma(argument));
      case RM_UNMAP_MEMORY_DMA -> Nvos47UnmapMemoryDma.STATUS.setBits(argument, unmapDma(argument));
      case ALLOC_OS_EVENT ->
          NvAllocOsEvent.STATUS.setBits(argument, refuse ? noMemory() : osEvent(fd, argument));
      case RM_IDLE_CHANNELS -> Nvos30IdleChannels.STATUS.setBits(argument, idle(argument));
      case RM_DUP_OBJECT ->
          Nvos55DupObject.STATUS.setBits(argument, refuse ? noMemory() : dup(argument));
      case RM_SHARE, RM_UNMAP_MEMORY -> throw new AssertionError("not used, ioctl=" + ioctl);
    }
  }

  private static int noMemory() {
    return RmStatus.NO_MEMORY.code();
  }

  private static void card(MemorySegment card) {
    NvCardInfo.VALID.set(card, 1);
    NvCardInfo.BUS.set(card, 0x65);
    NvCardInfo.VENDOR.set(card, 0x10de);
    NvCardInfo.DEVICE.set(card, 0x2335);
    NvCardInfo.GPU_ID.set(card, 0x6500);
    NvCardInfo.MINOR_NUMBER.set(card, 3);
  }

  // ---- objects ----

  private int alloc(Fd fd, MemorySegment argument, MemorySegment block) {
    int type = Nvos21Alloc.H_CLASS.bits(argument);
    if (type == RmClass.NV01_ROOT_CLIENT.number()) {
      int client = nextClient++;
      clientOfControl.put(fd.number(), client);
      objects.put(new Key(client, client), new Rmo(client, 0, type, null));
      Nvos21Alloc.H_OBJECT.setBits(argument, client);
      return 0;
    }
    int client = Nvos21Alloc.H_ROOT.bits(argument);
    Key parent = new Key(client, Nvos21Alloc.H_PARENT.bits(argument));
    Key key = new Key(client, Nvos21Alloc.H_OBJECT.bits(argument));
    if (!objects.containsKey(parent) || objects.containsKey(key)) {
      return RmStatus.INVALID_OBJECT_HANDLE.code();
    }
    MemorySegment pages = null;
    if (type == RmClass.HOPPER_CHANNEL_GPFIFO_A.number()) {
      channel(key, parent, block);
    } else if (type == RmClass.NV01_MEMORY_VIRTUAL.number()) {
      spaceOf.put(key, MemoryVirtualAlloc.H_VA_SPACE.bits(block));
    } else if (type == RmClass.KEPLER_CHANNEL_GROUP_A.number()) {
      spaceOf.put(key, ChannelGroupAlloc.H_VA_SPACE.bits(block));
      engineOf.put(key, ChannelGroupAlloc.ENGINE_TYPE.bits(block));
    } else if (type == RmClass.NV01_MEMORY_LOCAL_USER.number()
        || type == RmClass.NV01_MEMORY_SYSTEM.number()) {
      boolean large = (MemoryAlloc.ATTR.bits(block) & MemoryAlloc.ATTR_PAGE_SIZE_BIG) != 0;
      if (large && type == RmClass.NV01_MEMORY_SYSTEM.number() && noLargePages) {
        return noMemory();
      }
      pages = videoMemory.allocate(MemoryAlloc.SIZE_BYTES.get(block), PAGE);
      if (type == RmClass.NV01_MEMORY_SYSTEM.number()) {
        pages.fill((byte) 0x6b); // RM may be told not to clear it
      }
    }
    objects.put(key, new Rmo(client, parent.handle(), type, pages));
    return 0;
  }

  private void channel(Key key, Key group, MemorySegment block) {
    int userd = ChannelAlloc.H_USERD_MEMORY.at(0).bits(block);
    channels.put(
        key,
        new ChannelMemory(
            userd,
            ChannelAlloc.H_OBJECT_ERROR.bits(block),
            spaceOf.getOrDefault(group, 0),
            ChannelAlloc.GP_FIFO_OFFSET.get(block),
            ChannelAlloc.GP_FIFO_ENTRIES.bits(block),
            engineOf.getOrDefault(group, 0)));
    disabled.remove(key);
    pages(key.client(), userd).asSlice(0, GuestAbi.CONTROL_OFFSET).fill((byte) 0);
  }

  private static int osEvent(Fd fd, MemorySegment argument) {
    return NvAllocOsEvent.FD.get(argument) == fd.number() ? 0 : RmStatus.INVALID_ARGUMENT.code();
  }

  private int allocMemory(MemorySegment argument, MemorySegment pages) {
    if (pages.address() % PAGE != 0
        || Nvos02AllocMemory.LIMIT.get(argument) != pages.byteSize() - 1
        || Nvos02AllocMemory.MEMORY.get(argument) != pages.address()) {
      return RmStatus.NOT_SUPPORTED.code();
    }
    int client = Nvos02AllocMemory.H_ROOT.bits(argument);
    objects.put(
        new Key(client, Nvos02AllocMemory.H_OBJECT.bits(argument)),
        new Rmo(
            client,
            Nvos02AllocMemory.H_PARENT.bits(argument),
            Nvos02AllocMemory.H_CLASS.bits(argument),
            pages));
    return 0;
  }

  private int free(MemorySegment argument) {
    Key key = new Key(Nvos00Free.H_ROOT.bits(argument), Nvos00Free.H_OBJECT.bits(argument));
    if (!objects.containsKey(key)) {
      return RmStatus.INVALID_OBJECT_HANDLE.code();
    }
    remove(key);
    return 0;
  }

  private void remove(Key key) {
    List<Key> below =
        objects.entrySet().stream()
            .filter(e -> e.getValue().client() == key.client())
            .filter(e -> e.getValue().parent() == key.handle())
            .map(Map.Entry::getKey)
            .toList();
    below.forEach(this::remove);
    Rmo gone = objects.remove(key);
    channels.remove(key);
    mapped.remove(key);
    if (gone != null && gone.type() != RmClass.NV01_ROOT_CLIENT.number()) {
      mapped.forEach((space, all) -> {
        if (space.client() == key.client()) {
          all.values().removeIf(m -> m.handle() == key.handle());
        }
      });
      channels.forEach((channel, memory) -> {
        if (channel.client() == key.client() && memory.userd() == key.handle()) {
          throw new AssertionError("USERD freed under its channel");
        }
      });
    }
  }

  private int dup(MemorySegment argument) {
    int client = Nvos55DupObject.H_CLIENT.bits(argument);
    Key key = new Key(client, Nvos55DupObject.H_OBJECT.bits(argument));
    Rmo source =
        objects.get(
            new Key(
                Nvos55DupObject.H_CLIENT_SRC.bits(argument),
                Nvos55DupObject.H_OBJECT_SRC.bits(argument)));
    if (source == null || objects.containsKey(key)) {
      return RmStatus.INVALID_OBJECT_HANDLE.code();
    }
    objects.put(
        key,
        new Rmo(client, Nvos55DupObject.H_PARENT.bits(argument), source.type(), source.pages()));
    return 0;
  }

  private int idle(MemorySegment argument) {
    if (Nvos30IdleChannels.TIMEOUT.get(argument) == 0) {
      throw new AssertionError("RM takes 0 for 4 seconds");
    }
    Key key =
        new Key(
            Nvos30IdleChannels.H_CLIENT.bits(argument),
            Nvos30IdleChannels.H_CHANNEL.bits(argument));
    if (!channels.containsKey(key)) {
      return RmStatus.INVALID_OBJECT_HANDLE.code();
    }
    log.add("idle?");
    return waiting.contains(key.handle()) ? RmStatus.TIMEOUT.code() : 0;
  }

  // ---- mappings ----

  private int mapMemory(MemorySegment argument) {
    int control = controlOfCard.getOrDefault(Nvos33MapMemory.FD.get(argument), -1);
    if (clientOfControl.containsKey(control)) {
      throw new AssertionError("a descriptor that is handed out can name a client, fd=" + control);
    }
    return 0;
  }

  private int mapDma(MemorySegment argument) {
    Key space =
        new Key(
            Nvos46MapMemoryDma.H_CLIENT.bits(argument), Nvos46MapMemoryDma.H_DMA.bits(argument));
    boolean small =
        (Nvos46MapMemoryDma.FLAGS.bits(argument) & Nvos46MapMemoryDma.FLAGS_PAGE_SIZE_4KB) != 0;
    long address = Nvos46MapMemoryDma.DMA_OFFSET.get(argument) & -(small ? PAGE : mapGranularity);
    TreeMap<Long, Mapped> there = mapped.computeIfAbsent(space, _ -> new TreeMap<>());
    Mapped wanted =
        new Mapped(
            Nvos46MapMemoryDma.H_MEMORY.bits(argument), Nvos46MapMemoryDma.LENGTH.get(argument));
    Map.Entry<Long, Mapped> before = there.lowerEntry(address + wanted.bytes());
    if (before != null && before.getKey() + before.getValue().bytes() > address) {
      return noMemory();
    }
    there.put(address, wanted);
    Nvos46MapMemoryDma.DMA_OFFSET.set(argument, address);
    return 0;
  }

  private int unmapDma(MemorySegment argument) {
    Key space =
        new Key(
            Nvos47UnmapMemoryDma.H_CLIENT.bits(argument),
            Nvos47UnmapMemoryDma.H_DMA.bits(argument));
    Mapped gone =
        mapped
            .getOrDefault(space, new TreeMap<>())
            .remove(Nvos47UnmapMemoryDma.DMA_OFFSET.get(argument));
    return gone == null ? RmStatus.INVALID_OFFSET.code() : 0;
  }

  // ---- commands ----

  private int control(MemorySegment argument, MemorySegment block) {
    int command = Nvos54Control.CMD.bits(argument);
    for (RmControl control : RmControl.values()) {
      if (control.command() == command) {
        if (block.byteSize() != abi.layout(control).byteSize()) {
          return RmStatus.INVALID_ARGUMENT.code();
        }
        if (control == unsupported) {
          return RmStatus.NOT_SUPPORTED.code();
        }
        if (control == RmControl.EVENT_SET_NOTIFICATION
            && objects.values().stream()
                .noneMatch(o -> o.type() == RmClass.NV01_EVENT_OS_EVENT.number())) {
          return RmStatus.INVALID_STATE.code();
        }
        answer(control, block);
        return 0;
      }
    }
    return RmStatus.NOT_SUPPORTED.code();
  }

  private void answer(RmControl control, MemorySegment block) {
    switch (control) {
      case GPU_GET_CLASSLIST_V2 -> {
        int count = 0;
        for (RmClass type : RmClass.values()) {
          if (type.number() != missingClass) {
            ClassList.CLASS_NUMBER.at(count++).set(block, type.number());
          }
        }
        ClassList.COUNT.setBits(block, count);
      }
      case GPU_GET_ENGINES_V2 -> {
        int[] engines = {RmEngine.GRAPHICS, 9, 10, 11, 12, 13};
        EngineList.COUNT.set(block, engines.length);
        for (int i = 0; i < engines.length; i++) {
          EngineList.ENGINE.at(i).setBits(block, engines[i]);
        }
      }
      case CE_GET_CAPS_V2 ->
          CeCaps.CAPS.at(0).set(block, CeCaps.ENGINE_TYPE.bits(block) < 11 ? CeCaps.CAPS_GRCE : 0);
      case FB_GET_INFO_V2 -> FbInfo.LIST.at(1).setBits(block, 1 << 20);
      case GET_MMU_FAULT_INFO -> MmuFaultInfo.address(block, faultAddress);
      case GPFIFO_GET_WORK_SUBMIT_TOKEN -> WorkSubmitToken.TOKEN.setBits(block, nextToken++);
      case FIFO_DISABLE_CHANNELS -> {
        boolean disable = DisableChannels.DISABLE.get(block) == 1;
        log.add(disable ? "disable" : "enable");
        Key key =
            new Key(
                DisableChannels.H_CLIENT.at(0).bits(block),
                DisableChannels.H_CHANNEL.at(0).bits(block));
        disabled.merge(key, disable ? 1 : -1, Integer::sum);
      }
      case GR_GET_CURRENT_RESIDENT_CHANNEL -> ResidentChannel.CHANNEL.setBits(block, resident);
      case PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2 -> {
        log.add("samples?");
        int index = 0;
        for (Map.Entry<Long, Integer> sample : samples.entrySet()) {
          UtilSamples.TIME_NS.set(block, UtilSamples.SAMPLES.offsetOf(index), sample.getKey());
          UtilSamples.GRAPHICS.setBits(
              block, UtilSamples.SAMPLES.offsetOf(index++), sample.getValue());
        }
      }
      case SET_TIMESLICE -> log.add("timeslice " + block.get(ValueLayout.JAVA_LONG, 0));
      case GPU_GET_ID_INFO_V2,
          GPU_GET_NAME_STRING,
          GPU_GET_GID_INFO,
          EVENT_SET_NOTIFICATION,
          GR_SET_CTXSW_PREEMPTION_MODE,
          GPFIFO_SCHEDULE,
          GET_TIMESLICE,
          PREEMPT,
          STOP_CHANNEL -> {}
    }
  }
}
