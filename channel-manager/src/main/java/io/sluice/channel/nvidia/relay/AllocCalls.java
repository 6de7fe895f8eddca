package io.sluice.channel.nvidia.relay;

import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.alloc.ChannelGroupAlloc;
import io.sluice.abi.rm.alloc.EventAlloc;
import io.sluice.abi.rm.alloc.MemoryAlloc;
import io.sluice.abi.rm.alloc.Nv0080Alloc;
import io.sluice.abi.rm.ioctl.Nvos64Alloc;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.relay.link.Denial;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/** RM_ALLOC: which objects a program may make, and of what. */
final class AllocCalls {
  private static final int ATTR_PAGE_SIZE = 3 << 23;
  private static final int ATTR_PHYSICALITY = 3 << 27;
  private static final int ATTR2_GPU_CACHE = 3 << 2;
  private static final int FORMAT_OF_PAGES = 6;

  /** The answer to a size that RM chose of 4 KiB pages, in any order. */
  private static final int ATTR_PAGES_OF_4KB_NONCONTIGUOUS = 1 << 23 | 1 << 27;

  /** The answer for video memory: huge pages, in any order, in the GPU's caches. */
  private static final int ATTR_OF_VIDEO = MemoryAlloc.ATTR_PAGE_SIZE_HUGE | 2 << 27;

  private static final int ATTR2_OF_VIDEO =
      MemoryAlloc.ATTR2_PAGE_SIZE_HUGE_2MB | MemoryAlloc.ATTR2_GPU_CACHEABLE | 1;

  private final ProgramDriver driver;
  private final PagesCalls pages;
  private final PoolCalls pools;

  AllocCalls(ProgramDriver driver, PagesCalls pages, PoolCalls pools) {
    this.driver = driver;
    this.pages = pages;
    this.pools = pools;
  }

  /** Executes it; what the argument's status says is for whoever called. */
  int execute(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    ProgramClass type =
        ProgramClass.of(Nvos64Alloc.H_CLASS.bits(argument))
            .orElseThrow(() ->
                new Denial(
                    RmStatus.INVALID_CLASS,
                    String.format("class 0x%x", Nvos64Alloc.H_CLASS.bits(argument))));
    if (Nvos64Alloc.RIGHTS.get(argument) != 0 || Nvos64Alloc.FLAGS.bits(argument) != 0) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, type + ": rights or flags");
    }
    Optional<MemorySegment> block = call.block();
    if (block.isPresent()) {
      check(type, call, block.get());
    } else if (type == ProgramClass.NV01_DEVICE_0) {
      throw without(type); // RM would take the first card
    }
    driver.objects().requireRoom(Optional.of(type));
    int client = Nvos64Alloc.H_ROOT.bits(argument);
    if (isClient(type)) {
      requireUnnamed(argument);
    } else {
      driver.requireOwn(client, type.name());
      ProgramDriver.requireOther(client, Nvos64Alloc.H_OBJECT.bits(argument));
    }
    return switch (type) {
      case NV01_MEMORY_SYSTEM -> systemMemory(call, block.orElseThrow(() -> without(type)));
      case NV01_MEMORY_LOCAL_USER -> videoMemory(call, block.orElseThrow(() -> without(type)));
      default -> pass(call, type);
    };
  }

  static boolean isClient(ProgramClass type) {
    return type == ProgramClass.NV01_ROOT || type == ProgramClass.NV01_ROOT_CLIENT;
  }

  private static Denial without(ProgramClass type) {
    return new Denial(RmStatus.INVALID_ARGUMENT, type + " without its block");
  }

  /** A client's handle is RM's to choose: one that a program chose might be another's. */
  private static void requireUnnamed(MemorySegment argument) throws Denial {
    if (Nvos64Alloc.H_OBJECT.bits(argument) != 0) {
      throw new Denial(RmStatus.INVALID_CLIENT, "a client of the program's own naming");
    }
  }

  /** Another client of the program's may go by the handle that RM has just chosen. */
  private void requireFresh(ProgramFile file, int handle) throws Denial {
    if (driver.objects().owns(handle)) {
      driver.port().free(file.fd(), handle);
      throw new Denial(RmStatus.NO_MEMORY, "a client with the name of another");
    }
  }

  /** What an event has to say the kernel keeps until it is asked for it, however much that is. */
  private static void requirePlain(MemorySegment event) throws Denial {
    if ((EventAlloc.NOTIFY_INDEX.bits(event) & EventAlloc.WITHOUT_EVENT_DATA) == 0) {
      throw new Denial(RmStatus.NOT_SUPPORTED, "an event with data");
    }
  }

  /** Checks what a block names, and clears what is none of a program's business. */
  private void check(ProgramClass type, DriverCall call, MemorySegment block) throws Denial {
    if (block.byteSize() != type.shape().bytes()) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, type + ": a block of another size");
    }
    driver.requireOwnClients(block, type.shape());
    driver.translate(block, type.shape(), call.kept());
    switch (type) {
      case NV01_DEVICE_0 -> {
        if (Nv0080Alloc.DEVICE_ID.bits(block) != driver.card().deviceInstance()) {
          throw new Denial(RmStatus.INVALID_ARGUMENT, "another card than the guest's");
        }
        if (Nv0080Alloc.H_CLIENT_SHARE.bits(block) == 0) {
          // It would share one address space with all clients of the host that say so.
          Nv0080Alloc.H_CLIENT_SHARE.setBits(block, Nvos64Alloc.H_ROOT.bits(call.argument()));
        }
      }
      case NV01_MEMORY_SYSTEM, NV01_MEMORY_LOCAL_USER, NV50_MEMORY_VIRTUAL -> {
        clear(block, 96, 8); // address
        clear(block, 112, 4); // internalflags
      }
      case KEPLER_CHANNEL_GROUP_A -> clear(block, 16, 4); // bIsCallingContextVgpuPlugin
      case HOPPER_CHANNEL_GPFIFO_A -> clear(block, 144, 160); // physical memory, process ids
      case HOPPER_USERMODE_A -> clear(block, 1, 1); // bPriv
      case NV01_EVENT_OS_EVENT -> requirePlain(block);
      default -> {}
    }
  }

  private static void clear(MemorySegment block, long offset, long bytes) {
    block.asSlice(offset, bytes).fill((byte) 0);
  }

  /** {@code bBar1Mapping}: the page that is rung; the other is not. */
  private static boolean isInBar1(DriverCall call) {
    return call.block().map(block -> block.get(ValueLayout.JAVA_BYTE, 0) != 0).orElse(false);
  }

  /**
   * Makes an object anew that the driver has lost. The program's client goes by its name, whatever
   * RM calls it now.
   *
   * @param call that made it
   * @return RM's status
   */
  int repeat(RmObject object, DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    ProgramClass type = ProgramClass.of(Nvos64Alloc.H_CLASS.bits(argument)).orElseThrow();
    if (call.block().isPresent()) {
      check(type, call, call.block().get());
    }
    int _ = make(call);
    int status = Nvos64Alloc.STATUS.bits(argument);
    if (isClient(type) && status == RmStatus.OK.code()) {
      driver.port().put(object.name().client(), Nvos64Alloc.H_OBJECT.bits(argument));
    }
    return status;
  }

  private int make(DriverCall call) {
    MemorySegment argument = call.argument();
    long said = Nvos64Alloc.PARAMS_SIZE.get(argument);
    call.kept().pointer(argument, Nvos64Alloc.PARAMS.offset());
    Nvos64Alloc.PARAMS.set(argument, call.block().map(MemorySegment::address).orElse(0L));
    Nvos64Alloc.PARAMS_SIZE.set(argument, 0);
    int result = driver.port().ioctl(call.file().fd(), call.request(), argument, call.blocks());
    Nvos64Alloc.PARAMS_SIZE.set(argument, said);
    return result;
  }

  private int pass(DriverCall call, ProgramClass type) throws Denial {
    MemorySegment argument = call.argument();
    int result = make(call);
    if (type == ProgramClass.NV01_EVENT_OS_EVENT) {
      // RM leaves an address of the kernel's there.
      call.block().ifPresent(block -> EventAlloc.DATA.set(block, 0));
    }
    if (Nvos64Alloc.STATUS.bits(argument) == RmStatus.OK.code()) {
      int handle = Nvos64Alloc.H_OBJECT.bits(argument);
      if (isClient(type)) {
        requireFresh(call.file(), handle);
        driver.objects().addClient(handle, call.file());
      } else {
        RmObject object =
            driver
                .objects()
                .add(
                    Nvos64Alloc.H_ROOT.bits(argument),
                    Nvos64Alloc.H_PARENT.bits(argument),
                    handle,
                    Optional.of(type));
        call.block().ifPresent(block -> driver.objects().channelMemory().add(object, block));
        if (type == ProgramClass.HOPPER_USERMODE_A && isInBar1(call)) {
          object.setDoorbell();
        }
        if (type == ProgramClass.KEPLER_CHANNEL_GROUP_A) {
          addGroup(object, call);
        }
      }
    }
    return result;
  }

  private void addGroup(RmObject object, DriverCall call) {
    Optional<ProgramFile> control = driver.objects().controlOf(object.name().client());
    if (control.isPresent() && call.block().isPresent()) {
      int engine = ChannelGroupAlloc.ENGINE_TYPE.bits(call.block().get());
      driver.objects().groups().add(object.name(), control.get().fd(), engine);
    }
  }

  /** Video memory, of the guest's share; or system memory in its place. */
  private int videoMemory(DriverCall call, MemorySegment block) throws Denial {
    MemorySegment argument = call.argument();
    byte[] parameters = block.toArray(ValueLayout.JAVA_BYTE);
    long wanted = MemoryAlloc.SIZE_BYTES.get(block);
    if (!take(wanted)) {
      return inOtherMemory(argument, block);
    }
    boolean made = false;
    try {
      int result = passVideo(call, block);
      int status = Nvos64Alloc.STATUS.bits(argument);
      made = status == RmStatus.OK.code() && count(argument, block, wanted);
      boolean tooLong = status == RmStatus.OK.code() && !made;
      if (tooLong || status == RmStatus.NO_MEMORY.code() && driver.video().overflows()) {
        var _ = block.copyFrom(MemorySegment.ofArray(parameters));
        return inOtherMemory(argument, block);
      }
      return result;
    } finally {
      if (!made) {
        driver.video().giveBack(wanted);
      }
    }
  }

  private boolean take(long videoBytes) {
    return driver.turn().aside(() -> driver.video().take(videoBytes));
  }

  private int inOtherMemory(MemorySegment argument, MemorySegment block) throws Denial {
    if (driver.video().overflows()) {
      return inSystemMemory(argument, block);
    }
    throw new Denial(RmStatus.NO_MEMORY, "more video memory than the guest may have");
  }

  /**
   * Counts memory as RM has rounded it, which is up to 512 MiB where a program asks for such pages.
   * If that is beyond the guest's share it is freed.
   *
   * @param wanted bytes that are counted already
   * @return whether the program keeps it
   */
  private boolean count(MemorySegment argument, MemorySegment block, long wanted) {
    RmObject object =
        driver
            .objects()
            .find(Nvos64Alloc.H_ROOT.bits(argument), Nvos64Alloc.H_OBJECT.bits(argument))
            .orElseThrow();
    long bytes = Math.max(wanted, MemoryAlloc.SIZE_BYTES.get(block));
    if (bytes > wanted && !take(bytes - wanted)) {
      if (free(object)) {
        return false;
      }
      driver.video().add(bytes - wanted);
    }
    object.setVideoBytes(bytes);
    object.setSizeBytes(bytes);
    return true;
  }

  /** Frees memory; false when RM does not. */
  private boolean free(RmObject object) {
    Optional<ProgramFile> control = driver.objects().controlOf(object.name().client());
    try {
      if (control.isEmpty() || pages.free(control.get(), object) != RmStatus.OK.code()) {
        return false;
      }
    } catch (SyscallException e) {
      return false;
    }
    driver.objects().remove(object);
    return true;
  }

  /** Zeros, as video memory is; answered as RM would answer for that. */
  private int inSystemMemory(MemorySegment argument, MemorySegment block) throws Denial {
    RmObject.Name name =
        new RmObject.Name(Nvos64Alloc.H_ROOT.bits(argument), Nvos64Alloc.H_OBJECT.bits(argument));
    int parent = Nvos64Alloc.H_PARENT.bits(argument);
    ProgramFile control =
        driver
            .objects()
            .controlOf(name.client())
            .orElseThrow(() -> new Denial(RmStatus.INVALID_CLIENT, "a client without its file"));
    long bytes = PoolCalls.roundedUp(MemoryAlloc.SIZE_BYTES.get(block));
    if (name.handle() == 0 || !driver.system().take(bytes)) {
      throw new Denial(RmStatus.NO_MEMORY, "more of the host's memory than the guest may have");
    }
    boolean made = false;
    try {
      int status = pools.makeZeros(control, name, parent, bytes);
      if (status != RmStatus.OK.code()) {
        throw new Denial(
            RmStatus.NO_MEMORY, "no system memory is to be had, " + RmStatus.nameOf(status));
      }
      RmObject object =
          driver
              .objects()
              .add(
                  name.client(),
                  parent,
                  name.handle(),
                  Optional.of(ProgramClass.NV01_MEMORY_LOCAL_USER));
      object.setSystemBytes(bytes);
      object.setSizeBytes(bytes);
      made = true;
    } finally {
      if (!made) {
        driver.system().giveBack(bytes);
      }
    }
    int attr = MemoryAlloc.ATTR.bits(block) & ~(ATTR_PAGE_SIZE | ATTR_PHYSICALITY);
    MemoryAlloc.ATTR.setBits(block, attr | ATTR_OF_VIDEO);
    MemoryAlloc.ATTR2.setBits(
        block, MemoryAlloc.ATTR2.bits(block) & ~ATTR2_GPU_CACHE | ATTR2_OF_VIDEO);
    block.set(ValueLayout.JAVA_INT, 32, FORMAT_OF_PAGES);
    MemoryAlloc.SIZE_BYTES.set(block, bytes);
    MemoryAlloc.LIMIT.set(block, bytes - 1);
    Nvos64Alloc.STATUS.setBits(argument, RmStatus.OK.code());
    return 0;
  }

  /** Where the card has none left others give up first what is beyond their shares. */
  private int passVideo(DriverCall call, MemorySegment block) throws Denial {
    byte[] argument = call.argument().toArray(ValueLayout.JAVA_BYTE);
    byte[] parameters = block.toArray(ValueLayout.JAVA_BYTE);
    int result = pass(call, ProgramClass.NV01_MEMORY_LOCAL_USER);
    if (Nvos64Alloc.STATUS.bits(call.argument()) == RmStatus.NO_MEMORY.code()
        && driver.turn().aside(driver.video()::makeRoom)) {
      var _ = call.argument().copyFrom(MemorySegment.ofArray(argument));
      var _ = block.copyFrom(MemorySegment.ofArray(parameters));
      result = pass(call, ProgramClass.NV01_MEMORY_LOCAL_USER);
    }
    return result;
  }

  /** System memory: of pages of ours, answered as RM would answer for its own. */
  private int systemMemory(DriverCall call, MemorySegment block) throws Denial {
    MemorySegment argument = call.argument();
    RmObject.Name name =
        new RmObject.Name(Nvos64Alloc.H_ROOT.bits(argument), Nvos64Alloc.H_OBJECT.bits(argument));
    int attr = MemoryAlloc.ATTR.bits(block);
    int attr2 = MemoryAlloc.ATTR2.bits(block);
    boolean cached = (attr2 & ATTR2_GPU_CACHE) == MemoryAlloc.ATTR2_GPU_CACHEABLE;
    RmObject object =
        pages.make(
            call.file(),
            name,
            Nvos64Alloc.H_PARENT.bits(argument),
            MemoryAlloc.SIZE_BYTES.get(block),
            cached && !isWriteCombined(attr) ? PagesCalls.GPU_CACHED : 0);
    long bytes = object.sizeBytes();
    MemoryAlloc.ATTR.setBits(
        block, attr & ~(ATTR_PAGE_SIZE | ATTR_PHYSICALITY) | ATTR_PAGES_OF_4KB_NONCONTIGUOUS);
    int uncached = (attr2 & ATTR2_GPU_CACHE) == 0 ? MemoryAlloc.ATTR2_GPU_UNCACHEABLE : 0;
    MemoryAlloc.ATTR2.setBits(block, attr2 | 1 | uncached);
    block.set(ValueLayout.JAVA_INT, 32, FORMAT_OF_PAGES);
    MemoryAlloc.SIZE_BYTES.set(block, bytes);
    MemoryAlloc.ALIGNMENT.set(block, Kernel.PAGE_BYTES);
    MemoryAlloc.LIMIT.set(block, bytes - 1);
    Nvos64Alloc.STATUS.setBits(argument, RmStatus.OK.code());
    return 0;
  }

  /** Pushbuffers: they are read by the GPU past its caches. */
  private static boolean isWriteCombined(int attr) {
    return attr >>> 29 == 2;
  }
}
