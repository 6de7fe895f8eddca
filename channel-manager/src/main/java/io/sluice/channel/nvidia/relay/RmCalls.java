package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.ioctl.NvAllocOsEvent;
import io.sluice.abi.rm.ioctl.NvCardInfo;
import io.sluice.abi.rm.ioctl.Nvos00Free;
import io.sluice.abi.rm.ioctl.Nvos02AllocMemory;
import io.sluice.abi.rm.ioctl.Nvos33MapMemory;
import io.sluice.abi.rm.ioctl.Nvos64Alloc;
import io.sluice.abi.rm.program.BlockShape;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.link.DriverPage;
import io.sluice.channel.nvidia.relay.link.HostPages;
import io.sluice.channel.nvidia.relay.link.MapTarget;
import io.sluice.channel.nvidia.relay.link.Node;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/** RM's escapes on the control node and the card's. */
final class RmCalls {
  private final ProgramDriver driver;
  private final PagesCalls pages;
  private final AllocCalls allocs;
  private final ControlCalls controls;

  RmCalls(ProgramDriver driver, PagesCalls pages, PoolCalls pools) {
    this.driver = driver;
    this.pages = pages;
    allocs = new AllocCalls(driver, pages, pools);
    controls = new ControlCalls(driver);
  }

  /**
   * Executes an ioctl.
   *
   * @return what it returns
   * @throws Denial for what the relay refuses; the argument's status is set
   * @throws SyscallException when the driver refuses it with an errno
   * @throws RefusedException SLU-RLY-005
   */
  int execute(DriverCall call) throws Denial {
    ProgramEscape escape =
        ProgramEscape.of(call.request())
            .filter(known -> known.shape().bytes() == call.argument().byteSize())
            .orElseThrow(() ->
                new RefusedException(
                    RelayCode.NOT_LISTED,
                    Errno.EINVAL,
                    String.format("escape, request=0x%x", call.request()),
                    ""));
    MemorySegment argument = call.argument();
    try {
      return execute(escape, call);
    } catch (Denial e) {
      int status = escape.shape().status();
      if (status == BlockShape.NONE) {
        throw new SyscallException("ioctl", escape.name(), Errno.EPERM.number());
      }
      argument.set(ValueLayout.JAVA_INT, status, e.status().code());
      throw e;
    }
  }

  private int execute(ProgramEscape escape, DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    if (escape != ProgramEscape.ALLOC) {
      for (int offset : escape.shape().clients()) {
        driver.requireOwn(argument.get(ValueLayout.JAVA_INT, offset), escape.name());
      }
    }
    requireBlocks(escape, call);
    if (!RecordedCall.isLasting(escape, call)) {
      return make(escape, call);
    }
    RecordedCall recorded = RecordedCall.of(driver.objects().nextOrder(), call);
    driver.heap().require(recorded.heapBytes());
    int result = make(escape, call);
    if (argument.get(ValueLayout.JAVA_INT, escape.shape().status()) == RmStatus.OK.code()) {
      note(escape, call, recorded);
    }
    return result;
  }

  /** What else came along would be kept with the call. */
  private static void requireBlocks(ProgramEscape escape, DriverCall call) throws Denial {
    int most =
        switch (escape) {
          case ALLOC -> 2;
          case CONTROL -> DriverCall.MAX_BLOCKS; // as many as the command has
          default -> 1;
        };
    if (call.blocks().size() > most) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, escape + ": more blocks than it has");
    }
  }

  /** Keeps what has to be asked again when the driver has lost what it made. */
  private void note(ProgramEscape escape, DriverCall call, RecordedCall recorded) {
    MemorySegment argument = call.argument();
    switch (escape) {
      case ALLOC -> {
        int handle = Nvos64Alloc.H_OBJECT.bits(argument);
        int root = Nvos64Alloc.H_ROOT.bits(argument);
        ProgramClass.of(Nvos64Alloc.H_CLASS.bits(argument))
            .flatMap(
                type -> driver.objects().find(AllocCalls.isClient(type) ? handle : root, handle))
            .filter(object -> object.pages().isEmpty())
            .ifPresent(object -> {
              driver.heap().use(recorded.heapBytes());
              object.setMade(recorded);
            });
      }
      case CONTROL -> controls.note(call, recorded);
      default -> call.file().setEvent(NvAllocOsEvent.H_CLIENT.bits(argument), recorded);
    }
  }

  /**
   * Repeats a call, of what the driver has lost.
   *
   * @return RM's status
   * @throws Denial what it would have been denied the first time
   * @throws SyscallException when the driver refuses it with an errno
   */
  int repeat(DriverCall call) throws Denial {
    ProgramEscape escape = ProgramEscape.of(call.request()).orElseThrow();
    int _ = escape == ProgramEscape.CONTROL ? controls.execute(call) : osEvent(escape, call);
    return call.argument().get(ValueLayout.JAVA_INT, escape.shape().status());
  }

  /** Has the card's files that a program cannot wait for be files of the card that it is on. */
  void reopenCards() throws Denial {
    pages.forgetCards();
    for (ProgramFile file : driver.files().all()) {
      if (file.kind() == Node.Kind.CARD && !file.wakes()) {
        file.reopen(driver.port().open(file.node()));
        if (file.tie().isPresent()) {
          try (Arena arena = Arena.ofConfined()) {
            int _ = registerFd(file.tie().get().again(file, arena));
          }
        }
      }
    }
  }

  /**
   * Maps the doorbell of the card that the program is on for a file.
   *
   * @return false when the program has mapped none through it, or has freed it
   * @throws Denial when RM does not
   */
  boolean remapDoorbell(ProgramFile mapped) throws Denial {
    Optional<RecordedCall> made = mapped.doorbell();
    if (made.isEmpty() || driver.files().find(made.get().file()).isEmpty()) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      DriverCall call = made.get().again(driver.file(made.get().file(), "a doorbell"), arena);
      MemorySegment argument = call.argument();
      int client = Nvos33MapMemory.H_CLIENT.bits(argument);
      if (driver.objects().find(client, Nvos33MapMemory.H_MEMORY.bits(argument)).isEmpty()) {
        return false;
      }
      int _ = mapDoorbell(call, mapped);
      int status = Nvos33MapMemory.STATUS.bits(argument);
      if (status != RmStatus.OK.code()) {
        throw new Denial(RmStatus.NO_MEMORY, "RM maps no doorbell, " + RmStatus.nameOf(status));
      }
      return true;
    }
  }

  /** The same of the call that made an object. */
  int repeat(RmObject object, DriverCall call) throws Denial {
    return allocs.repeat(object, call);
  }

  private int make(ProgramEscape escape, DriverCall call) throws Denial {
    return switch (escape) {
      case ALLOC -> allocs.execute(call);
      case CONTROL -> controls.execute(call);
      case ALLOC_MEMORY -> allocMemory(call);
      case FREE -> free(call);
      case MAP_MEMORY -> mapMemory(call);
      case UNMAP_MEMORY, UPDATE_DEVICE_MAPPING_INFO -> ofMapping(escape, call);
      case CARD_INFO -> cardInfo(call);
      case REGISTER_FD -> registerFd(call);
      case ALLOC_OS_EVENT, FREE_OS_EVENT -> osEvent(escape, call);
      case CHECK_VERSION_STR, SYS_PARAMS, NUMA_INFO, WAIT_OPEN_COMPLETE -> pass(call);
    };
  }

  private int pass(DriverCall call) {
    return driver
        .port()
        .ioctl(call.file().fd(), call.request(), call.argument(), List.of(call.argument()));
  }

  private int allocMemory(DriverCall call) throws Denial {
    int type = Nvos02AllocMemory.H_CLASS.bits(call.argument());
    if (type != RmClass.NV01_MEMORY_SYSTEM_OS_DESCRIPTOR.number() || !pages.hasBrought()) {
      throw new Denial(RmStatus.NOT_SUPPORTED, String.format("memory of class 0x%x", type));
    }
    pages.pin(call);
    return 0;
  }

  private int free(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    Optional<RmObject> object =
        driver.objects().find(Nvos00Free.H_ROOT.bits(argument), Nvos00Free.H_OBJECT.bits(argument));
    if (object.filter(driver.objects()::isNeeded).isPresent()) {
      throw new Denial(RmStatus.INVALID_STATE, "memory that a channel needs is to be freed");
    }
    int result = pass(call);
    if (Nvos00Free.STATUS.bits(argument) == RmStatus.OK.code()) {
      object.ifPresent(this::forget);
    }
    return result;
  }

  private void forget(RmObject object) {
    driver.objects().remove(object);
    if (object.name().equals(object.parent())) {
      driver.files().forgetEvents(object.name().client());
    }
  }

  /** Prepares a file to be mapped: by pages of ours, but for the page of the doorbell. */
  private int mapMemory(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    ProgramFile mapped = driver.file(Nvos33MapMemory.FD.get(argument), "RM_MAP_MEMORY");
    RmObject object =
        driver
            .objects()
            .find(Nvos33MapMemory.H_CLIENT.bits(argument), Nvos33MapMemory.H_MEMORY.bits(argument))
            .orElseThrow(() ->
                new Denial(RmStatus.INVALID_OBJECT_HANDLE, "a map of no object of the program"));
    if (object.isDoorbell()) {
      return mapDoorbell(call, mapped);
    }
    if (object.pages().isEmpty()
        && (object.is(ProgramClass.HOPPER_USERMODE_A)
            || object.is(ProgramClass.RM_USER_SHARED_DATA))) {
      object.setPages(copied(call, mapped, object));
    }
    if (PagesCalls.isReplaceable(object) && !driver.objects().isNeeded(object)) {
      object = replace(call.file(), object);
    }
    HostPages of =
        object
            .pages()
            .orElseThrow(() ->
                new Denial(RmStatus.NOT_SUPPORTED, "a map of memory that the GPU has mapped"));
    long offset = Nvos33MapMemory.OFFSET.get(argument);
    long length = Nvos33MapMemory.LENGTH.get(argument);
    if (offset % Kernel.PAGE_BYTES != 0 || !MapTarget.whole(of).has(offset, length)) {
      throw new Denial(RmStatus.INVALID_LIMIT, "a map of more than the object has");
    }
    mapped.setTarget(new MapTarget(of, offset, PagesCalls.roundedUp(length)));
    // A name for the mapping, which RM would make of an address of the kernel's.
    Nvos33MapMemory.LINEAR_ADDRESS.set(
        argument, Integer.toUnsignedLong(object.name().handle()) << 12);
    Nvos33MapMemory.STATUS.setBits(argument, RmStatus.OK.code());
    return 0;
  }

  /**
   * The page of the doorbell is the driver's own. Its file is one that is tied to no client:
   * whoever has it can call nothing with it.
   */
  private int mapDoorbell(DriverCall call, ProgramFile mapped) throws Denial {
    if (mapped.kind() != Node.Kind.CARD || mapped.isTied()) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, "the doorbell by a file of a client");
    }
    mapped.setGiven();
    RecordedCall recorded = RecordedCall.of(driver.objects().nextOrder(), call);
    int result = passMap(call, mapped);
    MemorySegment argument = call.argument();
    if (Nvos33MapMemory.STATUS.bits(argument) == RmStatus.OK.code()) {
      mapped.setDoorbell(recorded);
      long bytes = PagesCalls.roundedUp(Nvos33MapMemory.LENGTH.get(argument));
      mapped.setTarget(new MapTarget(new DriverPage(mapped.fd()), 0, bytes));
    }
    return result;
  }

  /**
   * Pages of ours in place of two that RM has: of what it shares, as it is now, and of the usermode
   * page that nobody rings, empty.
   */
  private HostPages copied(DriverCall call, ProgramFile mapped, RmObject object) throws Denial {
    long length = PagesCalls.roundedUp(Nvos33MapMemory.LENGTH.get(call.argument()));
    if (object.is(ProgramClass.HOPPER_USERMODE_A)) {
      return pages.blank(length);
    }
    int _ = passMap(call, mapped);
    Nvos33MapMemory.LINEAR_ADDRESS.set(call.argument(), 0); // the kernel's
    if (Nvos33MapMemory.STATUS.bits(call.argument()) != RmStatus.OK.code()) {
      throw new Denial(RmStatus.NO_MEMORY, "RM maps no shared data");
    }
    return pages.copy(mapped.fd(), length);
  }

  private int passMap(DriverCall call, ProgramFile mapped) {
    MemorySegment argument = call.argument();
    int number = mapped.number();
    Nvos33MapMemory.FD.set(argument, mapped.fd().number());
    int result = pass(call);
    Nvos33MapMemory.FD.set(argument, number);
    return result;
  }

  /** Rings and USERD: video memory that turns out to be for the processor becomes pages of ours. */
  private RmObject replace(ProgramFile control, RmObject video) throws Denial {
    int status = pages.free(control, video);
    if (status != RmStatus.OK.code()) {
      throw new Denial(RmStatus.INVALID_STATE, "RM frees no such memory");
    }
    driver.objects().remove(video);
    return pages.make(control, video.name(), video.parent().handle(), video.sizeBytes(), 0);
  }

  private int ofMapping(ProgramEscape escape, DriverCall call) {
    MemorySegment argument = call.argument();
    boolean ours =
        driver
            .objects()
            .find(Nvos33MapMemory.H_CLIENT.bits(argument), Nvos33MapMemory.H_MEMORY.bits(argument))
            .flatMap(RmObject::pages)
            .isPresent();
    if (ours) {
      argument.set(ValueLayout.JAVA_INT, escape.shape().status(), RmStatus.OK.code());
      return 0;
    }
    return pass(call);
  }

  /** Tells of the guest's card alone. */
  private int cardInfo(DriverCall call) {
    int result = pass(call);
    for (int i = 0; i < NvCardInfo.MAX_CARDS; i++) {
      MemorySegment card = call.argument().asSlice(i * NvCardInfo.SIZE, NvCardInfo.SIZE);
      if (NvCardInfo.GPU_ID.bits(card) != driver.card().gpuId()) {
        card.fill((byte) 0);
      }
    }
    return result;
  }

  private int registerFd(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    int number = argument.get(ValueLayout.JAVA_INT, 0);
    ProgramFile control = driver.file(number, "REGISTER_FD");
    if (control.kind() != Node.Kind.CONTROL) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, "REGISTER_FD of no control node");
    }
    if (call.file().isGiven()) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, "REGISTER_FD of the doorbell's file");
    }
    call.file().setTie(RecordedCall.of(driver.objects().nextOrder(), call));
    argument.set(ValueLayout.JAVA_INT, 0, control.fd().number());
    try {
      return pass(call);
    } finally {
      argument.set(ValueLayout.JAVA_INT, 0, number);
    }
  }

  private int osEvent(ProgramEscape escape, DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    if (NvAllocOsEvent.FD.get(argument) != call.file().number()) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, escape + " for another file");
    }
    if (call.file().kind() != Node.Kind.CARD) {
      // The program gets its descriptor: that of the control node stays here.
      throw new Denial(RmStatus.INVALID_ARGUMENT, escape + " for a file of no card");
    }
    if (!call.file().wakes() && !pages.mayWake()) {
      throw new Denial(RmStatus.NO_MEMORY, "more files that wake the program than there may be");
    }
    NvAllocOsEvent.FD.set(argument, call.file().fd().number());
    try {
      return pass(call);
    } finally {
      NvAllocOsEvent.FD.set(argument, call.file().number());
      if (escape == ProgramEscape.ALLOC_OS_EVENT
          && NvAllocOsEvent.STATUS.bits(argument) == RmStatus.OK.code()) {
        call.file().setWakes();
      }
      if (escape == ProgramEscape.FREE_OS_EVENT) {
        call.file().forgetEvent(NvAllocOsEvent.H_CLIENT.bits(argument));
      }
    }
  }
}
