package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.uvm.UvmMapExternal;
import io.sluice.abi.uvm.UvmMigrate;
import io.sluice.abi.uvm.UvmRange;
import io.sluice.abi.uvm.UvmSemaphorePool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/**
 * UVM's commands. Nothing of UVM's is ever mapped by a program: its semaphores and its managed
 * memory are pages of ours, in external ranges at the same addresses; managed memory stays in the
 * host's memory.
 */
final class UvmCalls {
  /** {@code UVM_INIT_FLAGS_MULTI_PROCESS_SHARING_MODE}: another process may have the mappings. */
  private static final long MULTI_PROCESS = 2;

  /** Handles of what the relay makes for a program: none that libcuda chooses. */
  private static final int FIRST_HANDLE = 0x5e10_0000;

  /** The attributes, and their count right behind them, in both arguments. */
  private static final long ATTRIBUTES_AND_COUNT = UvmMapExternal.ATTRIBUTES_BYTES + Long.BYTES;

  private static final long BASE_OF_SET_RANGE_GROUP = 8;

  private final ProgramDriver driver;
  private final PagesCalls pages;
  private final UvmRanges ranges = new UvmRanges();
  private final ExternalMaps external;
  private int nextHandle = FIRST_HANDLE;

  /** The file that has an address space: there is one in a CUDA program. */
  private Optional<ProgramFile> initialized = Optional.empty();

  /** How each GPU maps the semaphores: what is made later is mapped alike. */
  private Optional<byte[]> attributes = Optional.empty();

  UvmCalls(ProgramDriver driver, PagesCalls pages) {
    this.driver = driver;
    this.pages = pages;
    external = new ExternalMaps(driver.objects());
  }

  /**
   * Executes a command.
   *
   * @return what the ioctl returns
   * @throws Denial for what the relay refuses; the argument's status is set
   * @throws SyscallException when the driver refuses it with an errno
   * @throws RefusedException SLU-RLY-005
   */
  int execute(DriverCall call) throws Denial {
    UvmCommand command =
        UvmCommand.of(call.request())
            .filter(known -> known.shape().bytes() == call.argument().byteSize())
            .orElseThrow(() ->
                new RefusedException(
                    RelayCode.NOT_LISTED,
                    Errno.EINVAL,
                    "UVM command " + Integer.toUnsignedString(call.request()),
                    ""));
    try {
      return execute(command, call);
    } catch (Denial e) {
      answer(command, call.argument(), e.status());
      throw e;
    }
  }

  private static int answer(UvmCommand command, MemorySegment argument, RmStatus status) {
    argument.set(ValueLayout.JAVA_INT, command.shape().status(), status.code());
    return 0;
  }

  private int execute(UvmCommand command, DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    driver.requireOwnClients(argument, command.shape());
    return switch (command) {
      case INITIALIZE -> initialize(call);
      case ALLOC_SEMAPHORE_POOL -> semaphorePool(call);
      case CREATE_EXTERNAL_RANGE -> createRange(call);
      case MAP_EXTERNAL_ALLOCATION -> mapExternal(call);
      case UNMAP_EXTERNAL -> unmapExternal(call);
      case FREE -> free(call);
      case SET_RANGE_GROUP -> ofRange(command, call, BASE_OF_SET_RANGE_GROUP);
      case MIGRATE,
          SET_PREFERRED_LOCATION,
          UNSET_PREFERRED_LOCATION,
          ENABLE_READ_DUPLICATION,
          DISABLE_READ_DUPLICATION,
          SET_ACCESSED_BY,
          UNSET_ACCESSED_BY,
          VALIDATE_VA_RANGE ->
          ofRange(command, call, 0);
      default -> pass(command, call);
    };
  }

  /** Passes it on, with descriptors of ours meanwhile. */
  private int pass(UvmCommand command, DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    driver.translate(argument, command.shape(), call.kept());
    return driver.port().ioctl(call.file().fd(), call.request(), argument, List.of(argument));
  }

  private int createRange(DriverCall call) throws Denial {
    external.requireRoom();
    MemorySegment argument = call.argument();
    int result = pass(UvmCommand.CREATE_EXTERNAL_RANGE, call);
    if (isOk(UvmCommand.CREATE_EXTERNAL_RANGE, argument)) {
      external.create(UvmRange.BASE.get(argument), UvmRange.LENGTH.get(argument));
    }
    return result;
  }

  private int mapExternal(DriverCall call) throws Denial {
    external.requireRoom();
    MemorySegment argument = call.argument();
    RmObject object =
        driver
            .objects()
            .find(UvmMapExternal.H_CLIENT.bits(argument), UvmMapExternal.H_MEMORY.bits(argument))
            .orElseThrow(() ->
                new Denial(RmStatus.INVALID_OBJECT_HANDLE, "a map of no object of the program"));
    int result = pass(UvmCommand.MAP_EXTERNAL_ALLOCATION, call);
    if (isOk(UvmCommand.MAP_EXTERNAL_ALLOCATION, argument)) {
      external.map(UvmMapExternal.BASE.get(argument), UvmMapExternal.LENGTH.get(argument), object);
    }
    return result;
  }

  private int unmapExternal(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    int result = pass(UvmCommand.UNMAP_EXTERNAL, call);
    if (isOk(UvmCommand.UNMAP_EXTERNAL, argument)) {
      external.unmap(UvmRange.BASE.get(argument), UvmRange.LENGTH.get(argument));
    }
    return result;
  }

  private static boolean isOk(UvmCommand command, MemorySegment argument) {
    return argument.get(ValueLayout.JAVA_INT, command.shape().status()) == RmStatus.OK.code();
  }

  /** A file of UVM's is closed: what was made through it goes with it. */
  void closed(ProgramFile file) {
    if (initialized.filter(file::equals).isPresent()) {
      initialized = Optional.empty();
      external.freeAll();
      ranges.removeAll().forEach(range -> forget(range.memory()));
    }
  }

  private void forget(RmObject memory) {
    driver.objects().letGo(memory);
    Optional<ProgramFile> control = driver.objects().controlOf(memory.name().client());
    boolean named =
        driver
            .objects()
            .find(memory.name().client(), memory.name().handle())
            .filter(memory::equals)
            .isPresent();
    if (named && control.isPresent()) {
      int _ = pages.free(control.get(), memory);
      driver.objects().remove(memory);
    }
  }

  private int initialize(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    long flags = argument.get(ValueLayout.JAVA_LONG, 0);
    argument.set(ValueLayout.JAVA_LONG, 0, flags | MULTI_PROCESS);
    initialized = Optional.of(call.file());
    try {
      return pass(UvmCommand.INITIALIZE, call);
    } finally {
      argument.set(ValueLayout.JAVA_LONG, 0, flags);
    }
  }

  private int semaphorePool(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    attributes =
        Optional.of(
            argument
                .asSlice(UvmSemaphorePool.ATTRIBUTES, ATTRIBUTES_AND_COUNT)
                .toArray(ValueLayout.JAVA_BYTE));
    UvmRanges.BackedRange _ =
        makeRange(
            call.file(),
            UvmSemaphorePool.BASE.get(argument),
            UvmSemaphorePool.LENGTH.get(argument));
    return answer(UvmCommand.ALLOC_SEMAPHORE_POOL, argument, RmStatus.OK);
  }

  /**
   * The memory that a program maps at an address by UVM's node: its semaphores, or managed memory,
   * which begins with this.
   */
  MapTarget target(ProgramFile file, long address, long length) throws Denial {
    Optional<UvmRanges.BackedRange> there = ranges.at(address);
    UvmRanges.BackedRange range =
        there.isPresent() ? there.get() : makeRange(file, address, length);
    long offset = address - range.base();
    HostPages of = pagesOf(range);
    MapTarget whole = new MapTarget(of.file(), 0, of.bytes());
    if (!whole.has(offset, length)) {
      throw new Denial(RmStatus.INVALID_LIMIT, "a map of more than a range has");
    }
    return new MapTarget(of.file(), offset, length);
  }

  private UvmRanges.BackedRange makeRange(ProgramFile uvm, long base, long length) throws Denial {
    ranges.requireRoom();
    byte[] how =
        attributes.orElseThrow(
            () -> new Denial(RmStatus.INVALID_STATE, "memory of UVM before its semaphores"));
    RmObject device =
        driver
            .objects()
            .first(ProgramClass.NV01_DEVICE_0)
            .orElseThrow(() -> new Denial(RmStatus.INVALID_STATE, "memory of UVM without a card"));
    int client = device.name().client();
    ProgramFile control = driver.objects().controlOf(client).orElseThrow();
    RmObject memory = pages.make(control, freeName(client), device.name().handle(), length, 0);
    boolean made = false;
    try {
      create(uvm, control, base, memory, how);
      made = true;
    } finally {
      if (!made) {
        int _ = pages.free(control, memory);
        driver.objects().remove(memory);
      }
    }
    memory.hold();
    UvmRanges.BackedRange range = new UvmRanges.BackedRange(base, memory);
    ranges.add(range);
    return range;
  }

  private RmObject.Name freeName(int client) {
    RmObject.Name name;
    do {
      name = new RmObject.Name(client, nextHandle++);
    } while (driver.objects().find(name.client(), name.handle()).isPresent());
    return name;
  }

  /** An external range, and the memory mapped in it. */
  private void create(ProgramFile uvm, ProgramFile control, long base, RmObject memory, byte[] how)
      throws Denial {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = arena.allocate(UvmRange.LAYOUT);
      UvmRange.BASE.set(range, base);
      UvmRange.LENGTH.set(range, memory.sizeBytes());
      requireOk(driver.call(uvm, UvmCommand.CREATE_EXTERNAL_RANGE, range), "a range");
      MemorySegment map = arena.allocate(UvmMapExternal.LAYOUT);
      UvmMapExternal.BASE.set(map, base);
      UvmMapExternal.LENGTH.set(map, memory.sizeBytes());
      MemorySegment.copy(how, 0, map, ValueLayout.JAVA_BYTE, UvmMapExternal.ATTRIBUTES, how.length);
      UvmMapExternal.CONTROL_FD.set(map, control.fd().number());
      UvmMapExternal.H_CLIENT.setBits(map, memory.name().client());
      UvmMapExternal.H_MEMORY.setBits(map, memory.name().handle());
      int status = driver.call(uvm, UvmCommand.MAP_EXTERNAL_ALLOCATION, map);
      if (status != RmStatus.OK.code()) {
        int _ = driver.call(uvm, UvmCommand.FREE, range);
      }
      requireOk(status, "a map of our pages");
    }
  }

  private static void requireOk(int status, String what) throws Denial {
    if (status != RmStatus.OK.code()) {
      throw new Denial(RmStatus.NO_MEMORY, "UVM refuses " + what + ", " + RmStatus.nameOf(status));
    }
  }

  private int free(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    Optional<UvmRanges.BackedRange> range = ranges.at(UvmRange.BASE.get(argument));
    int result = pass(UvmCommand.FREE, call);
    if (isOk(UvmCommand.FREE, argument)) {
      external.free(UvmRange.BASE.get(argument));
      if (range.isPresent()) {
        ranges.remove(range.get());
        forget(range.get().memory());
      }
    }
    return result;
  }

  /** A command about a range: for one of ours there is nothing to do, since it never moves. */
  private int ofRange(UvmCommand command, DriverCall call, long baseAt) throws Denial {
    MemorySegment argument = call.argument();
    if (ranges.at(argument.get(ValueLayout.JAVA_LONG, baseAt)).isEmpty()) {
      return pass(command, call);
    }
    if (command == UvmCommand.MIGRATE && UvmMigrate.SEMAPHORE.get(argument) != 0) {
      release(UvmMigrate.SEMAPHORE.get(argument), UvmMigrate.PAYLOAD.bits(argument));
    }
    return answer(command, argument, RmStatus.OK);
  }

  /** Tells the program by a semaphore of its own that a migration is over. */
  private void release(long semaphore, int payload) throws Denial {
    UvmRanges.BackedRange range =
        ranges
            .at(semaphore)
            .filter(at -> semaphore % Integer.BYTES == 0)
            .orElseThrow(() ->
                new Denial(RmStatus.INVALID_ADDRESS, "a semaphore that is in none of the ranges"));
    pagesOf(range).segment().set(ValueLayout.JAVA_INT, semaphore - range.base(), payload);
  }

  /** A program may have freed what we made for it: by its handle, or with its client. */
  private static HostPages pagesOf(UvmRanges.BackedRange range) throws Denial {
    return range
        .memory()
        .pages()
        .orElseThrow(() -> new Denial(RmStatus.INVALID_STATE, "a range whose memory was freed"));
  }
}
