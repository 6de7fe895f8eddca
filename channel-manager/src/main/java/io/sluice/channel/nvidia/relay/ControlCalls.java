package io.sluice.channel.nvidia.relay;

import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.control.CtxswPreemption;
import io.sluice.abi.rm.control.Timeslice;
import io.sluice.abi.rm.ioctl.Nvos54Control;
import io.sluice.abi.rm.program.BlockShape;
import io.sluice.abi.rm.program.BlockShape.ListShape;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.channel.nvidia.relay.link.Denial;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/** RM_CONTROL: which commands a program may send, and of what cards it hears. */
final class ControlCalls {
  private static final int NO_GPU = -1;
  private static final int ALL_GPUS = 0;
  private static final int GPU_IDS = 32;

  /** Of GPU_GET_ACTIVE_DEVICE_IDS: most of its devices, where they begin, and how long one is. */
  private static final int MAX_DEVICES = 256;

  private static final long DEVICES = 4;
  private static final long DEVICE_BYTES = 12;

  /** Of GPU_GET_INFO_V2: most of its pairs, where they begin, and how long one is. */
  private static final int MAX_INFOS = 70;

  private static final long INFOS = 4;
  private static final long INFO_BYTES = 8;

  /** Index of a pair: whether another card reaches memory by an address of a fabric. */
  private static final int FLA_CAPABILITY = 0x2d;

  /** {@code pszName} of GPU_GET_ID_INFO, which the driver does not look at. */
  private static final long NAME_POINTER = 16;

  /** Longest time slice in microseconds: what libcuda asks for. */
  private static final long MAX_TIMESLICE_US = 2048;

  private final ProgramDriver driver;

  ControlCalls(ProgramDriver driver) {
    this.driver = driver;
  }

  int execute(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    driver.requireOwn(Nvos54Control.H_CLIENT.bits(argument), "RM_CONTROL");
    int command = Nvos54Control.CMD.bits(argument);
    ProgramControl control =
        ProgramControl.of(command)
            .orElseThrow(
                () -> new Denial(RmStatus.NOT_SUPPORTED, String.format("command 0x%08x", command)));
    if (Nvos54Control.FLAGS.bits(argument) != 0) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, control + ": flags");
    }
    connect(call, control);
    if (isAnswered(control) || isOfSystemMemory(control, call)) {
      Nvos54Control.STATUS.setBits(argument, RmStatus.OK.code());
      return 0;
    }
    if (call.block().isPresent()) {
      before(control, call, call.block().get());
    }
    int result = driver.port().ioctl(call.file().fd(), call.request(), argument, call.blocks());
    if (call.block().isPresent() && Nvos54Control.STATUS.bits(argument) == RmStatus.OK.code()) {
      after(control, argument, call.block().get());
    }
    return result;
  }

  /**
   * Whether a command is answered here, with success.
   *
   * <ul>
   *   <li>One opens the program's objects to others of the process that makes the calls: ours.
   *   <li>One has RM see to the card's interrupts, which it does by itself. Libcuda sends it when
   *       it has waited for a second, and waits no longer if that is refused: a kernel would seem
   *       to be over that is not.
   *   <li>One clears the errors of whatever channel the graphics engine has, be it another guest's.
   *       Libcuda sends it for a channel that has ended, whose errors nobody asks for again.
   * </ul>
   */
  private static boolean isAnswered(ProgramControl control) {
    return control == ProgramControl.CLIENT_SET_INHERITED_SHARE_POLICY
        || control == ProgramControl.MC_SERVICE_INTERRUPTS
        || control == ProgramControl.DEBUG_CLEAR_ALL_SM_ERROR_STATES;
  }

  /**
   * Whether a command tells that another device may reach memory which is, or was, moved to system
   * memory: RM knows no such memory, and has forgotten what it knew when that moved.
   */
  private boolean isOfSystemMemory(ProgramControl control, DriverCall call) {
    if (control != ProgramControl.REGISTER_VIDMEM && control != ProgramControl.UNREGISTER_VIDMEM) {
      return false;
    }
    Optional<RmObject> memory = registered(call.argument(), call.block().orElseThrow());
    if (control == ProgramControl.REGISTER_VIDMEM) {
      memory.filter(RmObject::isOfSystem).ifPresent(RmObject::setData);
      return memory.filter(RmObject::isOfSystem).isPresent();
    }
    return memory.filter(RmObject::hasMoved).isPresent();
  }

  private Optional<RmObject> registered(MemorySegment argument, MemorySegment block) {
    return driver
        .objects()
        .find(Nvos54Control.H_CLIENT.bits(argument), block.get(ValueLayout.JAVA_INT, 0));
  }

  /** Has every pointer lead to the block that came for it, or nowhere. */
  private static void connect(DriverCall call, ProgramControl control) throws Denial {
    MemorySegment argument = call.argument();
    BlockShape shape = control.shape();
    long bytes = call.block().map(MemorySegment::byteSize).orElse(0L);
    boolean fits = shape.bytes() == BlockShape.ANY || bytes == shape.bytes();
    if (!fits || bytes != Nvos54Control.PARAMS_SIZE.get(argument)) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, control + ": a block of another size");
    }
    call.kept().pointer(argument, Nvos54Control.PARAMS.offset());
    Nvos54Control.PARAMS.set(argument, call.block().map(MemorySegment::address).orElse(0L));
    List<ListShape> lists = shape.lists();
    if (call.blocks().size() > 2 + lists.size() || bytes == 0 && !lists.isEmpty()) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, control + ": other blocks than it has");
    }
    for (int i = 0; i < lists.size(); i++) {
      connectList(call, control, i);
    }
  }

  private static void connectList(DriverCall call, ProgramControl control, int index)
      throws Denial {
    ListShape list = control.shape().lists().get(index);
    MemorySegment block = call.block().orElseThrow();
    MemorySegment content =
        call.blocks().size() > 2 + index ? call.blocks().get(2 + index) : MemorySegment.NULL;
    long count = Integer.toUnsignedLong(block.get(ValueLayout.JAVA_INT, list.count()));
    if (control == ProgramControl.SYSTEM_GET_P2P_CAPS && count > 1) {
      // The lists are as long as the square of the count; a guest has one card.
      throw new Denial(RmStatus.NOT_SUPPORTED, control + " of several cards");
    }
    if (content.byteSize() != 0 && content.byteSize() != count * list.element()) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, control + ": a list of another length");
    }
    long address = content.byteSize() == 0 ? 0 : content.address();
    call.kept().pointer(block, list.pointer());
    block.set(ValueLayout.JAVA_LONG, list.pointer(), address);
  }

  private void before(ProgramControl control, DriverCall call, MemorySegment block) throws Denial {
    MemorySegment argument = call.argument();
    switch (control) {
      case GPU_GET_ID_INFO -> {
        block.set(ValueLayout.JAVA_LONG, NAME_POINTER, 0);
        requireOwnCards(block, 1, control);
      }
      case GPU_ATTACH_IDS -> {
        if (block.get(ValueLayout.JAVA_INT, 0) == ALL_GPUS) {
          block.set(ValueLayout.JAVA_INT, 0, driver.card().gpuId());
          block.set(ValueLayout.JAVA_INT, Integer.BYTES, NO_GPU);
        }
        requireOwnCards(block, GPU_IDS, control);
      }
      case GPU_ASYNC_ATTACH_ID, GPU_GET_ID_INFO_V2, GPU_GET_PCI_INFO, GPU_QUERY_DRAIN_STATE ->
          requireOwnCards(block, 1, control);
      case GR_SET_CTXSW_PREEMPTION_MODE -> Preemption.require(block);
      case GPFIFO_SCHEDULE -> {
        if (driver.objects().groups().computes(named(argument))) {
          Preemption.require(driver, call.file(), named(argument));
        }
      }
      case SET_TIMESLICE ->
          Timeslice.MICROSECONDS.set(block, slice(argument, Timeslice.MICROSECONDS.get(block)));
      default -> {}
    }
  }

  private static RmObject.Name named(MemorySegment argument) {
    return new RmObject.Name(
        Nvos54Control.H_CLIENT.bits(argument), Nvos54Control.H_OBJECT.bits(argument));
  }

  /** What a group has of its guest's time; where guests have no weights, what it asks for. */
  private long slice(MemorySegment argument, long wanted) {
    return driver
        .objects()
        .groups()
        .slice(named(argument))
        .orElse(Long.compareUnsigned(wanted, MAX_TIMESLICE_US) > 0 ? MAX_TIMESLICE_US : wanted);
  }

  private void requireOwnCards(MemorySegment block, int most, ProgramControl control)
      throws Denial {
    for (int i = 0; i < most; i++) {
      int id = block.getAtIndex(ValueLayout.JAVA_INT, i);
      if (id == NO_GPU) {
        return;
      }
      if (id != driver.card().gpuId()) {
        throw new Denial(RmStatus.INVALID_ARGUMENT, control + " of another card");
      }
    }
  }

  /** Keeps a command with what it is about. */
  void note(DriverCall call, RecordedCall recorded) {
    MemorySegment argument = call.argument();
    long command = Integer.toUnsignedLong(Nvos54Control.CMD.bits(argument)) << Integer.SIZE;
    switch (ProgramControl.of(Nvos54Control.CMD.bits(argument)).orElseThrow()) {
      case REGISTER_VIDMEM ->
          registered(argument, call.block().orElseThrow())
              .ifPresent(memory -> memory.note(command, recorded, driver.heap()));
      case GR_SET_CTXSW_PREEMPTION_MODE ->
          find(argument, CtxswPreemption.H_CHANNEL.bits(call.block().orElseThrow()))
              .ifPresent(channel -> channel.note(command, recorded, driver.heap()));
      case REGISTER_VA_SPACE ->
          find(argument, Nvos54Control.H_OBJECT.bits(argument))
              .ifPresent(device -> device.note(command | firstWord(call), recorded, driver.heap()));
      default ->
          find(argument, Nvos54Control.H_OBJECT.bits(argument))
              .ifPresent(object -> object.note(command, recorded, driver.heap()));
    }
  }

  private Optional<RmObject> find(MemorySegment argument, int handle) {
    return driver.objects().find(Nvos54Control.H_CLIENT.bits(argument), handle);
  }

  private static long firstWord(DriverCall call) {
    return Integer.toUnsignedLong(call.block().orElseThrow().get(ValueLayout.JAVA_INT, 0));
  }

  private static long key(ProgramControl control) {
    return Integer.toUnsignedLong(control.command()) << Integer.SIZE;
  }

  private void after(ProgramControl control, MemorySegment argument, MemorySegment block) {
    if (control == ProgramControl.GPFIFO_GET_WORK_SUBMIT_TOKEN) {
      driver
          .objects()
          .find(Nvos54Control.H_CLIENT.bits(argument), Nvos54Control.H_OBJECT.bits(argument))
          .filter(object -> object.is(ProgramClass.HOPPER_CHANNEL_GPFIFO_A))
          .ifPresent(channel ->
              driver
                  .objects()
                  .groups()
                  .number(channel.name(), channel.parent(), block.get(ValueLayout.JAVA_INT, 0)));
    }
    if (control == ProgramControl.REGISTER_VIDMEM) {
      registered(argument, block).ifPresent(RmObject::setData);
    }
    if (control == ProgramControl.UNREGISTER_VIDMEM) {
      registered(argument, block)
          .ifPresent(memory -> memory.untell(key(ProgramControl.REGISTER_VIDMEM), driver.heap()));
    }
    if (control == ProgramControl.UNREGISTER_VA_SPACE) {
      long space = Integer.toUnsignedLong(block.get(ValueLayout.JAVA_INT, 0));
      find(argument, Nvos54Control.H_OBJECT.bits(argument))
          .ifPresent(device ->
              device.untell(key(ProgramControl.REGISTER_VA_SPACE) | space, driver.heap()));
    }
    if (control == ProgramControl.GPU_GET_ATTACHED_IDS
        || control == ProgramControl.GPU_GET_PROBED_IDS) {
      hideOtherCards(block);
    }
    switch (control) {
      case GPU_GET_ACTIVE_DEVICE_IDS -> hideOtherDevices(block);
      case GPU_GET_INFO_V2 -> hideFabric(block);
      case GET_GPU_FABRIC_PROBE_INFO -> block.fill((byte) 0); // UNSUPPORTED
      default -> {}
    }
  }

  /**
   * Says that no other card can reach memory of this one. Where one can, over NVSwitch, libcuda
   * makes large memory of a class for that (NV_MEMORY_FABRIC), which the relay refuses.
   */
  private static void hideFabric(MemorySegment block) {
    int count = Math.clamp(block.get(ValueLayout.JAVA_INT, 0), 0, MAX_INFOS);
    for (int i = 0; i < count; i++) {
      long at = INFOS + i * INFO_BYTES;
      if (block.get(ValueLayout.JAVA_INT, at) == FLA_CAPABILITY) {
        block.set(ValueLayout.JAVA_INT, at + Integer.BYTES, 0);
      }
    }
  }

  /** The same of a list of cards with what they are divided into. */
  private void hideOtherDevices(MemorySegment block) {
    int count = Math.clamp(block.get(ValueLayout.JAVA_INT, 0), 0, MAX_DEVICES);
    int own = 0;
    for (int i = 0; i < count; i++) {
      MemorySegment device = block.asSlice(DEVICES + i * DEVICE_BYTES, DEVICE_BYTES);
      if (device.get(ValueLayout.JAVA_INT, 0) == driver.card().gpuId()) {
        var _ = block.asSlice(DEVICES + own * DEVICE_BYTES, DEVICE_BYTES).copyFrom(device);
        own++;
      }
    }
    block.set(ValueLayout.JAVA_INT, 0, own);
    block.asSlice(DEVICES + own * DEVICE_BYTES).fill((byte) 0);
  }

  /** Leaves of a list of ids the card's own; and of those that are behind it. */
  private void hideOtherCards(MemorySegment block) {
    boolean has = false;
    for (int i = 0; i < block.byteSize() / Integer.BYTES; i++) {
      has |= block.getAtIndex(ValueLayout.JAVA_INT, i) == driver.card().gpuId();
      block.setAtIndex(ValueLayout.JAVA_INT, i, NO_GPU);
    }
    if (has) {
      block.setAtIndex(ValueLayout.JAVA_INT, 0, driver.card().gpuId());
    }
  }
}
