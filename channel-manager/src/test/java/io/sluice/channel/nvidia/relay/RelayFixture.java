package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdCustody;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.time.TimeSlices;
import io.sluice.testbed.fakes.FakeKernel;
import io.sluice.testbed.fakes.TestCustody;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A relay before a driver that believes it everything, and a program of it with a client; after
 * each test nothing of either may be left.
 */
abstract class RelayFixture {
  static final int OK = 0;
  static final int INVALID_ADDRESS = 0x1e;
  static final int INVALID_ARGUMENT = 0x1f;
  static final int INVALID_STATE = 0x40;
  static final int INVALID_CLASS = 0x22;
  static final int INVALID_CLIENT = 0x23;
  static final int INVALID_OBJECT_HANDLE = 0x33;
  static final int NO_MEMORY = 0x51;
  static final int NOT_SUPPORTED = 0x56;
  static final int DEVICE = 0x5c00_0001;
  static final int MEMORY = 0x5c00_0010;
  static final byte[] GPU_UUID = "the guest's card".getBytes(StandardCharsets.US_ASCII);
  static final int FILE_SIZE = 1 << 16;

  final FakeKernel kernel = new FakeKernel();
  final FakeDriver driver = new FakeDriver(kernel);
  final AtomicLong videoLimit = new AtomicLong(1 << 20);
  final AtomicLong hostLimit = new AtomicLong(8 << 20);
  final AtomicLong heapLimit = new AtomicLong(heapBytes());
  final MemoryBudget heap = MemoryBudget.upTo(heapLimit::get);
  final AtomicInteger dropped = new AtomicInteger();
  final List<Thread> threads = new ArrayList<>();
  final List<TestProgram> programs = new ArrayList<>();
  final TimeSlices time = new TimeSlices();
  final AtomicBoolean overflows = new AtomicBoolean();
  final AtomicInteger roomMade = new AtomicInteger(); // how often it still can be
  final AtomicLong aheadNs = new AtomicLong(); // of the machine's clock
  final DriverRelay relay =
      new DriverRelay(
          "web-01",
          kernel,
          driver,
          new RelayCard("card", 0x100, 0, 0, uuid(GPU_UUID)),
          new RelayLimits(3, video(), hostLimit::get, heap),
          driver,
          time,
          () -> System.nanoTime() + aheadNs.get(),
          dropped::incrementAndGet);

  volatile Runnable taking = () -> {}; // before video memory is taken

  TestProgram program;
  int control;
  int card;
  int uvm;
  int client;

  /** What the programs may take of the heap. */
  long heapBytes() {
    return 1L << 30;
  }

  private static UUID uuid(byte[] bytes) {
    ByteBuffer both = ByteBuffer.wrap(bytes);
    return new UUID(both.getLong(), both.getLong());
  }

  private MemoryBudget video() {
    MemoryBudget bounded = MemoryBudget.upTo(videoLimit::get);
    return new MemoryBudget() {
      @Override
      public boolean take(long bytes) {
        taking.run();
        return bounded.take(bytes);
      }

      @Override
      public void add(long bytes) {
        bounded.add(bytes);
      }

      @Override
      public void giveBack(long bytes) {
        bounded.giveBack(bytes);
      }

      @Override
      public long bytes() {
        return bounded.bytes();
      }

      @Override
      public long limitBytes() {
        return bounded.limitBytes();
      }

      @Override
      public boolean overflows() {
        return overflows.get();
      }

      @Override
      public boolean makeRoom() {
        return roomMade.getAndDecrement() > 0;
      }
    };
  }

  @BeforeEach
  void start() {
    program = connect();
    assertThat(program.hello().value()).isEqualTo(1);
    control = program.open("nvidiactl");
    card = program.open("nvidia0");
    uvm = program.open("nvidia-uvm");
    client = client(program, control);
  }

  /** What has the custody of descriptors that programs send. */
  FdCustody custody() {
    return TestCustody.none();
  }

  TestProgram connect() {
    List<Fd> ends = kernel.socketpair();
    Thread thread = Thread.ofPlatform().start(() -> relay.serve(ends.get(1), custody()));
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
    assertThat(heap.bytes()).isZero();
  }

  static int client(TestProgram of, int file) {
    TestProgram.Answer answer =
        of.ioctl(file, ProgramEscape.ALLOC, alloc(0, 0, 0, ProgramClass.NV01_ROOT), block(0));
    ByteBuffer argument = answer.blocks(2).getFirst();
    assertThat(argument.getInt(40)).isEqualTo(OK);
    return argument.getInt(8);
  }

  static ByteBuffer alloc(int root, int parent, int handle, ProgramClass type) {
    return block(48, root, parent, handle, type.number(), 0x1000, 0x7fff);
  }

  int alloc(int parent, int handle, ProgramClass type, ByteBuffer parameters) {
    return program
        .ioctl(control, ProgramEscape.ALLOC, alloc(client, parent, handle, type), parameters)
        .blocks(2)
        .getFirst()
        .getInt(40);
  }

  void device() {
    assertThat(alloc(client, DEVICE, ProgramClass.NV01_DEVICE_0, block(56, 0, client)))
        .isEqualTo(OK);
  }

  static ByteBuffer memory(long bytes) {
    ByteBuffer block = block(128);
    block.putLong(64, bytes);
    return block;
  }

  int controlStatus(int of, int command, ByteBuffer... blocks) {
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

  int status(int file, ProgramEscape escape, ByteBuffer argument) {
    return program
        .ioctl(file, escape, argument)
        .blocks(1)
        .getFirst()
        .getInt(escape.shape().status());
  }

  int uvmStatus(UvmCommand command, int at, int word) {
    ByteBuffer argument = block(command.shape().bytes());
    argument.putInt(at, word);
    command.shape().descriptors().forEach(offset -> argument.putInt(offset, control));
    return program
        .ioctl(uvm, command.number(), argument)
        .blocks(1)
        .getFirst()
        .getInt(command.shape().status());
  }

  void mapped(int memory, long offset, long length) {
    assertThat(mapStatus(memory, offset, length)).isEqualTo(OK);
  }

  int mapStatus(int memory, long offset, long length) {
    return mapStatus(memory, offset, length, card);
  }

  int mapStatus(int memory, long offset, long length, int file) {
    ByteBuffer map = block(56, client, DEVICE, memory);
    map.putLong(16, offset);
    map.putLong(24, length);
    map.putInt(48, file);
    return status(control, ProgramEscape.MAP_MEMORY, map);
  }

  void pool(long base) {
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

  void free(long base) {
    ByteBuffer free = block(24);
    free.putLong(0, base);
    free.putLong(8, driver.rangeBytes(base));
    assertThat(program.ioctl(uvm, UvmCommand.FREE.number(), free).blocks(1).getFirst().getInt(16))
        .isEqualTo(OK);
  }

  void external(long base, int memory) {
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
    map.put(24, GPU_UUID);
    map.putLong(9240, 1);
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
}
