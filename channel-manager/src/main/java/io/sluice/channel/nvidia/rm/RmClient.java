package io.sluice.channel.nvidia.rm;

import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.RmAbi;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.RmIoctl;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.alloc.EventAlloc;
import io.sluice.abi.rm.alloc.Nv0080Alloc;
import io.sluice.abi.rm.alloc.Nv2080Alloc;
import io.sluice.abi.rm.control.GpuIdInfo;
import io.sluice.abi.rm.ioctl.NvAllocOsEvent;
import io.sluice.abi.rm.ioctl.NvRegisterFd;
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
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;

/**
 * A client of RM with its GPU: the root of everything that is made through it. What protects it is
 * its control descriptor, which never leaves this object; freeing the client frees all it has.
 *
 * <p>Every refusal of RM is a {@link RefusedException} with code SLU-RM-004. Any thread may call.
 */
public final class RmClient implements AutoCloseable {
  private static final int NONE = 0;
  private static final int OK = 0;

  private final RmPort port;
  private final RmAbi abi;
  private final RmCard card;
  private final RmHandles handles;
  private final Fd control;
  private final Fd cardFd;
  private int root;
  private int device;
  private int subdevice;
  private int deviceInstance;

  private RmClient(RmPort port, RmAbi abi, RmCard card, RmHandles handles, Fd control, Fd cardFd) {
    this.port = port;
    this.abi = abi;
    this.card = card;
    this.handles = handles;
    this.control = control;
    this.cardFd = cardFd;
  }

  /** A new client that has the card's device and subdevice. */
  public static RmClient open(RmPort port, RmDriver driver, RmCard card, RandomGenerator random) {
    Fd control = port.openControl();
    Fd cardFd;
    try {
      cardFd = registered(port, driver.abi(), card, control);
    } catch (RuntimeException e) {
      control.close();
      throw e;
    }
    RmClient client =
        new RmClient(port, driver.abi(), card, new RmHandles(random), control, cardFd);
    try {
      client.attach();
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
    return client;
  }

  private void attach() {
    root = allocate(NONE, NONE, NONE, RmClass.NV01_ROOT_CLIENT, MemorySegment.NULL);
    int[] instances = new int[2];
    long _ =
        control(
            root,
            RmControl.GPU_GET_ID_INFO_V2,
            block -> GpuIdInfo.GPU_ID.setBits(block, card.gpuId()),
            block -> {
              instances[0] = GpuIdInfo.DEVICE_INSTANCE.bits(block);
              instances[1] = GpuIdInfo.SUB_DEVICE_INSTANCE.bits(block);
              return 0;
            });
    deviceInstance = instances[0];
    device =
        alloc(
            root,
            RmClass.NV01_DEVICE_0,
            block -> {
              Nv0080Alloc.DEVICE_ID.setBits(block, instances[0]);
              Nv0080Alloc.H_CLIENT_SHARE.setBits(block, root);
              Nv0080Alloc.VA_MODE.setBits(block, Nv0080Alloc.VA_MODE_MULTIPLE_VASPACES);
            });
    subdevice =
        alloc(
            device,
            RmClass.NV20_SUBDEVICE_0,
            block -> Nv2080Alloc.SUB_DEVICE_ID.setBits(block, instances[1]));
  }

  public int root() {
    return root;
  }

  public int device() {
    return device;
  }

  public int subdevice() {
    return subdevice;
  }

  /** RM's number of the device among all. */
  public int deviceInstance() {
    return deviceInstance;
  }

  /** Makes an object with a block that starts as zeros. */
  public int alloc(int parent, RmClass type, Consumer<MemorySegment> fill) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block =
          arena.allocate(
              abi.layout(type).orElseThrow(() -> new AssertionError("no block, class=" + type)));
      fill.accept(block);
      return allocNamed(parent, type, block);
    }
  }

  /** Makes an object without a block. */
  public int alloc(int parent, RmClass type) {
    return allocNamed(parent, type, MemorySegment.NULL);
  }

  private int allocNamed(int parent, RmClass type, MemorySegment block) {
    int handle = handles.take();
    try {
      return allocate(root, parent, handle, type, block);
    } catch (RuntimeException e) {
      handles.giveBack(handle);
      throw e;
    }
  }

  private int allocate(int client, int parent, int handle, RmClass type, MemorySegment block) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.RM_ALLOC));
      Nvos21Alloc.H_ROOT.setBits(argument, client);
      Nvos21Alloc.H_PARENT.setBits(argument, parent);
      Nvos21Alloc.H_OBJECT.setBits(argument, handle);
      Nvos21Alloc.H_CLASS.set(argument, type.number());
      Nvos21Alloc.PARAMS.set(argument, block.address());
      Nvos21Alloc.PARAMS_SIZE.setBits(argument, (int) block.byteSize());
      long request = abi.request(RmIoctl.RM_ALLOC);
      port.ioctl(control, RmIoctl.RM_ALLOC, request, argument, block);
      check(type.name(), Nvos21Alloc.STATUS.bits(argument));
      return Nvos21Alloc.H_OBJECT.bits(argument);
    }
  }

  /** Sends a command with a block that starts as zeros. */
  public void control(int object, RmControl command, Consumer<MemorySegment> fill) {
    long _ = control(object, command, fill, _ -> 0);
  }

  /** Sends a command with a block that starts as zeros, and takes a number from the answer. */
  public long control(
      int object,
      RmControl command,
      Consumer<MemorySegment> fill,
      ToLongFunction<MemorySegment> answer) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(abi.layout(command));
      fill.accept(block);
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.RM_CONTROL));
      Nvos54Control.H_CLIENT.setBits(argument, root);
      Nvos54Control.H_OBJECT.setBits(argument, object);
      Nvos54Control.CMD.setBits(argument, command.command());
      Nvos54Control.PARAMS.set(argument, block.address());
      Nvos54Control.PARAMS_SIZE.setBits(argument, (int) block.byteSize());
      port.ioctl(control, RmIoctl.RM_CONTROL, abi.request(RmIoctl.RM_CONTROL), argument, block);
      check(command.name(), Nvos54Control.STATUS.bits(argument));
      return answer.applyAsLong(block);
    }
  }

  /**
   * Whether a channel has nothing left to do: all that was put is fetched, and has finished.
   *
   * @param timeoutUs how long it is looked at, not 0, which RM takes for seconds
   */
  boolean isIdle(int channel, int timeoutUs) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.RM_IDLE_CHANNELS));
      Nvos30IdleChannels.H_CLIENT.setBits(argument, root);
      Nvos30IdleChannels.H_DEVICE.setBits(argument, device);
      Nvos30IdleChannels.H_CHANNEL.setBits(argument, channel);
      Nvos30IdleChannels.NUM_CHANNELS.set(argument, 1);
      Nvos30IdleChannels.FLAGS.setBits(
          argument,
          Nvos30IdleChannels.FLAGS_BEHAVIOR_SPIN
              | Nvos30IdleChannels.FLAGS_CHANNEL_SINGLE
              | Nvos30IdleChannels.FLAGS_IDLE_PUSH_BUFFER
              | Nvos30IdleChannels.FLAGS_IDLE_CACHE1);
      Nvos30IdleChannels.TIMEOUT.setBits(argument, timeoutUs);
      port.ioctl(
          control, RmIoctl.RM_IDLE_CHANNELS, abi.request(RmIoctl.RM_IDLE_CHANNELS), argument);
      int status = Nvos30IdleChannels.STATUS.bits(argument);
      if (status == RmStatus.TIMEOUT.code()) {
        return false;
      }
      check("RM_IDLE_CHANNELS", status);
      return true;
    }
  }

  /** Frees an object and all below it. */
  public void free(int parent, int object) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.RM_FREE));
      Nvos00Free.H_ROOT.setBits(argument, root);
      Nvos00Free.H_PARENT.setBits(argument, parent);
      Nvos00Free.H_OBJECT.setBits(argument, object);
      port.ioctl(control, RmIoctl.RM_FREE, abi.request(RmIoctl.RM_FREE), argument);
      check("RM_FREE", Nvos00Free.STATUS.bits(argument));
    }
    handles.giveBack(object);
  }

  /**
   * Makes memory of mapped pages; they are pinned until it is freed.
   *
   * @param pages at a page boundary, whole pages, writable
   */
  public int registerMemory(MemorySegment pages) {
    int handle = handles.take();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.RM_ALLOC_MEMORY));
      Nvos02AllocMemory.H_ROOT.setBits(argument, root);
      Nvos02AllocMemory.H_PARENT.setBits(argument, device);
      Nvos02AllocMemory.H_OBJECT.setBits(argument, handle);
      Nvos02AllocMemory.H_CLASS.setBits(
          argument, RmClass.NV01_MEMORY_SYSTEM_OS_DESCRIPTOR.number());
      Nvos02AllocMemory.FLAGS.setBits(
          argument,
          Nvos02AllocMemory.FLAGS_PHYSICALITY_NONCONTIGUOUS
              | Nvos02AllocMemory.FLAGS_COHERENCY_CACHED
              | Nvos02AllocMemory.FLAGS_MAPPING_NO_MAP);
      Nvos02AllocMemory.MEMORY.set(argument, pages.address());
      Nvos02AllocMemory.LIMIT.set(argument, pages.byteSize() - 1);
      Nvos02AllocMemory.FD.set(argument, -1);
      long request = abi.request(RmIoctl.RM_ALLOC_MEMORY);
      port.ioctl(cardFd, RmIoctl.RM_ALLOC_MEMORY, request, argument, pages);
      check("RM_ALLOC_MEMORY", Nvos02AllocMemory.STATUS.bits(argument));
      return handle;
    } catch (RuntimeException e) {
      handles.giveBack(handle);
      throw e;
    }
  }

  /** A handle of ours of an object of another client of this process. */
  public int dup(RmClient source, int object) {
    return dup(source.root, object);
  }

  /** The same, of a client by its handle. */
  public int dup(int source, int object) {
    int handle = handles.take();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.RM_DUP_OBJECT));
      Nvos55DupObject.H_CLIENT.setBits(argument, root);
      Nvos55DupObject.H_PARENT.setBits(argument, device);
      Nvos55DupObject.H_OBJECT.setBits(argument, handle);
      Nvos55DupObject.H_CLIENT_SRC.setBits(argument, source);
      Nvos55DupObject.H_OBJECT_SRC.setBits(argument, object);
      port.ioctl(control, RmIoctl.RM_DUP_OBJECT, abi.request(RmIoctl.RM_DUP_OBJECT), argument);
      check("RM_DUP_OBJECT", Nvos55DupObject.STATUS.bits(argument));
      return handle;
    } catch (RuntimeException e) {
      handles.giveBack(handle);
      throw e;
    }
  }

  /**
   * Maps memory in an address space at an address of our choice.
   *
   * @param virtual the space's NV01_MEMORY_VIRTUAL
   * @param flags of {@link Nvos46MapMemoryDma}, beyond those that every mapping has
   */
  void mapDma(int virtual, int memory, long bytes, long address, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.RM_MAP_MEMORY_DMA));
      Nvos46MapMemoryDma.H_CLIENT.setBits(argument, root);
      Nvos46MapMemoryDma.H_DEVICE.setBits(argument, device);
      Nvos46MapMemoryDma.H_DMA.setBits(argument, virtual);
      Nvos46MapMemoryDma.H_MEMORY.setBits(argument, memory);
      Nvos46MapMemoryDma.LENGTH.set(argument, bytes);
      Nvos46MapMemoryDma.FLAGS.setBits(
          argument,
          flags | Nvos46MapMemoryDma.FLAGS_CACHE_SNOOP | Nvos46MapMemoryDma.FLAGS_DMA_OFFSET_FIXED);
      Nvos46MapMemoryDma.DMA_OFFSET.set(argument, address);
      long request = abi.request(RmIoctl.RM_MAP_MEMORY_DMA);
      port.ioctl(control, RmIoctl.RM_MAP_MEMORY_DMA, request, argument);
      check("RM_MAP_MEMORY_DMA", Nvos46MapMemoryDma.STATUS.bits(argument));
      long mapped = Nvos46MapMemoryDma.DMA_OFFSET.get(argument);
      if (mapped != address) {
        // RM rounds an address down to the page, and says success.
        unmapDma(virtual, memory, bytes, mapped);
        throw RmRefusal.invalid(
            "RM maps elsewhere, wanted=0x"
                + Long.toHexString(address)
                + " mapped=0x"
                + Long.toHexString(mapped));
      }
    }
  }

  void unmapDma(int virtual, int memory, long bytes, long address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.RM_UNMAP_MEMORY_DMA));
      Nvos47UnmapMemoryDma.H_CLIENT.setBits(argument, root);
      Nvos47UnmapMemoryDma.H_DEVICE.setBits(argument, device);
      Nvos47UnmapMemoryDma.H_DMA.setBits(argument, virtual);
      Nvos47UnmapMemoryDma.H_MEMORY.setBits(argument, memory);
      Nvos47UnmapMemoryDma.DMA_OFFSET.set(argument, address);
      Nvos47UnmapMemoryDma.SIZE_BYTES.set(argument, bytes);
      long request = abi.request(RmIoctl.RM_UNMAP_MEMORY_DMA);
      port.ioctl(control, RmIoctl.RM_UNMAP_MEMORY_DMA, request, argument);
      check("RM_UNMAP_MEMORY_DMA", Nvos47UnmapMemoryDma.STATUS.bits(argument));
    }
  }

  /**
   * A descriptor through which an object can be mapped, offset 0 and exactly this length, and that
   * is good for nothing else: it is tied to a control descriptor that has no client. One tied to
   * ours could make memory and events in our client, and would keep the client alive.
   *
   * @param owner the device, or the subdevice for what belongs to that
   */
  Fd mappable(int owner, int object, long bytes) {
    Fd fd;
    try (Fd empty = port.openControl()) {
      fd = registered(port, abi, card, empty);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.RM_MAP_MEMORY));
      Nvos33MapMemory.H_CLIENT.setBits(argument, root);
      Nvos33MapMemory.H_DEVICE.setBits(argument, owner);
      Nvos33MapMemory.H_MEMORY.setBits(argument, object);
      Nvos33MapMemory.LENGTH.set(argument, bytes);
      Nvos33MapMemory.FD.set(argument, fd.number());
      port.ioctl(control, RmIoctl.RM_MAP_MEMORY, abi.request(RmIoctl.RM_MAP_MEMORY), argument);
      check("RM_MAP_MEMORY", Nvos33MapMemory.STATUS.bits(argument));
      return fd;
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  /**
   * A descriptor that becomes readable when the GPU notifies; asking whether it is readable takes
   * the readiness away, there is nothing to read.
   *
   * @param notifications indices with flags, of {@link EventAlloc}
   */
  public Fd openEvents(int... notifications) {
    Fd fd = port.openControl();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.ALLOC_OS_EVENT));
      NvAllocOsEvent.H_CLIENT.setBits(argument, root);
      NvAllocOsEvent.H_DEVICE.setBits(argument, device);
      NvAllocOsEvent.FD.set(argument, fd.number());
      port.ioctl(fd, RmIoctl.ALLOC_OS_EVENT, abi.request(RmIoctl.ALLOC_OS_EVENT), argument);
      check("ALLOC_OS_EVENT", NvAllocOsEvent.STATUS.bits(argument));
      for (int notification : notifications) {
        int _ =
            alloc(
                subdevice,
                RmClass.NV01_EVENT_OS_EVENT,
                block -> {
                  EventAlloc.H_PARENT_CLIENT.setBits(block, root);
                  EventAlloc.H_SRC_RESOURCE.setBits(block, subdevice);
                  EventAlloc.H_CLASS.setBits(block, RmClass.NV01_EVENT_OS_EVENT.number());
                  EventAlloc.NOTIFY_INDEX.setBits(block, notification);
                  EventAlloc.DATA.set(block, fd.number());
                });
      }
      return fd;
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  /** A new open of the card's node that may name the clients of a control descriptor. */
  private static Fd registered(RmPort port, RmAbi abi, RmCard card, Fd control) {
    Fd fd = port.openCard(card.minor());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.REGISTER_FD));
      NvRegisterFd.CONTROL_FD.set(argument, control.number());
      port.ioctl(fd, RmIoctl.REGISTER_FD, abi.request(RmIoctl.REGISTER_FD), argument);
      return fd;
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  private static void check(String call, int status) {
    if (status != OK) {
      throw RmRefusal.status(call, status);
    }
  }

  /** The driver frees what the client still has when its last descriptor is closed. */
  @Override
  public void close() {
    try {
      if (root != NONE) {
        int client = root;
        root = NONE;
        freeRoot(client);
      }
    } finally {
      cardFd.close();
      control.close();
    }
  }

  private void freeRoot(int client) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(abi.layout(RmIoctl.RM_FREE));
      Nvos00Free.H_ROOT.setBits(argument, client);
      Nvos00Free.H_PARENT.setBits(argument, client);
      Nvos00Free.H_OBJECT.setBits(argument, client);
      port.ioctl(control, RmIoctl.RM_FREE, abi.request(RmIoctl.RM_FREE), argument);
      check("RM_FREE", Nvos00Free.STATUS.bits(argument));
    }
  }
}
