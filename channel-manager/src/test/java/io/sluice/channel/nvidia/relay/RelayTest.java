package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.fakes.FakeKernel;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The relay of CUDA programs, before a driver that believes it everything. */
final class RelayTest {
  private static final int OK = 0;
  private static final int INVALID_ADDRESS = 0x1e;
  private static final int INVALID_ARGUMENT = 0x1f;
  private static final int INVALID_CLASS = 0x22;
  private static final int INVALID_CLIENT = 0x23;
  private static final int NO_MEMORY = 0x51;
  private static final int NOT_SUPPORTED = 0x56;
  private static final int DEVICE = 0x5c00_0001;
  private static final int MEMORY = 0x5c00_0010;
  private static final int FILE_SIZE = 1 << 16;

  private final FakeKernel kernel = new FakeKernel();
  private final FakeDriver driver = new FakeDriver(kernel);
  private final AtomicLong videoLimit = new AtomicLong(1 << 20);
  private final AtomicLong hostLimit = new AtomicLong(8 << 20);
  private final AtomicInteger dropped = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private final List<TestProgram> programs = new ArrayList<>();
  private final DriverRelay relay =
      new DriverRelay(
          "web-01",
          kernel,
          driver,
          new RelayCard(0x100, 0, 0),
          new RelayLimits(3, videoLimit::get, hostLimit::get),
          System::nanoTime,
          dropped::incrementAndGet);

  private TestProgram program;
  private int control;
  private int card;
  private int uvm;
  private int client;

  @BeforeEach
  void start() {
    program = connect();
    assertThat(program.hello().value()).isEqualTo(1);
    control = program.open("nvidiactl");
    card = program.open("nvidia0");
    uvm = program.open("nvidia-uvm");
    client = client(program, control);
  }

  private TestProgram connect() {
    List<Fd> ends = kernel.socketpair();
    Thread thread = Thread.ofPlatform().start(() -> relay.serve(ends.get(1)));
    threads.add(thread);
    TestProgram made = new TestProgram(kernel, ends.get(0));
    programs.add(made);
    return made;
  }

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    programs.forEach(TestProgram::close);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(relay.programs()).isEmpty();
    assertThat(kernel.openFds()).isEqualTo(Map.of());
    assertThat(kernel.mappings()).isZero();
    assertThat(driver.objects()).isZero();
  }

  private static int client(TestProgram of, int file) {
    TestProgram.Answer answer =
        of.ioctl(file, ProgramEscape.ALLOC, alloc(0, 0, 0, ProgramClass.NV01_ROOT), block(0));
    ByteBuffer argument = answer.blocks(2).getFirst();
    assertThat(argument.getInt(40)).isEqualTo(OK);
    return argument.getInt(8);
  }

  private static ByteBuffer alloc(int root, int parent, int handle, ProgramClass type) {
    return block(48, root, parent, handle, type.number(), 0x1000, 0x7fff);
  }

  private int alloc(int parent, int handle, ProgramClass type, ByteBuffer parameters) {
    return program
        .ioctl(control, ProgramEscape.ALLOC, alloc(client, parent, handle, type), parameters)
        .blocks(2)
        .getFirst()
        .getInt(40);
  }

  private void device() {
    assertThat(alloc(client, DEVICE, ProgramClass.NV01_DEVICE_0, block(56, 0, client)))
        .isEqualTo(OK);
  }

  private static ByteBuffer memory(long bytes) {
    ByteBuffer block = block(128);
    block.putLong(64, bytes);
    return block;
  }

  private int controlStatus(int of, int command, ByteBuffer... blocks) {
    ByteBuffer[] all = new ByteBuffer[blocks.length + 1];
    int bytes = blocks.length == 0 ? 0 : blocks[0].capacity();
    all[0] = block(32, of, DEVICE, command, 0, 0x2000, 0x7fff, bytes);
    System.arraycopy(blocks, 0, all, 1, blocks.length);
    return program
        .ioctl(control, ProgramEscape.CONTROL, all)
        .blocks(all.length)
        .getFirst()
        .getInt(28);
  }

  // ---- what is no protocol ends the program alone ----

  @ParameterizedTest
  @ValueSource(ints = {0, 16, 31, 33, FILE_SIZE + 8, -8})
  void message_thatLiesAboutItsLength_endsTheProgramAlone(int bytes) {
    TestProgram other = connect();
    ByteBuffer raw = block(32, bytes, RelayRequest.HELLO, 0, 1);

    assertThat(other.survives(raw.array())).isFalse();

    assertThat(program.open("nvidiactl")).isPositive();
  }

  @Test
  void requests_beforeHelloAndHelloTwice_endTheProgram() {
    TestProgram other = connect();
    assertThat(other.survives(block(32, 32, RelayRequest.CLOSE, 1).array())).isFalse();
    TestProgram twice = connect();
    assertThat(twice.hello().error()).isZero();
    assertThat(twice.survives(block(32, 32, RelayRequest.HELLO, 0, 1).array())).isFalse();
  }

  @Test
  void blocks_thatLieAboutTheirLength_endTheProgram() {
    ByteBuffer raw =
        block(32 + 16 + 16, 64, RelayRequest.IOCTL, control, 0, 0, 0, 2, 0, 16, 1 << 30);
    assertThat(program.survives(raw.array())).isFalse();
  }

  @Test
  void programs_beyondTheLimit_areTurnedAway() {
    TestProgram second = connect();
    TestProgram third = connect();
    assertThat(second.hello().error()).isZero();
    assertThat(third.hello().error()).isZero();
    TestProgram fourth = connect();
    assertThat(fourth.survives(block(32, 32, RelayRequest.HELLO, 0, 1).array())).isFalse();
    assertThat(relay.programs()).hasSize(3);
    assertThat(dropped).hasValue(4);
  }

  // ---- files ----

  @Test
  void nodes_ofOthers_areNotThere() {
    assertThat(program.tryOpen("nvidia1").error()).isEqualTo(Errno.ENOENT.number());
    assertThat(program.tryOpen("../etc/passwd").error()).isEqualTo(Errno.ENOENT.number());
    assertThat(program.tryOpen("nvidia-uvm-tools").error()).isEqualTo(Errno.ENOENT.number());
  }

  @Test
  void files_ofNobody_areBad() {
    assertThat(program.close(4711).error()).isEqualTo(Errno.EBADF.number());
    assertThat(program.ioctl(4711, ProgramEscape.SYS_PARAMS, block(8)).error())
        .isEqualTo(Errno.EBADF.number());
    assertThat(program.close(card).error()).isZero();
    assertThat(program.close(card).error()).isEqualTo(Errno.EBADF.number());
  }

  @Test
  void files_beyondTheLimit_areRefusedAndTheRestWorks() {
    int last = 0;
    TestProgram.Answer answer = program.tryOpen("nvidiactl");
    while (answer.error() == 0) {
      last = answer.file();
      answer = program.tryOpen("nvidiactl");
    }
    assertThat(answer.error()).isEqualTo(Errno.EMFILE.number());
    assertThat(relay.programs().getFirst().files()).isEqualTo(ProgramFiles.MAX_FILES);
    assertThat(program.close(last).error()).isZero();
    assertThat(program.open("nvidiactl")).isPositive();
  }

  // ---- what is not known is refused ----

  @ParameterizedTest
  @ValueSource(ints = {0xc010_46d3, 0xc020_4634, 0xc008_46d8, 0xc020_462b, 0x5401, 0})
  void escapes_thatAreNotListed_areInvalid(int request) {
    int size = request >>> 16 & 0x3fff;
    assertThat(program.ioctl(control, request, block(size)).error())
        .isEqualTo(Errno.EINVAL.number());
    assertThat(driver.seen()).hasSize(1); // the client's making
    assertThat(relay.programs().getFirst().refused()).isEqualTo(1);
  }

  @Test
  void arguments_ofAnotherLengthThanTheRequestSays_areInvalid() {
    int request = TestProgram.request(ProgramEscape.SYS_PARAMS);
    assertThat(program.ioctl(control, request, block(16)).error()).isEqualTo(Errno.EINVAL.number());
  }

  @Test
  void classes_thatAreNotListed_areRefused() {
    device();
    ByteBuffer argument = block(48, client, DEVICE, MEMORY, 0x5080);
    assertThat(
            program
                .ioctl(control, ProgramEscape.ALLOC, argument, block(0))
                .blocks(2)
                .getFirst()
                .getInt(40))
        .isEqualTo(INVALID_CLASS);
    assertThat(relay.programs().getFirst().refused()).isEqualTo(1);
  }

  @Test
  void commands_thatAreNotListed_areRefused() {
    assertThat(controlStatus(client, 0x2080_018d, block(64))).isEqualTo(NOT_SUPPORTED);
    assertThat(driver.seen(ProgramEscape.CONTROL)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0x3e, 0x3f, 0x38, 0x47, 0x7fff_ffff})
  void commandsOfUvm_thatAreNotListed_areInvalid(int command) {
    assertThat(program.ioctl(uvm, command, block(64)).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(driver.seen()).hasSize(1);
  }

  @Test
  void flags_thatChangeWhatABlockIs_areRefused() {
    ByteBuffer argument = block(32, client, DEVICE, 0x1f0, 4, 0, 0, 4);
    assertThat(
            program
                .ioctl(control, ProgramEscape.CONTROL, argument, block(4))
                .blocks(2)
                .getFirst()
                .getInt(28))
        .isEqualTo(INVALID_ARGUMENT);
    ByteBuffer make = alloc(client, client, DEVICE, ProgramClass.NV01_DEVICE_0);
    make.putInt(36, 1);
    assertThat(
            program
                .ioctl(control, ProgramEscape.ALLOC, make, block(56, 0, client))
                .blocks(2)
                .getFirst()
                .getInt(40))
        .isEqualTo(INVALID_ARGUMENT);
  }

  // ---- what belongs to others ----

  @Test
  void clients_ofOthers_areInvalidWhereverTheyStand() {
    TestProgram other = connect();
    assertThat(other.hello().error()).isZero();
    int stranger = client(other, other.open("nvidiactl"));
    device();
    int before = driver.seen().size();

    assertThat(controlStatus(stranger, 0x1f0, block(4))).isEqualTo(INVALID_CLIENT);
    assertThat(alloc(client, 7, ProgramClass.NV01_DEVICE_0, block(56, 0, stranger)))
        .isEqualTo(INVALID_CLIENT);
    assertThat(alloc(client, 7, ProgramClass.NV01_DEVICE_0, block(56, 0, client, stranger)))
        .isEqualTo(INVALID_CLIENT);
    assertThat(alloc(client, 7, ProgramClass.NV01_EVENT_OS_EVENT, block(24, stranger)))
        .isEqualTo(INVALID_CLIENT);
    assertThat(alloc(client, 7, ProgramClass.GT200_DEBUGGER, block(12, 0, stranger)))
        .isEqualTo(INVALID_CLIENT);
    ByteBuffer event = block(16, stranger, 0, card);
    assertThat(status(card, ProgramEscape.ALLOC_OS_EVENT, event)).isEqualTo(INVALID_CLIENT);
    assertThat(status(control, ProgramEscape.FREE, block(16, stranger, 0, stranger)))
        .isEqualTo(INVALID_CLIENT);
    assertThat(uvmStatus(UvmCommand.REGISTER_GPU_VASPACE, 20, stranger)).isEqualTo(INVALID_CLIENT);
    assertThat(uvmStatus(UvmCommand.REGISTER_CHANNEL, 20, stranger)).isEqualTo(INVALID_CLIENT);
    assertThat(uvmStatus(UvmCommand.UNREGISTER_CHANNEL, 16, stranger)).isEqualTo(INVALID_CLIENT);
    assertThat(uvmStatus(UvmCommand.MAP_EXTERNAL_ALLOCATION, 9252, stranger))
        .isEqualTo(INVALID_CLIENT);

    assertThat(driver.seen()).hasSize(before);
  }

  private int status(int file, ProgramEscape escape, ByteBuffer argument) {
    return program
        .ioctl(file, escape, argument)
        .blocks(1)
        .getFirst()
        .getInt(escape.shape().status());
  }

  private int uvmStatus(UvmCommand command, int at, int word) {
    ByteBuffer argument = block(command.shape().bytes());
    argument.putInt(at, word);
    command.shape().descriptors().forEach(offset -> argument.putInt(offset, control));
    return program
        .ioctl(uvm, command.number(), argument)
        .blocks(1)
        .getFirst()
        .getInt(command.shape().status());
  }

  @Test
  void clients_ofTheProgramsOwnNaming_areRefused() {
    ByteBuffer argument = alloc(0, 0, 0xc1d0_0001, ProgramClass.NV01_ROOT);
    assertThat(
            program
                .ioctl(control, ProgramEscape.ALLOC, argument, block(0))
                .blocks(2)
                .getFirst()
                .getInt(40))
        .isEqualTo(INVALID_CLIENT);
  }

  @Test
  void descriptors_inCalls_areTheRelaysAndTheProgramsOwnAgainAfterwards() {
    assertThat(program.ioctl(card, ProgramEscape.REGISTER_FD, block(4, control)).error()).isZero();
    FakeDriver.Seen seen = driver.seen(ProgramEscape.REGISTER_FD).getLast();
    assertThat(seen.node()).isEqualTo("nvidia0");
    assertThat(kernel.openFds()).containsKey(seen.word(0));
    assertThat(program.ioctl(card, ProgramEscape.REGISTER_FD, block(4, card)).error())
        .isEqualTo(Errno.EPERM.number());
    assertThat(program.ioctl(card, ProgramEscape.REGISTER_FD, block(4, 4711)).error())
        .isEqualTo(Errno.EPERM.number());

    ByteBuffer initialize = block(8, uvm);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MM_INITIALIZE.number(), initialize)
                .blocks(1)
                .getFirst()
                .getInt(0))
        .isEqualTo(uvm);
  }

  @Test
  void otherCards_areNotShownAndNotGiven() {
    ByteBuffer ids = block(128);
    ByteBuffer answer =
        program
            .ioctl(
                control, ProgramEscape.CONTROL, block(32, client, client, 0x201, 0, 0, 0, 128), ids)
            .blocks(2)
            .get(1);
    assertThat(answer.getInt(0)).isEqualTo(0x100);
    assertThat(answer.getInt(4)).isEqualTo(-1);
    ByteBuffer cards =
        program.ioctl(control, ProgramEscape.CARD_INFO, block(2304)).blocks(1).getFirst();
    assertThat(cards.get(0)).isEqualTo((byte) 1);
    assertThat(cards.get(72)).isZero();
    assertThat(alloc(client, DEVICE, ProgramClass.NV01_DEVICE_0, block(56, 1)))
        .isEqualTo(INVALID_ARGUMENT);
    assertThat(controlStatus(client, 0x215, block(132, 0x101, -1))).isEqualTo(INVALID_ARGUMENT);
    assertThat(controlStatus(client, 0x215, block(132, 0))).isEqualTo(OK);
    assertThat(driver.seen(ProgramEscape.CONTROL).getLast().inBlock(0)).isEqualTo(0x100);
  }

  @Test
  void sharePolicy_isNotPassedOn() {
    int before = driver.seen().size();
    assertThat(controlStatus(client, 0xd04, block(12))).isEqualTo(OK);
    assertThat(driver.seen()).hasSize(before);
  }

  @Test
  void fields_ofTheKernelsOwn_areCleared() {
    device();
    ByteBuffer channel = block(368);
    for (int i = 0; i < 368; i += 4) {
      channel.putInt(i, 0x4141_4141);
    }
    assertThat(alloc(DEVICE, 9, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, channel)).isEqualTo(OK);
    FakeDriver.Seen seen = driver.seen(ProgramEscape.ALLOC).getLast();
    assertThat(seen.inBlock(140)).isEqualTo(0x4141_4141);
    assertThat(seen.inBlock(144)).isZero();
    assertThat(seen.inBlock(300)).isZero();
    assertThat(seen.inBlock(304)).isEqualTo(0x4141_4141);
    assertThat(relay.programs().getFirst().channels()).isEqualTo(1);
  }

  @Test
  void event_neverTellsAnAddressOfTheKernel() {
    device();
    ByteBuffer event = block(24, client, DEVICE, 0x79, 1, card);
    ByteBuffer answer =
        program
            .ioctl(
                control,
                ProgramEscape.ALLOC,
                alloc(client, DEVICE, 11, ProgramClass.NV01_EVENT_OS_EVENT),
                event)
            .blocks(2)
            .get(1);
    assertThat(answer.getLong(16)).isZero();
  }

  @Test
  void osEvent_bringsTheDescriptorThatWakes() {
    TestProgram.Answer answer =
        program.ioctl(card, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, card));
    assertThat(answer.fds()).hasSize(1);
    answer.fds().forEach(Fd::close);
    assertThat(answer.blocks(1).getFirst().getInt(8)).isEqualTo(card);
    assertThat(status(card, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, control)))
        .isEqualTo(INVALID_ARGUMENT);
    assertThat(status(control, ProgramEscape.ALLOC_OS_EVENT, block(16, client, DEVICE, control)))
        .isEqualTo(INVALID_ARGUMENT);
  }

  // ---- lists ----

  @Test
  void lists_ofControls_comeAndGo() {
    ByteBuffer block = block(24, 2);
    TestProgram.Answer answer =
        program.ioctl(
            control,
            ProgramEscape.CONTROL,
            block(32, client, DEVICE, 0x80170d, 0, 0, 0, 24),
            block,
            block(8),
            block(8));
    assertThat(answer.blocks(4).get(2).get(0)).isEqualTo((byte) 'c');
    assertThat(answer.blocks(4).get(3).get(0)).isEqualTo((byte) 'd');
    assertThat(controlStatus(client, 0x80170d, block, block(8), block(16)))
        .isEqualTo(INVALID_ARGUMENT);
    assertThat(controlStatus(client, 0x80170d, block(24, 0x4000_0000), block(8), block(8)))
        .isEqualTo(INVALID_ARGUMENT);
    assertThat(controlStatus(client, 0x80170d, block, block(8), block(8), block(8)))
        .isEqualTo(INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @EnumSource(ProgramControl.class)
  void pointers_ofAProgram_neverReachTheDriver(ProgramControl known) {
    int bytes = known.shape().bytes() < 0 ? 16 : known.shape().bytes();
    ByteBuffer block = block(bytes);
    known.shape().lists().forEach(list -> block.putLong(list.pointer(), 0x7fff_dead_beefL));
    int _ = controlStatus(client, known.command(), block);
    for (FakeDriver.Seen seen : driver.seen(ProgramEscape.CONTROL)) {
      known.shape().lists().forEach(list -> assertThat(seen.longInBlock(list.pointer())).isZero());
    }
  }

  // ---- memory ----

  @Test
  void videoMemory_beyondTheQuota_isOutOfMemoryAndWhatIsFreedComesBack() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(1 << 20);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1)))
        .isEqualTo(NO_MEMORY);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(-1)))
        .isEqualTo(NO_MEMORY);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    videoLimit.set(0);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, client, DEVICE)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
  }

  @Test
  void systemMemory_isPagesOfOursUnderTheProgramsHandle() {
    device();
    ByteBuffer wanted = memory(5000);
    wanted.putInt(24, 0x3a00_0000);
    ByteBuffer answer =
        program
            .ioctl(
                control,
                ProgramEscape.ALLOC,
                alloc(client, DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM),
                wanted)
            .blocks(2)
            .get(1);
    assertThat(answer.getLong(64)).isEqualTo(8192);
    assertThat(answer.getLong(88)).isEqualTo(8191);
    assertThat(answer.getInt(24)).isEqualTo(0x2a80_0000);
    FakeDriver.Seen made = driver.seen(ProgramEscape.ALLOC_MEMORY).getLast();
    assertThat(made.node()).isEqualTo("nvidia0");
    assertThat(made.word(8)).isEqualTo(MEMORY);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(8192);

    mapped(MEMORY, 0, 8192);
    assertThat(program.map(card, 0x2_0000_0000L, 8192, 0).fds())
        .hasSize(1)
        .allSatisfy(fd -> {
          assertThat(kernel.fstat(fd).sizeBytes()).isEqualTo(8192);
          fd.close();
        });
    assertThat(program.map(card, 0, 8193, 0).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(program.map(card, 0, 4096, 8192).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(program.map(card, 0, 4096, -4096).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(driver.seen(ProgramEscape.MAP_MEMORY)).isEmpty();
  }

  private void mapped(int memory, long offset, long length) {
    assertThat(mapStatus(memory, offset, length)).isEqualTo(OK);
  }

  private int mapStatus(int memory, long offset, long length) {
    return mapStatus(memory, offset, length, card);
  }

  private int mapStatus(int memory, long offset, long length, int file) {
    ByteBuffer map = block(56, client, DEVICE, memory);
    map.putLong(16, offset);
    map.putLong(24, length);
    map.putInt(48, file);
    return status(control, ProgramEscape.MAP_MEMORY, map);
  }

  @Test
  void hostMemory_beyondTheLimit_isOutOfMemory() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM, memory(8 << 20)))
        .isEqualTo(OK);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_SYSTEM, memory(1)))
        .isEqualTo(NO_MEMORY);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_SYSTEM, memory(Long.MAX_VALUE)))
        .isEqualTo(INVALID_ARGUMENT);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_SYSTEM, memory(0)))
        .isEqualTo(INVALID_ARGUMENT);
  }

  @Test
  void videoMemory_thatIsToBeMapped_becomesPagesOfOurs() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(8192)))
        .isEqualTo(OK);
    mapped(MEMORY, 4096, 4096);
    ProgramStatus now = relay.programs().getFirst();
    assertThat(now.videoBytes()).isZero();
    assertThat(now.hostBytes()).isEqualTo(8192);
    assertThat(driver.seen(ProgramEscape.FREE)).hasSize(1);
    TestProgram.Answer answer = program.map(card, 0, 4096, 0);
    assertThat(answer.address()).isEqualTo(4096);
    answer.fds().forEach(Fd::close);
    assertThat(mapStatus(MEMORY, 4096, 8192)).isNotZero();
    assertThat(mapStatus(MEMORY, -4096, 4096)).isNotZero();
  }

  @Test
  void videoMemory_thatTheGpuHasMapped_isNotMapped() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(8192)))
        .isEqualTo(OK);
    ByteBuffer map = block(9264);
    map.putInt(9248, control);
    map.putInt(9252, client);
    map.putInt(9256, MEMORY);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MAP_EXTERNAL_ALLOCATION.number(), map)
                .blocks(1)
                .getFirst()
                .getInt(9260))
        .isEqualTo(OK);
    assertThat(mapStatus(MEMORY, 0, 4096)).isEqualTo(NOT_SUPPORTED);
  }

  @Test
  void doorbell_isTheDriversPageAndMappedByItsDescriptor() {
    device();
    assertThat(alloc(DEVICE, 21, ProgramClass.HOPPER_USERMODE_A, block(2, 0x0101))).isEqualTo(OK);
    assertThat(driver.seen(ProgramEscape.ALLOC).getLast().blocks().get(1)[1]).isZero();
    int tied = program.open("nvidia0");
    assertThat(program.ioctl(tied, ProgramEscape.REGISTER_FD, block(4, control)).error()).isZero();
    assertThat(mapStatus(21, 0, 65536, tied)).isEqualTo(INVALID_ARGUMENT);
    assertThat(mapStatus(21, 0, 65536, control)).isEqualTo(INVALID_ARGUMENT);
    mapped(21, 0, 65536);
    FakeDriver.Seen seen = driver.seen(ProgramEscape.MAP_MEMORY).getLast();
    assertThat(kernel.openFds()).containsKey(seen.word(48));
    TestProgram.Answer answer = program.map(card, 0, 65536, 0);
    assertThat(answer.fds()).hasSize(1);
    answer.fds().forEach(Fd::close);
    assertThat(program.ioctl(card, ProgramEscape.REGISTER_FD, block(4, control)).error())
        .isEqualTo(Errno.EPERM.number());
  }

  @Test
  void usermodePage_thatIsNotRung_isAnEmptyPageOfOurs() {
    device();
    assertThat(alloc(DEVICE, 21, ProgramClass.HOPPER_USERMODE_A, block(0))).isEqualTo(OK);
    mapped(21, 0, 65536);
    assertThat(driver.seen(ProgramEscape.MAP_MEMORY)).isEmpty();
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(65536);
  }

  @Test
  void device_ofNoClientsAddressSpace_isOfItsOwn() {
    assertThat(alloc(client, DEVICE, ProgramClass.NV01_DEVICE_0, block(56))).isEqualTo(OK);
    assertThat(driver.seen(ProgramEscape.ALLOC).getLast().inBlock(4)).isEqualTo(client);
  }

  @Test
  void device_withoutItsBlock_isNone() {
    assertThat(alloc(client, DEVICE, ProgramClass.NV01_DEVICE_0, block(0)))
        .isEqualTo(INVALID_ARGUMENT);
  }

  @Test
  void maps_thatNothingPrepared_areInvalid() {
    assertThat(program.map(control, 0, 4096, 0).error()).isEqualTo(Errno.EINVAL.number());
    assertThat(program.map(uvm, 1 << 20, 4096, 1 << 20).error()).isEqualTo(Errno.EINVAL.number());
  }

  @Test
  void pieces_beyondTheGuestsShareOfDescriptors_areOutOfMemory() {
    device();
    int made = 0;
    while (alloc(DEVICE, MEMORY + made, ProgramClass.NV01_MEMORY_SYSTEM, memory(1)) == OK) {
      made++;
    }
    assertThat(made).isBetween(256, 512);
    assertThat(program.tryOpen("nvidia0").error()).isEqualTo(Errno.EMFILE.number());
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(program.open("nvidia0")).isPositive();
  }

  @Test
  void pinnedMemory_isTheProgramsOwnSealedFileAndNoOther() {
    device();
    Fd file = kernel.memfdCreate("pinned", FILE_SIZE);
    assertThat(pin(List.of(file), 0, FILE_SIZE)).isEqualTo(INVALID_ADDRESS); // not sealed
    kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
    assertThat(pin(List.of(file), 0, FILE_SIZE + 1)).isEqualTo(INVALID_ADDRESS);
    assertThat(pin(List.of(file), 4096, FILE_SIZE)).isEqualTo(INVALID_ADDRESS);
    assertThat(pin(List.of(file), 1, 4096)).isEqualTo(INVALID_ADDRESS);
    assertThat(pin(List.of(file), -4096, 4096)).isEqualTo(INVALID_ADDRESS);
    assertThat(pin(List.of(), 0, 4096)).isEqualTo(NOT_SUPPORTED);
    Fd event = kernel.eventfd(0, Kernel.NONBLOCK);
    assertThat(pin(List.of(event), 0, 4096)).isEqualTo(INVALID_ADDRESS);
    event.close();
    assertThat(relay.programs().getFirst().hostBytes()).isZero();

    assertThat(pin(List.of(file), 4096, 8192)).isEqualTo(OK);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(8192);
    file.close();
    assertThat(driver.seen(ProgramEscape.ALLOC_MEMORY)).hasSize(1);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
  }

  private int pin(List<Fd> file, long offset, long bytes) {
    ByteBuffer argument = block(56, client, DEVICE, MEMORY, 0x71, 0x4000_1010);
    argument.putLong(24, 0x7fff_0000_0000L);
    argument.putLong(32, bytes - 1);
    argument.putInt(48, -1);
    ByteBuffer answer =
        program
            .ioctl(card, TestProgram.request(ProgramEscape.ALLOC_MEMORY), offset, file, argument)
            .blocks(1)
            .getFirst();
    assertThat(answer.getLong(24)).isEqualTo(0x7fff_0000_0000L);
    return answer.getInt(40);
  }

  // ---- UVM ----

  @Test
  void initialize_isOfTheKindThatOthersMayCall() {
    ByteBuffer answer =
        program.ioctl(uvm, UvmCommand.INITIALIZE.number(), block(16)).blocks(1).getFirst();
    assertThat(answer.getLong(0)).isZero();
    assertThat(driver.seen(UvmCommand.INITIALIZE).getLast().word(0)).isEqualTo(2);
  }

  private void pool(long base) {
    ByteBuffer pool = block(9248);
    pool.putLong(0, base);
    pool.putLong(8, 2 << 20);
    pool.putInt(16, 0x1234);
    pool.putLong(9232, 1);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.ALLOC_SEMAPHORE_POOL.number(), pool)
                .blocks(1)
                .getFirst()
                .getInt(9240))
        .isEqualTo(OK);
  }

  @Test
  void semaphorePool_isPagesOfOursAtItsAddress() {
    device();
    long base = 0x2_04a0_0000L;
    pool(base);
    assertThat(driver.seen(UvmCommand.ALLOC_SEMAPHORE_POOL)).isEmpty();
    FakeDriver.Seen map = driver.seen(UvmCommand.MAP_EXTERNAL_ALLOCATION).getLast();
    assertThat(map.word(24)).isEqualTo(0x1234);
    assertThat(map.word(9240)).isEqualTo(1);
    assertThat(map.word(9252)).isEqualTo(client);
    assertThat(uvmStatus(UvmCommand.VALIDATE_VA_RANGE, 0, (int) base)).isZero();
    TestProgram.Answer answer = program.map(uvm, base, 2 << 20, base);
    assertThat(answer.error()).isZero();
    answer.fds().forEach(Fd::close);
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(2 << 20);

    ByteBuffer free = block(24);
    free.putLong(0, base);
    assertThat(program.ioctl(uvm, UvmCommand.FREE.number(), free).blocks(1).getFirst().getInt(16))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
  }

  @Test
  void managedMemory_isPagesOfOursAndAMigrationIsOverAtOnce() {
    device();
    long base = 0x2_04a0_0000L;
    pool(base);
    long managed = 0x7f00_0000_0000L;
    TestProgram.Answer answer = program.map(uvm, managed, FILE_SIZE, managed);
    assertThat(answer.error()).isZero();
    answer.fds().forEach(Fd::close);
    ByteBuffer migrate = block(80);
    migrate.putLong(0, managed);
    migrate.putLong(40, base + 64);
    migrate.putInt(48, 4711);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MIGRATE.number(), migrate)
                .blocks(1)
                .getFirst()
                .getInt(72))
        .isEqualTo(OK);
    assertThat(driver.seen(UvmCommand.MIGRATE)).isEmpty();
    migrate.putLong(40, 0x1000);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MIGRATE.number(), migrate)
                .blocks(1)
                .getFirst()
                .getInt(72))
        .isEqualTo(INVALID_ADDRESS);
    migrate.putLong(40, base + (2 << 20) - 2);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MIGRATE.number(), migrate)
                .blocks(1)
                .getFirst()
                .getInt(72))
        .isEqualTo(INVALID_ADDRESS);
  }

  // ---- the end ----

  @Test
  void controlFile_thatIsClosed_takesItsClientsAlong() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    assertThat(program.close(control).error()).isZero();
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(driver.objects()).isZero();
  }

  @Test
  void memory_thatIsFreedUnderAMapOrARange_isGoneForBoth() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM, memory(4096))).isEqualTo(OK);
    mapped(MEMORY, 0, 4096);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(program.map(card, 0, 4096, 0).error()).isEqualTo(Errno.EINVAL.number());

    long base = 0x2_04a0_0000L;
    pool(base);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, 0x5e10_0000)))
        .isEqualTo(OK);
    // UVM has it still: it is there, and counts, until the range is freed.
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(2 << 20);
    program.map(uvm, base, 4096, base).fds().forEach(Fd::close);
    free(base);
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
    program.map(uvm, base, 4096, base).fds().forEach(Fd::close); // new ones
    assertThat(relay.programs().getFirst().hostBytes()).isEqualTo(4096);
  }

  private void free(long base) {
    ByteBuffer free = block(24);
    free.putLong(0, base);
    assertThat(program.ioctl(uvm, UvmCommand.FREE.number(), free).blocks(1).getFirst().getInt(16))
        .isEqualTo(OK);
  }

  @Test
  void videoMemory_thatUvmStillHas_counts() {
    device();
    long base = 0x10_0000_0000L;
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    external(base, MEMORY);
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(1 << 20);
    assertThat(alloc(DEVICE, MEMORY + 1, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1)))
        .isEqualTo(NO_MEMORY);
    free(base);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    external(base, MEMORY);
    ByteBuffer unmap = block(40);
    unmap.putLong(0, base);
    unmap.putLong(8, 1 << 20);
    assertThat(program.ioctl(uvm, UvmCommand.UNMAP_EXTERNAL.number(), unmap).error()).isZero();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
  }

  private void external(long base, int memory) {
    ByteBuffer range = block(24);
    range.putLong(0, base);
    range.putLong(8, 1 << 20);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.CREATE_EXTERNAL_RANGE.number(), range)
                .blocks(1)
                .getFirst()
                .getInt(16))
        .isEqualTo(OK);
    ByteBuffer map = block(9264);
    map.putLong(0, base);
    map.putLong(8, 1 << 20);
    map.putInt(9248, control);
    map.putInt(9252, client);
    map.putInt(9256, memory);
    assertThat(
            program
                .ioctl(uvm, UvmCommand.MAP_EXTERNAL_ALLOCATION.number(), map)
                .blocks(1)
                .getFirst()
                .getInt(9260))
        .isEqualTo(OK);
  }

  @Test
  void uvm_thatIsClosed_letsGoOfAll() {
    device();
    assertThat(program.ioctl(uvm, UvmCommand.INITIALIZE.number(), block(16)).error()).isZero();
    pool(0x2_04a0_0000L);
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .isEqualTo(OK);
    external(0x10_0000_0000L, MEMORY);
    assertThat(program.close(uvm).error()).isZero();
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, MEMORY)))
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
  }

  @Test
  void controlFiles_thatComeAndGoWithMemory_leaveNoFile() {
    for (int i = 0; i < 2 * ProgramFiles.MAX_FILES; i++) {
      int file = program.open("nvidiactl");
      int own = client(program, file);
      ByteBuffer answer =
          program
              .ioctl(
                  file,
                  ProgramEscape.ALLOC,
                  alloc(own, own, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM),
                  memory(4096))
              .blocks(2)
              .getFirst();
      assertThat(answer.getInt(40)).isEqualTo(OK);
      assertThat(program.close(file).error()).isZero();
    }
    assertThat(relay.programs().getFirst().files()).isEqualTo(3);
    assertThat(relay.programs().getFirst().hostBytes()).isZero();
  }

  @Test
  void program_thatIsEnded_leavesNothing() {
    device();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM, memory(4096))).isEqualTo(OK);
    assertThat(relay.end(4711)).isFalse();
    assertThat(relay.end(relay.programs().getFirst().number())).isTrue();
    assertThat(program.survives(block(32, 32, RelayRequest.CLOSE, 1).array())).isFalse();
  }

  @Test
  void relay_thatIsClosed_sendsAllAwayAndTakesNoMore() throws InterruptedException {
    relay.close();
    for (Thread thread : threads) {
      thread.join();
    }
    TestProgram late = connect();
    assertThat(late.survives(block(32, 32, RelayRequest.HELLO, 0, 1).array())).isFalse();
  }
}
