package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.uvm.UvmMapExternal;
import io.sluice.abi.uvm.UvmMigrate;
import io.sluice.abi.uvm.UvmRange;
import io.sluice.abi.uvm.UvmSemaphorePool;
import io.sluice.abi.uvm.UvmUnmapExternal;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.link.HostPages;
import io.sluice.channel.nvidia.relay.link.MapTarget;
import io.sluice.channel.nvidia.relay.ring.HostRange;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * UVM's commands. Nothing of UVM's is ever mapped by a program: its semaphores and its managed
 * memory are pages of ours, in external ranges at the same addresses; managed memory stays in the
 * host's memory.
 */
final class UvmCalls {
  /** {@code UVM_INIT_FLAGS_MULTI_PROCESS_SHARING_MODE}: another process may have the mappings. */
  private static final long MULTI_PROCESS = 2;

  /** The attributes, and their count right behind them, in both arguments. */
  private static final long ATTRIBUTES_AND_COUNT = UvmMapExternal.ATTRIBUTES_BYTES + Long.BYTES;

  private static final long BASE_OF_SET_RANGE_GROUP = 8;

  /** Beyond what an entry of a ring can name, below which programs have little. */
  private static final long END_OF_RINGS = 1L << HopperMethods.PUSHBUFFER_ADDRESS_BITS;

  /** Between two places at which room is looked for, and how many are tried. */
  private static final long BETWEEN_PLACES = 64L << 20;

  private static final int PLACES = 16;

  private final ProgramDriver driver;
  private final PagesCalls pages;
  private final UvmSpace.Counts counts;

  /** By the numbers of the files: a program that uses NVML, too, has two. */
  private final Map<Integer, UvmSpace> spaces = new LinkedHashMap<>();

  UvmCalls(ProgramDriver driver, PagesCalls pages) {
    this.driver = driver;
    this.pages = pages;
    counts = new UvmSpace.Counts(driver.heap());
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
    if (call.blocks().size() > 1) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, command + ": more blocks than it has");
    }
    driver.requireOwnClients(argument, command.shape());
    if (!RecordedCall.isLasting(command)) {
      return make(command, call);
    }
    RecordedCall recorded = RecordedCall.of(driver.objects().nextOrder(), call);
    driver.heap().require(recorded.heapBytes());
    int result = make(command, call);
    if (isOk(command, argument)) {
      spaceOf(call.file()).note(command, recorded);
    }
    return result;
  }

  /**
   * Repeats a command, of what UVM has lost.
   *
   * @return UVM's status
   */
  int repeat(DriverCall call) throws Denial {
    UvmCommand command = UvmCommand.of(call.request()).orElseThrow();
    int _ = make(command, call);
    return call.argument().get(ValueLayout.JAVA_INT, command.shape().status());
  }

  private int make(UvmCommand command, DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
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
      case DESTROY_RANGE_GROUP -> destroyGroup(call);
      case UNREGISTER_GPU, UNREGISTER_GPU_VASPACE, UNREGISTER_CHANNEL -> unregister(command, call);
      default -> pass(command, call);
    };
  }

  private int unregister(UvmCommand command, DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    int result = pass(command, call);
    if (isOk(command, argument)) {
      spaceOf(call.file()).forget(command, argument);
    }
    return result;
  }

  /**
   * Nothing that UVM still has is in a group: those of an address space made anew are not there.
   */
  private int destroyGroup(DriverCall call) throws Denial {
    return spaceOf(call.file()).isAnew()
        ? answer(UvmCommand.DESTROY_RANGE_GROUP, call.argument(), RmStatus.OK)
        : pass(UvmCommand.DESTROY_RANGE_GROUP, call);
  }

  /** The address spaces of the program. */
  List<UvmSpace> spaces() {
    return List.copyOf(spaces.values());
  }

  /** The host's pages at an address of the GPU, if they are there as a whole. */
  Optional<MemorySegment> at(long address, long bytes) {
    return rangeOf(address, bytes).flatMap(range -> range.at(address, bytes));
  }

  /** The range of the host's pages that has some addresses of the GPU, if one has all. */
  Optional<HostRange> rangeOf(long address, long bytes) {
    return spaces.values().stream()
        .flatMap(space -> space.rangeOf(address, bytes).stream())
        .findFirst();
  }

  /** Makes an external range anew: UVM's status. */
  int createAgain(ProgramFile uvm, long base, long length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = arena.allocate(UvmRange.LAYOUT);
      UvmRange.BASE.set(range, base);
      UvmRange.LENGTH.set(range, length);
      return driver.call(uvm, UvmCommand.CREATE_EXTERNAL_RANGE, range);
    }
  }

  /**
   * Maps memory at an object's place: UVM's status.
   *
   * @param handle of the object, or of other memory as long
   */
  int mapAgain(ExternalMaps.Place place, int handle) {
    ProgramFile control = driver.objects().controlOf(place.object().name().client()).orElseThrow();
    return map(place.file(), place, control, handle);
  }

  /** Makes a range of pages anew. */
  void createAgain(UvmSpace space, UvmRanges.BackedRange range) throws Denial {
    RmObject memory = range.memory();
    ProgramFile control = driver.objects().controlOf(memory.name().client()).orElseThrow();
    create(
        space.file(),
        control,
        range.base(),
        memory.name(),
        memory.sizeBytes(),
        space.attributes().orElseThrow());
  }

  /** Passes it on, with descriptors of ours meanwhile. */
  private int pass(UvmCommand command, DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    driver.translate(argument, command.shape(), call.kept());
    return driver.port().ioctl(call.file().fd(), call.request(), argument, List.of(argument));
  }

  private UvmSpace spaceOf(ProgramFile file) {
    return spaces.computeIfAbsent(
        file.number(), _ -> new UvmSpace(file, driver.objects(), counts, driver.heap()));
  }

  private int createRange(DriverCall call) throws Denial {
    counts.requireMap();
    MemorySegment argument = call.argument();
    int result = pass(UvmCommand.CREATE_EXTERNAL_RANGE, call);
    if (isOk(UvmCommand.CREATE_EXTERNAL_RANGE, argument)) {
      spaceOf(call.file())
          .external()
          .create(
              UvmRange.BASE.get(argument),
              UvmRange.LENGTH.get(argument),
              driver.objects().nextOrder());
    }
    return result;
  }

  private int mapExternal(DriverCall call) throws Denial {
    counts.requireMap();
    MemorySegment argument = call.argument();
    RmObject object =
        driver
            .objects()
            .find(UvmMapExternal.H_CLIENT.bits(argument), UvmMapExternal.H_MEMORY.bits(argument))
            .orElseThrow(() ->
                new Denial(RmStatus.INVALID_OBJECT_HANDLE, "a map of no object of the program"));
    int result = pass(UvmCommand.MAP_EXTERNAL_ALLOCATION, call);
    if (isOk(UvmCommand.MAP_EXTERNAL_ALLOCATION, argument)) {
      spaceOf(call.file())
          .external()
          .map(placeIn(call.file(), argument, object, driver.objects().nextOrder()));
    }
    return result;
  }

  private static ExternalMaps.Place placeIn(
      ProgramFile file, MemorySegment argument, RmObject object, long order) {
    boolean one = UvmMapExternal.ATTRIBUTES_COUNT.get(argument) == 1;
    return new ExternalMaps.Place(
        file,
        UvmMapExternal.BASE.get(argument),
        UvmMapExternal.LENGTH.get(argument),
        UvmMapExternal.OFFSET.get(argument),
        argument
            .asSlice(UvmMapExternal.ATTRIBUTES, one ? UvmMapExternal.ATTRIBUTES_OF_ONE : 0)
            .toArray(ValueLayout.JAVA_BYTE),
        object,
        order);
  }

  /** The places of objects of the program's. */
  Stream<ExternalMaps.Place> places() {
    return spaces.values().stream().flatMap(space -> space.external().all());
  }

  /**
   * Maps other memory at an object's place. The GPU must not reach for it meanwhile.
   *
   * @param control the file of the client that has both
   * @param handle of the other memory, as long as the object
   * @throws Denial when UVM refuses: what was there is there again
   * @throws IllegalStateException when it is not: nothing is mapped there now
   */
  void replace(ExternalMaps.Place place, ProgramFile control, int handle) throws Denial {
    ProgramFile uvm = place.file();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment unmap = arena.allocate(UvmUnmapExternal.LAYOUT);
      UvmUnmapExternal.BASE.set(unmap, place.base());
      UvmUnmapExternal.LENGTH.set(unmap, place.length());
      MemorySegment.copy(
          place.attributes(),
          0,
          unmap,
          ValueLayout.JAVA_BYTE,
          UvmUnmapExternal.GPU_UUID,
          UvmUnmapExternal.GPU_UUID_BYTES);
      requireOk(driver.call(uvm, UvmCommand.UNMAP_EXTERNAL, unmap), "an unmap");
      int status = map(uvm, place, control, handle);
      if (status != RmStatus.OK.code()
          && map(uvm, place, control, place.object().name().handle()) != RmStatus.OK.code()) {
        throw new IllegalStateException("UVM maps again nothing that it had mapped");
      }
      requireOk(status, "a map elsewhere");
    }
  }

  private int map(ProgramFile uvm, ExternalMaps.Place place, ProgramFile control, int handle) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment map = arena.allocate(UvmMapExternal.LAYOUT);
      UvmMapExternal.BASE.set(map, place.base());
      UvmMapExternal.LENGTH.set(map, place.length());
      UvmMapExternal.OFFSET.set(map, place.offset());
      byte[] how = place.attributes();
      MemorySegment.copy(how, 0, map, ValueLayout.JAVA_BYTE, UvmMapExternal.ATTRIBUTES, how.length);
      UvmMapExternal.ATTRIBUTES_COUNT.set(map, 1);
      UvmMapExternal.CONTROL_FD.set(map, control.fd().number());
      UvmMapExternal.H_CLIENT.setBits(map, place.object().name().client());
      UvmMapExternal.H_MEMORY.setBits(map, handle);
      return driver.call(uvm, UvmCommand.MAP_EXTERNAL_ALLOCATION, map);
    }
  }

  private int unmapExternal(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    int result = pass(UvmCommand.UNMAP_EXTERNAL, call);
    if (isOk(UvmCommand.UNMAP_EXTERNAL, argument)) {
      spaceOf(call.file())
          .external()
          .unmap(
              UvmUnmapExternal.BASE.get(argument),
              UvmUnmapExternal.LENGTH.get(argument),
              argument
                  .asSlice(UvmUnmapExternal.GPU_UUID, UvmUnmapExternal.GPU_UUID_BYTES)
                  .toArray(ValueLayout.JAVA_BYTE));
    }
    return result;
  }

  private static boolean isOk(UvmCommand command, MemorySegment argument) {
    return argument.get(ValueLayout.JAVA_INT, command.shape().status()) == RmStatus.OK.code();
  }

  /** A file of UVM's is closed: what was made through it goes with it. */
  void closed(ProgramFile file) {
    UvmSpace space = spaces.remove(file.number());
    if (space != null) {
      space.external().freeAll();
      space.ranges().removeAll().forEach(range -> forget(range.memory()));
      space.forgetAll();
    }
  }

  private void forget(RmObject memory) {
    driver.objects().releaseHold(memory);
    Optional<ProgramFile> control = driver.objects().controlOf(memory.name().client());
    boolean named =
        driver
            .objects()
            .find(memory.name().client(), memory.name().handle())
            .filter(memory::equals)
            .isPresent();
    if (named && control.isPresent() && !driver.objects().isNeeded(memory)) {
      int _ = pages.free(control.get(), memory);
      driver.objects().remove(memory);
    }
  }

  private int initialize(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    long flags = argument.get(ValueLayout.JAVA_LONG, 0);
    argument.set(ValueLayout.JAVA_LONG, 0, flags | MULTI_PROCESS);
    try {
      return pass(UvmCommand.INITIALIZE, call);
    } finally {
      argument.set(ValueLayout.JAVA_LONG, 0, flags);
    }
  }

  private int semaphorePool(DriverCall call) throws Denial {
    MemorySegment argument = call.argument();
    driver.heap().require(ATTRIBUTES_AND_COUNT);
    spaceOf(call.file())
        .setAttributes(
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
    Optional<UvmRanges.BackedRange> there = spaceOf(file).ranges().at(address);
    UvmRanges.BackedRange range =
        there.isPresent() ? there.get() : makeRange(file, address, length);
    long offset = address - range.base();
    HostPages of = pagesOf(range);
    if (!MapTarget.whole(of).has(offset, length)) {
      throw new Denial(RmStatus.INVALID_LIMIT, "a map of more than a range has");
    }
    return new MapTarget(of, offset, length);
  }

  private UvmRanges.BackedRange makeRange(ProgramFile uvm, long base, long length) throws Denial {
    counts.requireRange();
    UvmSpace space = spaceOf(uvm);
    byte[] how =
        space
            .attributes()
            .orElseThrow(
                () -> new Denial(RmStatus.INVALID_STATE, "memory of UVM before its semaphores"));
    RmObject device =
        driver
            .objects()
            .first(ProgramClass.NV01_DEVICE_0)
            .orElseThrow(() -> new Denial(RmStatus.INVALID_STATE, "memory of UVM without a card"));
    int client = device.name().client();
    ProgramFile control = driver.objects().controlOf(client).orElseThrow();
    RmObject memory =
        pages.make(control, driver.objects().freeName(client), device.name().handle(), length, 0);
    boolean made = false;
    try {
      create(uvm, control, base, memory.name(), memory.sizeBytes(), how);
      made = true;
    } finally {
      if (!made) {
        int _ = pages.free(control, memory);
        driver.objects().remove(memory);
      }
    }
    memory.hold();
    UvmRanges.BackedRange range = new UvmRanges.BackedRange(base, memory);
    space.ranges().add(range);
    return range;
  }

  /**
   * Maps memory of ours where a space has nothing.
   *
   * @param control the file of the memory's client
   * @return the address
   */
  long createAnywhere(UvmSpace space, ProgramFile control, RmObject.Name memory, long bytes)
      throws Denial {
    byte[] how =
        space
            .attributes()
            .orElseThrow(
                () -> new Denial(RmStatus.INVALID_STATE, "an address space without semaphores"));
    for (int attempt = 1; true; attempt++) {
      long base = END_OF_RINGS - attempt * BETWEEN_PLACES;
      try {
        create(space.file(), control, base, memory, bytes, how);
        return base;
      } catch (Denial e) {
        if (attempt == PLACES) {
          throw e;
        }
      }
    }
  }

  /** Takes that away: UVM's status; it frees a whole range or nothing. */
  int free(UvmSpace space, long base, long bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = arena.allocate(UvmRange.LAYOUT);
      UvmRange.BASE.set(range, base);
      UvmRange.LENGTH.set(range, bytes);
      return driver.call(space.file(), UvmCommand.FREE, range);
    }
  }

  /** The space that has an address mapped to the host's pages. */
  Optional<UvmSpace> spaceAt(long address, long bytes) {
    return spaces.values().stream()
        .filter(space -> space.at(address, bytes).isPresent())
        .findFirst();
  }

  /** An external range, and the memory mapped in it. */
  private void create(
      ProgramFile uvm, ProgramFile control, long base, RmObject.Name memory, long bytes, byte[] how)
      throws Denial {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment range = arena.allocate(UvmRange.LAYOUT);
      UvmRange.BASE.set(range, base);
      UvmRange.LENGTH.set(range, bytes);
      requireOk(driver.call(uvm, UvmCommand.CREATE_EXTERNAL_RANGE, range), "a range");
      MemorySegment map = arena.allocate(UvmMapExternal.LAYOUT);
      UvmMapExternal.BASE.set(map, base);
      UvmMapExternal.LENGTH.set(map, bytes);
      MemorySegment.copy(how, 0, map, ValueLayout.JAVA_BYTE, UvmMapExternal.ATTRIBUTES, how.length);
      UvmMapExternal.CONTROL_FD.set(map, control.fd().number());
      UvmMapExternal.H_CLIENT.setBits(map, memory.client());
      UvmMapExternal.H_MEMORY.setBits(map, memory.handle());
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
    UvmSpace space = spaceOf(call.file());
    Optional<UvmRanges.BackedRange> range = space.ranges().at(UvmRange.BASE.get(argument));
    int result = pass(UvmCommand.FREE, call);
    if (isOk(UvmCommand.FREE, argument)) {
      space.external().free(UvmRange.BASE.get(argument));
      if (range.isPresent()) {
        space.ranges().remove(range.get());
        forget(range.get().memory());
      }
    }
    return result;
  }

  /** A command about a range: for one of ours there is nothing to do, since it never moves. */
  private int ofRange(UvmCommand command, DriverCall call, long baseAt) throws Denial {
    MemorySegment argument = call.argument();
    UvmRanges ranges = spaceOf(call.file()).ranges();
    if (ranges.at(argument.get(ValueLayout.JAVA_LONG, baseAt)).isEmpty()) {
      return pass(command, call);
    }
    if (command == UvmCommand.MIGRATE && UvmMigrate.SEMAPHORE.get(argument) != 0) {
      release(ranges, UvmMigrate.SEMAPHORE.get(argument), UvmMigrate.PAYLOAD.bits(argument));
    }
    return answer(command, argument, RmStatus.OK);
  }

  /** Tells the program by a semaphore of its own that a migration is over. */
  private static void release(UvmRanges ranges, long semaphore, int payload) throws Denial {
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
