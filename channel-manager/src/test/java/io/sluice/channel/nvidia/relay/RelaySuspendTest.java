package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.HopperMethods;
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
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The suspension of a program before a driver in memory, with one channel whose submissions a card
 * in memory runs as it is rung.
 */
final class RelaySuspendTest extends RelayFixture {
  private static final int SUBDEVICE = 0x5c00_0002;
  private static final int NOTIFIER = 0x5c00_0011;
  private static final int GROUP = 0x5c00_0020;
  private static final int CHANNEL = 0x5c00_0021;
  private static final int COMPUTE = 0x5c00_0022;
  private static final int DATA = 0x5c00_0030;
  private static final long RING = 0x2_0060_0000L;
  private static final long DATA_AT = 0x7_0000_0000L;
  private static final long RING_BYTES = 1 << 20;
  private static final int ENTRIES = 16;
  private static final long USERD = 0x2000;
  private static final int PUT = (int) USERD + 0x8c;
  private static final long PUSHBUFFER = 0x8000;
  private static final long PATIENCE_NS = 10_000_000_000L;
  private static final int FIRST_TOKEN = 0x10005;
  private static final int NEXT_TOKEN = 0x10007;

  private final List<Integer> ran = new ArrayList<>(); // words of pushbuffer, as the card ran them
  private MemorySegment ring = MemorySegment.NULL;
  private MemorySegment notifier = MemorySegment.NULL;
  private Mapping ringMapping;
  private Mapping notifierMapping;
  private int token;
  private MemorySegment channel = MemorySegment.NULL;
  private int get; // of the card

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
    assertThat(alloc(DEVICE, GROUP, ProgramClass.KEPLER_CHANNEL_GROUP_A, block(20))).isEqualTo(OK);
    ByteBuffer parameters = block(368);
    parameters.putInt(0, NOTIFIER);
    parameters.putLong(8, RING);
    parameters.putInt(16, ENTRIES);
    parameters.putInt(32, MEMORY);
    parameters.putLong(64, USERD);
    assertThat(alloc(GROUP, CHANNEL, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, parameters))
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

  private void token(int next) {
    token = next;
    driver.answerTokens(next);
  }

  private Mapping map(int memory, long bytes) {
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
  private void run(int rung) {
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

  private void execute(MemorySegment slots, long from, int count) {
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
  private void submit(int... words) {
    int put = ring.get(ValueLayout.JAVA_INT, PUT);
    long at = PUSHBUFFER + put * 256L;
    for (int i = 0; i < words.length; i++) {
      ring.set(ValueLayout.JAVA_INT, at + i * 4L, words[i]);
    }
    ring.set(ValueLayout.JAVA_LONG, put * 8L, HopperMethods.entry(RING + at, words.length));
    ring.set(ValueLayout.JAVA_INT, PUT, put + 1 & ENTRIES - 1);
    run(notifier.get(ValueLayout.JAVA_INT, 24));
  }

  private static int method(int method) {
    return HopperMethods.header(1, method, 1);
  }

  private long number() {
    return relay.programs().getFirst().number();
  }

  private void suspend() {
    assertThat(relay.suspend(number(), PATIENCE_NS)).isTrue();
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.SUSPENDED);
  }

  private void resume() {
    token(NEXT_TOKEN);
    assertThat(relay.resume(number())).isTrue();
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.RUNNING);
  }

  /** On a thread of its own. */
  private static <T> CompletableFuture<T> aside(Supplier<T> action) {
    return CompletableFuture.supplyAsync(action, command -> Thread.ofPlatform().start(command));
  }

  @Test
  void program_thatIsNotThere_isNeitherSuspendedNorResumed() {
    assertThat(relay.suspend(99, PATIENCE_NS)).isFalse();
    assertThat(relay.resume(99)).isFalse();
  }

  @Test
  void program_thatRuns_isNotResumed() {
    assertThatThrownBy(() -> relay.resume(number()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("the program is running")
        .hasMessageContaining("SLU-RLY-007");
  }

  @Test
  void program_thatIsSuspended_isNotSuspendedAgain() {
    suspend();
    assertThatThrownBy(() -> relay.suspend(number(), PATIENCE_NS))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("the program is suspended")
        .hasMessageContaining("SLU-RLY-006");
    resume();
  }

  @Test
  void work_thatDoesNotEnd_leavesTheProgramAsItWas() {
    driver.work(Integer.MAX_VALUE);
    assertThatThrownBy(() -> relay.suspend(number(), 20_000_000))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("does not come to an end");
    driver.work(0);
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.RUNNING);
    submit(method(0x2bc), 7);
    assertThat(ran).containsExactly(method(0x2bc), 7);
    assertThat(driver.stopped()).isZero();
  }

  @Test
  void work_thatEndsInTime_isWaitedFor() {
    driver.work(100);
    suspend();
    resume();
  }

  @Test
  void contents_thatCannotBeKept_leaveTheProgramAsItWas() {
    data();
    driver.copy(0);
    assertThatThrownBy(() -> relay.suspend(number(), PATIENCE_NS))
        .isInstanceOf(RefusedException.class);
    assertThat(driver.keptContents()).isZero();
    assertThat(driver.stopped()).isZero();
    assertThat(driver.load(DATA_AT)).isEqualTo(77);
    assertThat(notifier.get(ValueLayout.JAVA_INT, 24)).isEqualTo(FIRST_TOKEN);
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(1 << 20);
  }

  @Test
  void memory_beyondTheHostsLimit_isNotKept() {
    data();
    hostLimit.set(RING_BYTES + 4096);
    assertThatThrownBy(() -> relay.suspend(number(), PATIENCE_NS))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("more of the host's memory than the guest may have");
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.RUNNING);
  }

  private void data() {
    assertThat(alloc(DEVICE, DATA, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    external(DATA_AT, DATA);
    driver.store(DATA_AT, 77);
  }

  @Test
  void program_thatIsSuspended_hasNothingOnTheCardAndComesBackAsItWas() {
    data();
    submit(method(0), 0xcbc0, method(0x2bc), 1);
    suspend();
    assertThat(driver.objects()).isZero();
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(relay.programs().getFirst().evictedBytes()).isEqualTo(1 << 20);
    assertThat(driver.keptContents()).isEqualTo(1);

    ran.clear();
    resume();
    assertThat(ran).as("its channel is told its class").startsWith(method(0), 0xcbc0);
    assertThat(ran).as("and runs nothing twice").doesNotContain(method(0x2bc));
    assertThat(driver.load(DATA_AT)).isEqualTo(77);
    assertThat(driver.keptContents()).isZero();
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(1 << 20);
    assertThat(relay.programs().getFirst().evictedBytes()).isZero();
    assertThat(notifier.get(ValueLayout.JAVA_INT, 24)).isEqualTo(NEXT_TOKEN);
    ran.clear();
    submit(method(0x2bc), 2);
    assertThat(ran).containsExactly(method(0x2bc), 2);
  }

  @Test
  void submissions_whileItIsSuspended_runOnceWhenItIsResumed() {
    for (int i = 0; i < ENTRIES + 5; i++) { // round the ring
      submit(method(0x2bc), i);
    }
    suspend();
    ran.clear();
    submit(method(0x2bc), 100);
    submit(method(0x2bc), 101);
    assertThat(ran).isEmpty();
    resume();
    assertThat(ran).containsExactly(method(0x2bc), 100, method(0x2bc), 101);
  }

  @Test
  void calls_underTheFormerNames_reachTheClientThatWasMadeAnew() {
    suspend();
    resume();
    assertThat(alloc(DEVICE, DATA, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    FakeDriver.Seen last = driver.seen(ProgramEscape.ALLOC).getLast();
    assertThat(last.word(0)).isNotEqualTo(client);
    suspend();
    resume();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, DATA))).isEqualTo(OK);
  }

  @Test
  void call_ofASuspendedProgram_waitsUntilItIsResumed() throws Exception {
    suspend();
    CompletableFuture<Integer> call =
        aside(() -> alloc(DEVICE, DATA, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)));
    assertThat(call).isNotDone();
    resume();
    assertThat(call.get()).isEqualTo(OK);
  }

  /**
   * It gives the turn back while it asks the quotas: it must not go on before a card without it.
   */
  @Test
  void call_thatWaitsForTheQuotas_endsBeforeItsProgramIsSuspended() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    taking =
        () -> {
          asked.countDown();
          Uninterruptibles.awaitUninterruptibly(answered);
        };
    CompletableFuture<Integer> call =
        aside(() -> alloc(DEVICE, DATA, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)));
    asked.await();
    long number = number();
    CompletableFuture<Boolean> suspended = aside(() -> relay.suspend(number, PATIENCE_NS));
    while (relay.programs().getFirst().state() == ProgramState.RUNNING) {
      Thread.onSpinWait();
    }
    assertThat(suspended).isNotDone();
    taking = () -> {};
    answered.countDown();
    assertThat(call.get()).isEqualTo(OK);
    assertThat(suspended.get()).isTrue();
    resume();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, DATA))).isEqualTo(OK);
  }

  /** Nothing may keep a guest from being removed for as long as an operator would wait. */
  @Test
  void program_thatIsSentAwayWhileItsWorkLasts_leaves() throws Exception {
    driver.work(Integer.MAX_VALUE);
    long number = number();
    CompletableFuture<Boolean> suspended = aside(() -> relay.suspend(number, Long.MAX_VALUE >> 1));
    while (relay.programs().getFirst().state() == ProgramState.RUNNING) {
      Thread.onSpinWait();
    }
    assertThat(relay.end(number)).isTrue();
    assertThatThrownBy(suspended::get).hasMessageContaining("it leaves");
  }

  @Test
  void program_thatLeavesWhileItIsSuspended_leavesNothing() {
    data();
    suspend();
    program.close(); // the fixture looks at what is left
  }

  @Test
  void cardWithoutRoom_keepsItSuspended() {
    data();
    suspend();
    driver.haveNoVideoMemory(1);
    assertThatThrownBy(() -> relay.resume(number()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-RLY-007");
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.SUSPENDED);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    resume();
    assertThat(driver.load(DATA_AT)).isEqualTo(77);
  }
}
