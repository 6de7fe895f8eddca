package io.sluice.channel.nvidia.relay;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.RmIoctl;
import io.sluice.abi.rm.alloc.ChannelAlloc;
import io.sluice.abi.rm.ioctl.Nvos46MapMemoryDma;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.relay.card.ProgramCopier;
import io.sluice.channel.nvidia.relay.link.Node;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.function.LongPredicate;

/**
 * A driver in memory, which knows the calls of CUDA programs: it keeps clients and objects, and
 * refuses what names none of them. It believes its caller, as RM believes the process of the relay.
 */
final class FakeDriver implements DriverPort, ProgramCopier {
  static final int KERNEL_ADDRESS_HIGH = 0xffff_8880;
  static final int FIRST_CLIENT = 0xc1d0_0001;
  static final int IDLE_TOKEN = 0x7_0001;
  static final int NOT_FOUND = 0x57;
  static final int NOT_SUPPORTED = 0x56;
  private static final int NO_MEMORY = 0x51;

  /** A call that came through. */
  record Seen(String node, int request, byte[] argument, List<byte[]> blocks) {
    int word(int at) {
      return MemorySegment.ofArray(argument).get(ValueLayout.JAVA_INT_UNALIGNED, at);
    }

    int inBlock(int at) {
      return MemorySegment.ofArray(blocks.get(1)).get(ValueLayout.JAVA_INT_UNALIGNED, at);
    }

    long longInBlock(int at) {
      return MemorySegment.ofArray(blocks.get(1)).get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }
  }

  private final Kernel kernel;
  private final List<Seen> seen = new ArrayList<>();
  private final Map<Integer, String> open = new HashMap<>();
  private final Map<Fd, String> opened = new LinkedHashMap<>();
  private final Map<Long, Integer> objects = new LinkedHashMap<>();
  private final Map<Long, FakeMemory> memories = new HashMap<>(); // by the objects' names
  private final FakeUvm uvm = new FakeUvm();
  private final Map<Long, Integer> stopped = new HashMap<>(); // channels, how often
  private volatile Map<Integer, Runnable> during = Map.of();
  private int systemLeft = Integer.MAX_VALUE;
  private int copiesLeft = Integer.MAX_VALUE;
  private final Map<Long, MemorySegment> channels = new LinkedHashMap<>(); // their parameters
  private final Map<Long, FakeMemory> ownMaps = new HashMap<>(); // by addresses of spaces of RM
  private final FakeProbes probes = new FakeProbes();
  private int keptContents;
  private volatile IntConsumer bell = _ -> {};
  private int nextClient = FIRST_CLIENT;
  private int token;
  private int refusedCommand = -1;
  private int withoutVideo;
  private long videoPage = 1;
  private boolean looks = true;
  private boolean mappable;
  private Optional<ProgramEscape> refused = Optional.empty();
  private int refusedClass = -1;

  FakeDriver(Kernel kernel) {
    this.kernel = kernel;
  }

  /** What it answers to who asks for a channel's token. */
  synchronized void answerTokens(int next) {
    token = next;
  }

  /** Has all calls of an escape fail. */
  synchronized void refuse(ProgramEscape escape) {
    refused = Optional.of(escape);
  }

  /** Has RM make no objects of a class for the relay itself. */
  synchronized void refuse(ProgramClass type) {
    refusedClass = type.number();
  }

  /** Has RM refuse a command. */
  synchronized void refuse(ProgramControl control) {
    refusedCommand = control.command();
  }

  /** Has the next allocations of video memory find none. */
  synchronized void haveNoVideoMemory(int times) {
    withoutVideo = times;
  }

  /** The pages that video memory is rounded up to. */
  synchronized void roundVideo(long pageBytes) {
    videoPage = pageBytes;
  }

  /** Runs in each call of an escape, before the driver does anything. */
  void during(ProgramEscape escape, Runnable action) {
    during = Map.of(escape.nr(), action);
  }

  /** How many more pieces of system memory there are. */
  synchronized void haveSystemMemory(int pieces) {
    systemLeft = pieces;
  }

  /** Has UVM refuse the next maps. */
  synchronized void refuseMaps(int times) {
    uvm.refuseMaps(times);
  }

  /** Has RM refuse a command that no program sends. */
  synchronized void refuseCommand(int command) {
    refusedCommand = command;
  }

  /** How many more copies succeed. */
  synchronized void copy(int times) {
    copiesLeft = times;
  }

  /** Has the GPU write where an object is mapped, as soon as no channel stands still. */
  synchronized void store(long address, int word) {
    awaitChannels();
    uvm.at(address).word = word;
  }

  /** What the GPU reads there; the same. */
  synchronized int load(long address) {
    awaitChannels();
    return uvm.at(address).word;
  }

  @GuardedBy("this")
  private void awaitChannels() {
    try {
      while (stopped() > 0) {
        wait();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The bytes of the range that begins there. */
  synchronized long rangeBytes(long base) {
    return uvm.rangeBytes(base);
  }

  /** Whether video memory is mapped there. */
  synchronized boolean isVideo(long address) {
    return uvm.at(address).video;
  }

  private static FakeMemory at(Map<Long, FakeMemory> all, long key) {
    FakeMemory memory = all.get(key);
    if (memory == null) {
      throw new AssertionError(String.format("no memory, key=0x%x", key));
    }
    return memory;
  }

  /** How many channels stand still. */
  synchronized long stopped() {
    return stopped.values().stream().filter(times -> times != 0).count();
  }

  @Override
  public synchronized void copy(int client, int from, int to, long bytes) {
    long channels =
        objects.entrySet().stream()
            .filter(each -> each.getKey() >>> 32 == Integer.toUnsignedLong(client))
            .filter(each -> each.getValue() == ProgramClass.HOPPER_CHANNEL_GPFIFO_A.number())
            .count();
    long still =
        stopped.entrySet().stream()
            .filter(each -> each.getKey() >>> 32 == Integer.toUnsignedLong(client))
            .filter(each -> each.getValue() != 0)
            .count();
    assertThat(still).as("channels that stand still while memory moves").isEqualTo(channels);
    if (copiesLeft-- <= 0) {
      throw new RefusedException(RelayCode.NOT_LISTED, Errno.EIO, "no copy", "");
    }
    at(memories, name(client, to)).word = at(memories, name(client, from)).word;
  }

  @Override
  public synchronized KeptContents keep(int client, int object, long bytes) {
    if (copiesLeft-- <= 0) {
      throw new RefusedException(RelayCode.NOT_LISTED, Errno.EIO, "no copy", "");
    }
    int word = at(memories, name(client, object)).word;
    keptContents++;
    return new KeptContents() {
      @Override
      public void copyTo(ProgramCopier by, int toClient, int to) {
        synchronized (FakeDriver.this) {
          at(memories, name(toClient, to)).word = word;
        }
      }

      @Override
      public void close() {
        synchronized (FakeDriver.this) {
          keptContents--;
        }
      }
    };
  }

  /** How many objects' contents are kept. */
  synchronized int keptContents() {
    return keptContents;
  }

  @Override
  public int idleToken() {
    return IDLE_TOKEN;
  }

  @Override
  public void ring(int rung) {
    if (!probes.isAsked(rung)) {
      bell.accept(rung);
    }
  }

  /** What the card does when one of its channels is rung. */
  void onRing(IntConsumer action) {
    bell = action;
  }

  @Override
  public synchronized void clear(int client, int object, long bytes) {
    at(memories, name(client, object)).word = 0;
  }

  /** Whether it remembers the calls that come from now on. */
  synchronized void look(boolean whether) {
    looks = whether;
  }

  synchronized List<Seen> seen() {
    return List.copyOf(seen);
  }

  /** The calls of an escape. */
  List<Seen> seen(ProgramEscape escape) {
    return seen().stream()
        .filter(each -> !each.node().equals("nvidia-uvm") && (each.request() & 0xff) == escape.nr())
        .toList();
  }

  List<Seen> seen(UvmCommand command) {
    return seen().stream()
        .filter(each -> each.node().equals("nvidia-uvm") && each.request() == command.number())
        .toList();
  }

  synchronized int objects() {
    return objects.size();
  }

  @Override
  public List<Node> nodes() {
    return List.of(
        new Node("nvidiactl", Node.Kind.CONTROL, 195, 255, 0x21b6),
        new Node("nvidia0", Node.Kind.CARD, 195, 0, 0x21b6),
        new Node("nvidia-uvm", Node.Kind.UVM, 511, 0, 0x21b6));
  }

  @Override
  public synchronized Fd open(Node node) {
    Fd fd =
        node.kind() == Node.Kind.CARD && mappable
            ? kernel.open(Path.of("/dev/zero"), Kernel.O_RDWR)
            : kernel.eventfd(0, Kernel.NONBLOCK);
    open.put(fd.number(), node.name());
    opened.put(fd, node.name());
    return fd;
  }

  /** Has the nodes of cards be those of a device that can be mapped, as a doorbell is. */
  synchronized void haveMappableCards() {
    mappable = true;
  }

  /** The files of a node, in the order in which they were opened. */
  synchronized List<Fd> opened(String node) {
    return opened.entrySet().stream()
        .filter(each -> each.getValue().equals(node))
        .map(Map.Entry::getKey)
        .toList();
  }

  @Override
  public int ioctl(Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
    during.getOrDefault(request & 0xff, () -> {}).run();
    return call(file, request, argument, blocks);
  }

  private synchronized int call(
      Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
    String node = open.get(file.number());
    if (node == null) {
      throw new SyscallException("ioctl", "no file of the driver", Errno.ENOTTY.number());
    }
    if (looks) {
      List<byte[]> copies =
          blocks.stream().map(block -> block.toArray(ValueLayout.JAVA_BYTE)).toList();
      seen.add(new Seen(node, request, argument.toArray(ValueLayout.JAVA_BYTE), copies));
    }
    if (node.equals("nvidia-uvm")) {
      UvmCommand.of(request).ifPresent(command -> execute(command, argument));
    } else if ((request & 0xff) == RmIoctl.RM_DUP_OBJECT.nr()) {
      duplicate(argument);
    } else if ((request & 0xff) == RmIoctl.RM_MAP_MEMORY_DMA.nr()) {
      ownMaps.put(
          Nvos46MapMemoryDma.DMA_OFFSET.get(argument),
          at(memories, name(word(argument, 0), word(argument, 12))));
    } else {
      execute(ProgramEscape.of(request).orElseThrow(), argument, blocks);
    }
    return 0;
  }

  private void execute(UvmCommand command, MemorySegment argument) {
    if (command == UvmCommand.MAP_EXTERNAL_ALLOCATION) {
      uvm.map(argument, memories.get(name(word(argument, 9252), word(argument, 9256))));
    } else {
      uvm.execute(command, argument);
    }
  }

  private void duplicate(MemorySegment argument) {
    long from = name(word(argument, 12), word(argument, 16));
    long to = name(word(argument, 0), word(argument, 8));
    Integer type = objects.get(from);
    if (type == null || objects.containsKey(to)) {
      set(argument, 24, NOT_FOUND);
      return;
    }
    objects.put(to, type);
    memories.put(to, at(memories, from));
    set(argument, 24, 0);
  }

  private void execute(ProgramEscape escape, MemorySegment argument, List<MemorySegment> blocks) {
    if (refused.filter(escape::equals).isPresent()) {
      throw new SyscallException("ioctl", "refused", Errno.EINVAL.number());
    }
    switch (escape) {
      case ALLOC -> alloc(argument, blocks);
      case ALLOC_MEMORY -> {
        put(argument, 40, word(argument, 0), word(argument, 8), 0x71);
        at(memories, name(word(argument, 0), word(argument, 8))).pages =
            MemorySegment.ofAddress(argument.get(ValueLayout.JAVA_LONG, 24))
                .reinterpret(argument.get(ValueLayout.JAVA_LONG, 32) + 1);
      }
      case FREE -> free(argument);
      case CONTROL -> control(argument, blocks);
      case CARD_INFO -> {
        for (int i = 0; i < 2; i++) {
          argument.set(ValueLayout.JAVA_BYTE, i * 72L, (byte) 1);
          set(argument, i * 72 + 16, 0x100 + i);
        }
      }
      default -> {}
    }
  }

  private void alloc(MemorySegment argument, List<MemorySegment> blocks) {
    int type = word(argument, 12);
    if (isClient(type)) {
      int client = nextClient++;
      set(argument, 8, client);
      put(argument, 40, client, client, type);
      return;
    }
    if (type == ProgramClass.NV01_EVENT_OS_EVENT.number()) {
      set(blocks.get(1), 16, 0x1234_5000);
      set(blocks.get(1), 20, KERNEL_ADDRESS_HIGH);
    }
    if (type == ProgramClass.NV01_MEMORY_LOCAL_USER.number() && withoutVideo > 0) {
      withoutVideo--;
      set(blocks.get(1), 0, -1); // as RM leaves what it has not done
      set(argument, 40, NO_MEMORY);
      return;
    }
    if (type == ProgramClass.NV01_MEMORY_LOCAL_USER.number()) {
      long wanted = blocks.get(1).get(ValueLayout.JAVA_LONG, 64);
      blocks
          .get(1)
          .set(ValueLayout.JAVA_LONG, 64, (wanted + videoPage - 1) / videoPage * videoPage);
    }
    if (type == ProgramClass.NV01_MEMORY_SYSTEM.number() && systemLeft-- <= 0) {
      set(argument, 40, NO_MEMORY);
      return;
    }
    int handle = word(argument, 8);
    if (type == refusedClass && handle >= ProgramObjects.FIRST_HANDLE) {
      set(argument, 40, NOT_SUPPORTED);
      return;
    }
    put(argument, 40, word(argument, 0), handle, type);
    if (handle >= ProgramObjects.FIRST_HANDLE) {
      ofRelay(word(argument, 0), word(argument, 4), handle, type, blocks);
    } else if (type == ProgramClass.HOPPER_CHANNEL_GPFIFO_A.number()) {
      MemorySegment parameters =
          MemorySegment.ofArray(blocks.get(1).toArray(ValueLayout.JAVA_BYTE));
      channels.put(name(word(argument, 0), word(argument, 8)), parameters);
      // RM clears USERD.
      memory(word(argument, 0), word32(parameters, 32))
          .ifPresent(userd ->
              userd
                  .asSlice(parameters.get(ValueLayout.JAVA_LONG_UNALIGNED, 64), 512)
                  .fill((byte) 0));
    }
  }

  private void ofRelay(int client, int parent, int handle, int type, List<MemorySegment> blocks) {
    if (type == ProgramClass.HOPPER_CHANNEL_GPFIFO_A.number()) {
      MemorySegment parameters = blocks.get(1);
      long address = ChannelAlloc.GP_FIFO_OFFSET.get(parameters);
      Map<Long, FakeMemory> space =
          ChannelAlloc.H_CONTEXT_SHARE.bits(parameters) != 0 ? ownMaps : uvm.mapped();
      MemorySegment userd = memory(client, word32(parameters, 32)).orElseThrow();
      probes.add(name(client, handle), parent, address, at(space, address).pages, userd);
    } else {
      probes.bind(parent);
    }
  }

  private static int word32(MemorySegment block, long at) {
    return block.get(ValueLayout.JAVA_INT_UNALIGNED, at);
  }

  /** The pages of an object. */
  private Optional<MemorySegment> memory(int client, int handle) {
    return Optional.ofNullable(memories.get(name(client, handle)))
        .map(memory -> memory.pages)
        .filter(pages -> pages.byteSize() > 0);
  }

  /** The parameters of the newest channel. */
  synchronized MemorySegment channel() {
    return channels.values().stream().reduce((_, last) -> last).orElseThrow();
  }

  /** The pages that are mapped at an address of UVM's. */
  synchronized MemorySegment pagesAt(long address) {
    return uvm.at(address).pages;
  }

  /** What the newest channel has for USERD. */
  synchronized MemorySegment userd() {
    int client = (int) (channels.keySet().stream().reduce((_, last) -> last).orElseThrow() >>> 32);
    MemorySegment parameters = channel();
    return memory(client, word32(parameters, 32))
        .orElseThrow()
        .asSlice(parameters.get(ValueLayout.JAVA_LONG_UNALIGNED, 64), 512);
  }

  /** The channels that the relay has made itself. */
  FakeProbes probes() {
    return probes;
  }

  static boolean isClient(int type) {
    return type == ProgramClass.NV01_ROOT.number()
        || type == ProgramClass.NV01_ROOT_CLIENT.number();
  }

  private void put(MemorySegment argument, int status, int client, int handle, int type) {
    objects.put(name(client, handle), type);
    boolean video = type == ProgramClass.NV01_MEMORY_LOCAL_USER.number();
    memories.put(name(client, handle), new FakeMemory(video));
    set(argument, status, 0);
  }

  private void free(MemorySegment argument) {
    int client = word(argument, 0);
    int handle = word(argument, 8);
    boolean known = objects.remove(name(client, handle)) != null;
    memories.remove(name(client, handle));
    LongPredicate gone =
        each ->
            client == handle
                ? each >>> 32 == Integer.toUnsignedLong(client)
                : each == name(client, handle);
    channels.keySet().removeIf(gone::test);
    probes.removeIf(gone);
    stopped.keySet().removeIf(gone::test);
    if (client == handle) {
      objects.keySet().removeIf(each -> each >>> 32 == Integer.toUnsignedLong(client));
    }
    set(argument, 12, known ? 0 : NOT_FOUND);
  }

  private void control(MemorySegment argument, List<MemorySegment> blocks) {
    set(argument, 28, word(argument, 8) == refusedCommand ? NOT_SUPPORTED : 0);
    if (word(argument, 8) == ProgramControl.GPFIFO_GET_WORK_SUBMIT_TOKEN.command()) {
      set(blocks.get(1), 0, probes.has(word(argument, 4)) ? word(argument, 4) : token);
      Optional.ofNullable(channels.get(name(word(argument, 0), word(argument, 4))))
          .flatMap(channel -> memory(word(argument, 0), word32(channel, 0)))
          .ifPresent(notifier -> notifier.set(ValueLayout.JAVA_INT, 24, token));
    }
    if (word(argument, 8) == RmControl.FIFO_DISABLE_CHANNELS.command() && word(argument, 28) == 0) {
      stop(blocks.get(1));
    }
    if (word(argument, 8) == 0x201) {
      for (int i = 0; i < 32; i++) {
        set(blocks.get(1), i * 4, i < 2 ? 0x100 + i : -1);
      }
    }
    if (word(argument, 8) == ProgramControl.GPU_GET_ACTIVE_DEVICE_IDS.command()) {
      set(blocks.get(1), 0, 2);
      set(blocks.get(1), 4, 0x101);
      set(blocks.get(1), 16, 0x100);
      set(blocks.get(1), 20, -1);
    }
    if (word(argument, 8) == ProgramControl.GPU_GET_INFO_V2.command()) {
      set(blocks.get(1), 0, 2);
      set(blocks.get(1), 4, 0x11);
      set(blocks.get(1), 8, 1);
      set(blocks.get(1), 12, 0x2d);
      set(blocks.get(1), 16, 1);
    }
    if (word(argument, 8) == ProgramControl.GET_GPU_FABRIC_PROBE_INFO.command()) {
      blocks.get(1).fill((byte) 3);
    }
    for (int i = 2; i < blocks.size(); i++) {
      blocks.get(i).fill((byte) ('a' + i));
    }
  }

  private void stop(MemorySegment block) {
    int change = block.get(ValueLayout.JAVA_BYTE, 0) == 0 ? -1 : 1;
    for (int i = 0; i < word(block, 4); i++) {
      long channel = name(word(block, 24 + i * 4), word(block, 280 + i * 4));
      assertThat(objects).containsKey(channel);
      stopped.merge(channel, change, Integer::sum);
    }
    notifyAll();
  }

  private static long name(int client, int handle) {
    return (long) client << 32 | Integer.toUnsignedLong(handle);
  }

  private static int word(MemorySegment block, int at) {
    return block.get(ValueLayout.JAVA_INT, at);
  }

  private static void set(MemorySegment block, int at, int value) {
    block.set(ValueLayout.JAVA_INT, at, value);
  }
}
