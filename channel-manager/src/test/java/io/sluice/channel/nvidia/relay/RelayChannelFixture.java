package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.RmEngine;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A program with one channel, whose submissions a card in memory runs as it is rung. */
abstract class RelayChannelFixture extends RelayFixture {
  static final int SUBDEVICE = 0x5c00_0002;
  static final int NOTIFIER = 0x5c00_0011;
  static final int GROUP = 0x5c00_0020;
  static final int CHANNEL = 0x5c00_0021;
  static final int COMPUTE = 0x5c00_0022;
  static final int DATA = 0x5c00_0030;
  static final long RING = 0x2_0060_0000L;
  static final long DATA_AT = 0x7_0000_0000L;
  static final long RING_BYTES = 1 << 20;
  static final int ENTRIES = 16;
  static final long USERD = 0x2000;
  static final int PUT = (int) USERD + 0x8c;
  static final long PUSHBUFFER = 0x8000;
  static final long PATIENCE_NS = 10_000_000_000L;
  static final int FIRST_TOKEN = 0x10005;
  static final int NEXT_TOKEN = 0x10007;

  final List<Integer> ran = new ArrayList<>(); // words of pushbuffer, as the card ran them
  MemorySegment ring = MemorySegment.NULL;
  MemorySegment notifier = MemorySegment.NULL;
  Mapping ringMapping;
  Mapping notifierMapping;
  int token;
  MemorySegment channel = MemorySegment.NULL;
  int get; // of the card

  @BeforeEach
  void channel() {
    device();
    assertThat(alloc(DEVICE, SUBDEVICE, ProgramClass.NV20_SUBDEVICE_0, block(4))).isEqualTo(OK);
    assertThat(program.ioctl(uvm, UvmCommand.INITIALIZE.number(), block(16)).error()).isZero();
    assertThat(alloc(DEVICE, MEMORY, ProgramClass.NV01_MEMORY_SYSTEM, memory(RING_BYTES)))
        .isEqualTo(OK);
    assertThat(alloc(DEVICE, NOTIFIER, ProgramClass.NV01_MEMORY_SYSTEM, memory(4096)))
        .isEqualTo(OK);
    external(RING, MEMORY);
    ringMapping = map(MEMORY, RING_BYTES);
    ring = ringMapping.segment();
    notifierMapping = map(NOTIFIER, 4096);
    notifier = notifierMapping.segment();
    ByteBuffer group = block(20);
    group.putInt(12, engine());
    assertThat(alloc(DEVICE, GROUP, ProgramClass.KEPLER_CHANNEL_GROUP_A, group)).isEqualTo(OK);
    assertThat(alloc(GROUP, CHANNEL, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, channelParameters()))
        .isEqualTo(OK);
    assertThat(alloc(CHANNEL, COMPUTE, ProgramClass.HOPPER_COMPUTE_A, block(16))).isEqualTo(OK);
    driver.onRing(this::run);
    token(FIRST_TOKEN);
    ByteBuffer asked =
        block(
            32, client, CHANNEL, ProgramControl.GPFIFO_GET_WORK_SUBMIT_TOKEN.command(), 0, 1, 0, 4);
    assertThat(
            program
                .ioctl(control, ProgramEscape.CONTROL, asked, block(4))
                .blocks(2)
                .getFirst()
                .getInt(28))
        .isEqualTo(OK);
  }

  static ByteBuffer channelParameters() {
    ByteBuffer parameters = block(368);
    parameters.putInt(0, NOTIFIER);
    parameters.putLong(8, RING);
    parameters.putInt(16, ENTRIES);
    parameters.putInt(32, MEMORY);
    parameters.putLong(64, USERD);
    return parameters;
  }

  /** On which its channel is. */
  int engine() {
    return RmEngine.GRAPHICS;
  }

  void token(int next) {
    token = next;
    driver.answerTokens(next);
  }

  Mapping map(int memory, long bytes) {
    mapped(memory, 0, bytes);
    TestProgram.Answer answer = program.map(card, 0, bytes, 0);
    try (var file = answer.fds().getFirst()) {
      return kernel.mmap(file, answer.address(), bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    }
  }

  @AfterEach
  void unmap() {
    ringMapping.close();
    notifierMapping.close();
  }

  /** What the card does with a channel that is rung: all that was put, at once. */
  void run(int rung) {
    if (rung != token) {
      return;
    }
    MemorySegment userd = driver.userd();
    MemorySegment slots = driver.pagesAt(RING);
    int put = userd.get(ValueLayout.JAVA_INT, 0x8c);
    if (!channel.equals(driver.channel())) { // a new one begins with entry 0, whatever USERD says
      channel = driver.channel();
      get = 0;
    }
    while (get != put) {
      long entry = slots.get(ValueLayout.JAVA_LONG, get * 8L);
      execute(slots, HopperMethods.address(entry) - RING, HopperMethods.words(entry));
      get = get + 1 & ENTRIES - 1;
      userd.set(ValueLayout.JAVA_INT, 0x88, get);
    }
  }

  void execute(MemorySegment slots, long from, int count) {
    List<Integer> words = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      words.add(slots.get(ValueLayout.JAVA_INT, from + i * 4L));
    }
    int release = words.indexOf(HopperMethods.header(0, HopperMethods.SEM_ADDR_LO, 5));
    if (release >= 0) {
      long at =
          Integer.toUnsignedLong(words.get(release + 1)) | (long) words.get(release + 2) << 32;
      slots.set(ValueLayout.JAVA_INT, at - RING, words.get(release + 3));
      words = words.subList(0, release);
    }
    ran.addAll(words);
  }

  /** Writes a submission, as libcuda does: the entry, GP_PUT, and the bell of the notifier. */
  void submit(int... words) {
    int put = ring.get(ValueLayout.JAVA_INT, PUT);
    long at = PUSHBUFFER + put * 256L;
    for (int i = 0; i < words.length; i++) {
      ring.set(ValueLayout.JAVA_INT, at + i * 4L, words[i]);
    }
    ring.set(ValueLayout.JAVA_LONG, put * 8L, HopperMethods.entry(RING + at, words.length));
    ring.set(ValueLayout.JAVA_INT, PUT, put + 1 & ENTRIES - 1);
    run(notifier.get(ValueLayout.JAVA_INT, 24));
  }

  static int method(int method) {
    return HopperMethods.header(1, method, 1);
  }

  long number() {
    return relay.programs().getFirst().number();
  }

  void suspend() {
    assertThat(relay.suspend(number(), PATIENCE_NS)).isTrue();
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.SUSPENDED);
  }

  void resume() {
    token(NEXT_TOKEN);
    assertThat(relay.resume(number())).isTrue();
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.RUNNING);
  }

  /** On a thread of its own. */
  static <T> CompletableFuture<T> aside(Supplier<T> action) {
    return CompletableFuture.supplyAsync(action, command -> Thread.ofPlatform().start(command));
  }

  void data() {
    assertThat(alloc(DEVICE, DATA, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    external(DATA_AT, DATA);
    driver.store(DATA_AT, 77);
  }
}
