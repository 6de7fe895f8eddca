package io.sluice.channel.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.RmControl;
import io.sluice.abi.rm.UsermodePage;
import io.sluice.abi.rm.control.UtilSamples;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.TimeUsage;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.time.ProgramTime;
import io.sluice.channel.nvidia.time.TimeUse;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The account of GPU time, on an RM without a GPU whose clock the test sets. */
final class TimeLooksTest {
  private static final int COPY = 0xc8b5;
  private static final int COMPUTE = 0xcbc0;
  private static final long MS = 1_000_000;

  /** Further apart than any two looks. */
  private static final long STEP = 200 * MS;

  private static final GpuVa RING = new GpuVa(0x10_0000_0000L);
  private static final GpuVa PUSHBUFFER = new GpuVa(0x11_0000_0000L);

  private final Kernel kernel = RealKernel.create();
  private final FakeRm rm = new FakeRm(kernel);
  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private NvidiaGpu gpu;
  private MemorySegment clock;
  private long now;

  /** An open with a channel whose pointers the test sets. */
  private final class Client {
    final GuestGpu open;
    final Channel channel;
    final MemorySegment ring;
    final MemorySegment pushbuffer;
    final MemorySegment page;
    final int handle;
    int put;

    Client(String name, int objectClass) {
      open = gpu.open(name);
      closing.push(open);
      AddressSpace space = open.createAddressSpace();
      ring = memory(space, RING);
      pushbuffer = memory(space, PUSHBUFFER);
      channel = space.createChannel(OptionalInt.empty());
      channel.declareObject(1, objectClass, 0);
      GuestGpu.SharedArea area = channel.controlPage();
      try (Fd fd = area.fd()) {
        page = map(fd, area.offset(), area.sizeBytes());
      }
      channel.start(RING, 8, 1);
      handle = rm.running().getLast().handle();
    }

    private MemorySegment memory(AddressSpace space, GpuVa at) {
      GpuMemory made =
          open.allocate(new MemoryRequest(PscnvGem.SYSRAM_SNOOP, 0, 0, 4096, OptionalLong.empty()));
      GpuVa _ = space.map(made, at, new GpuVa(at.value() + 4096), false);
      GuestGpu.SharedArea area = made.share();
      try (Fd fd = area.fd()) {
        return map(fd, area.offset(), area.sizeBytes());
      }
    }

    int number() {
      return channel.doorbellToken() & 0xffff;
    }

    /** All that was put is fetched, and does not end. */
    void runs() {
      put = (put + 1) % 256;
      page.set(Layouts.U32, GuestAbi.USERD_GP_PUT, put);
      page.set(Layouts.U32, GuestAbi.USERD_GP_GET, put);
      rm.waiting.add(handle);
    }

    void ends() {
      rm.waiting.remove(handle);
    }

    TimeUsage time() {
      return open.timeUsage().orElseThrow();
    }
  }

  private MemorySegment map(Fd fd, long offset, long bytes) {
    Mapping mapping = kernel.mmap(fd, offset, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    closing.push(mapping);
    return mapping.segment();
  }

  @BeforeEach
  void start() {
    gpu = new NvidiaGpu("test", "", kernel, new Random(1), rm);
    closing.push(gpu);
    clock = map(gpu.doorbell().fd(), 0, UsermodePage.MAPPED_BYTES);
    step();
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : closing) {
      each.close();
    }
  }

  /** A look. */
  private long step() {
    now += STEP;
    clock.set(Layouts.U32, UsermodePage.TIME_LOW, (int) now);
    clock.set(Layouts.U32, UsermodePage.TIME_HIGH, (int) (now >>> 32));
    return gpu.countTime();
  }

  /** Looks, in each period of which the graphics engine is busy for a part of the time. */
  private void steps(int looks, double busy) {
    for (int i = 0; i < looks; i++) {
      rm.samples.put(now + STEP, (int) (busy * UtilSamples.ALL));
      rm.samples.remove(now - 60 * STEP);
      step();
    }
  }

  private int questions(String what) {
    return Collections.frequency(rm.log, what);
  }

  // ---- negative ----

  @Test
  void countTime_withoutGuests_neverWantsToBeCalled() {
    assertThat(step()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void countTime_beforeItIsDue_asksNothing() {
    Client a = new Client("a", COMPUTE);
    a.runs();
    step();
    int calls = rm.calls();
    assertThat(gpu.countTime()).isPositive();
    assertThat(rm.calls()).isEqualTo(calls);
  }

  @Test
  void countTime_channelThatWasGivenNothing_asksNothingAndChargesNothing() {
    Client a = new Client("a", COMPUTE);
    int calls = rm.calls();
    steps(20, 0.5);
    assertThat(rm.calls()).isEqualTo(calls);
    assertThat(a.time()).isEqualTo(TimeUsage.NONE);
  }

  @Test
  void countTime_channelThatRests_isAskedNoMoreAndNotCharged() {
    Client a = new Client("a", COPY);
    a.runs();
    steps(5, 0);
    a.ends();
    steps(5, 0);
    TimeUsage then = a.time();
    int calls = rm.calls();
    steps(20, 0);
    assertThat(rm.calls()).isEqualTo(calls);
    assertThat(a.time()).isEqualTo(then);
  }

  @Test
  void countTime_channelThatWaitsForASemaphore_isNotCharged() {
    Client a = new Client("a", COPY);
    HopperCommands commands = new HopperCommands();
    commands.acquire(new GpuVa(PUSHBUFFER.value() + 2048), 7);
    int[] words = commands.toArray();
    MemorySegment.copy(MemorySegment.ofArray(words), 0, a.pushbuffer, 0, words.length * 4L);
    a.ring.set(Layouts.U64, 0, HopperMethods.entry(PUSHBUFFER.value(), words.length));
    a.runs();
    steps(2, 0); // the first finds that it was given something
    TimeUsage then = a.time();
    steps(20, 0);
    assertThat(a.time()).isEqualTo(then);
    a.pushbuffer.set(Layouts.U64, 2048, 7);
    steps(5, 0);
    assertThat(a.time().gpuNs() - then.gpuNs()).isCloseTo(5 * STEP, within(STEP));
  }

  @Test
  void countTime_suspendedChannel_isNotCharged() {
    Client a = new Client("a", COPY);
    a.runs();
    a.channel.suspend();
    steps(20, 0);
    assertThat(a.time()).isEqualTo(TimeUsage.NONE);
  }

  @Test
  void countTime_engineOfSomebodyElse_isNotChargedToAGuestThatWaitsForIt() {
    Client a = new Client("a", COMPUTE);
    a.runs();
    rm.resident = 0x7777;
    steps(20, 1);
    assertThat(a.time().gpuNs()).isZero();
    assertThat(a.time().waitNs()).isCloseTo(20 * STEP, within(2 * STEP));
  }

  @Test
  void countTime_guestThatIsClosedMeanwhile_isForgotten() {
    Client a = new Client("a", COMPUTE);
    a.runs();
    steps(3, 1);
    a.open.close();
    assertThat(step()).isEqualTo(Long.MAX_VALUE);
  }

  // ---- alone ----

  @Test
  void countTime_computingAlone_isChargedWhatTheGpuWasBusy() {
    Client a = new Client("a", COMPUTE);
    rm.resident = a.number();
    a.runs();
    steps(30, 0.4);
    assertThat((double) a.time().gpuNs()).isCloseTo(30 * STEP * 0.4, within(6 * STEP * 0.4));
    assertThat(a.time().waitNs()).isZero();
  }

  @Test
  void countTime_workThatLooksNeverMeet_isChargedAllTheSame() {
    Client a = new Client("a", COMPUTE);
    rm.resident = a.number();
    for (int i = 0; i < 30; i++) {
      a.runs();
      a.ends();
      steps(1, 0.1);
    }
    assertThat((double) a.time().gpuNs()).isCloseTo(30 * STEP * 0.1, within(6 * STEP * 0.1));
  }

  @Test
  void countTime_whereTheGpuDoesNotTell_chargesWhatLooksFind() {
    rm.unsupported = RmControl.PERF_GET_GPUMON_PERFMON_UTIL_SAMPLES_V2;
    Client a = new Client("a", COMPUTE);
    rm.resident = a.number();
    a.runs();
    steps(30, 0);
    assertThat(a.time().gpuNs()).isCloseTo(30 * STEP, within(STEP));
    assertThat(questions("samples?")).isZero();
  }

  @Test
  void countTime_howBusyTheGpuWas_isAskedOnceASecond() {
    Client a = new Client("a", COMPUTE);
    rm.resident = a.number();
    a.runs();
    steps(50, 1);
    assertThat(questions("samples?")).isBetween(9, 11);
  }

  // ---- together ----

  @Test
  void countTime_twoThatCompute_areChargedByWhoHoldsTheEngine() {
    Client a = new Client("a", COMPUTE);
    Client b = new Client("b", COMPUTE);
    a.runs();
    b.runs();
    for (int i = 0; i < 40; i++) {
      rm.resident = i % 4 == 0 ? a.number() : b.number();
      steps(1, 1);
    }
    long whole = a.time().gpuNs() + b.time().gpuNs();
    assertThat((double) whole).isCloseTo(40.0 * STEP, within(6.0 * STEP));
    assertThat((double) a.time().gpuNs() / whole).isCloseTo(0.25, within(0.03));
    assertThat((double) a.time().waitNs() / (40 * STEP)).isCloseTo(0.75, within(0.04));
    assertThat((double) b.time().waitNs() / (40 * STEP)).isCloseTo(0.25, within(0.04));
  }

  @Test
  void countTime_whereRmDoesNotTellWhoHoldsTheEngine_isDividedByWeight() {
    rm.unsupported = RmControl.GR_GET_CURRENT_RESIDENT_CHANNEL;
    Client a = new Client("a", COMPUTE);
    Client b = new Client("b", COMPUTE);
    a.open.setWeight(3);
    b.open.setWeight(1);
    a.runs();
    b.runs();
    steps(20, 1);
    assertThat((double) a.time().gpuNs() / b.time().gpuNs()).isCloseTo(3, within(0.01));
  }

  @Test
  void countTime_twoOnOneCopyEngine_areChargedByWeight() {
    Client a = new Client("a", COPY);
    Client b = new Client("b", COPY);
    while (engine(b) != engine(a)) {
      b = new Client("another", COPY);
    }
    a.open.setWeight(1);
    b.open.setWeight(3);
    a.runs();
    b.runs();
    steps(20, 0);
    assertThat((double) b.time().gpuNs() / a.time().gpuNs()).isCloseTo(3, within(0.1));
    assertThat((double) a.time().waitNs() / (20 * STEP)).isCloseTo(0.75, within(0.05));
  }

  @Test
  void countTime_twoOnCopyEnginesOfTheirOwn_doNotWait() {
    Client a = new Client("a", COPY);
    Client b = new Client("b", COPY);
    assertThat(engine(a)).isNotEqualTo(engine(b));
    a.runs();
    b.runs();
    steps(20, 0);
    assertThat(a.time().gpuNs()).isCloseTo(20 * STEP, within(STEP));
    assertThat(b.time().gpuNs()).isCloseTo(20 * STEP, within(STEP));
    assertThat(a.time().waitNs() + b.time().waitNs()).isZero();
  }

  @Test
  void countTime_manyChannels_askOfAFewEachTime() {
    for (int i = 0; i < 12; i++) {
      new Client("guest" + i, COPY).runs();
    }
    step();
    int before = questions("idle?");
    step();
    assertThat(questions("idle?") - before).isEqualTo(4);
  }

  private int engine(Client client) {
    return rm.running().stream()
        .filter(channel -> channel.handle() == client.handle)
        .findAny()
        .orElseThrow()
        .engine();
  }

  /** CUDA programs of a guest with one channel. */
  private record Programs(TimeUse use, int number, AtomicBoolean over) implements ProgramTime {
    Programs(int number) {
      this(new TimeUse(), number, new AtomicBoolean());
    }

    @Override
    public boolean isOver() {
      return over.get();
    }

    @Override
    public boolean mayCompute() {
      return !over.get();
    }

    @Override
    public boolean has(int wanted) {
      return wanted == number;
    }
  }

  @Test
  void countTime_programHasTheEngine_isChargedWithWhatTheGpuMeasures() {
    Programs programs = new Programs(77);
    Programs others = new Programs(78);
    gpu.count(programs);
    gpu.count(others);
    rm.resident = 77;
    steps(20, 0.5);
    assertThat(programs.use().totals().gpuNs()).isBetween(10 * STEP / 2, 10 * STEP);
    assertThat(others.use().totals().gpuNs()).isZero();

    long before = programs.use().totals().gpuNs();
    rm.resident = 79;
    steps(20, 1);
    assertThat(programs.use().totals().gpuNs() - before)
        .as("another, but for what was not settled yet")
        .isLessThan(8 * STEP);
  }

  @Test
  void countTime_guestWaitsBehindAProgram_bothAreSeen() {
    Client a = new Client("a", COMPUTE);
    Programs programs = new Programs(77);
    gpu.count(programs);
    a.runs();
    rm.resident = 77;
    steps(20, 1);
    assertThat(a.time().gpuNs()).isZero();
    assertThat(a.time().waitNs()).isPositive();
    assertThat(programs.use().totals().gpuNs()).isPositive();

    rm.resident = a.number();
    steps(20, 1);
    assertThat(a.time().gpuNs()).isPositive();
  }

  @Test
  void countTime_programsAreOver_areAskedForNoMore() {
    Programs programs = new Programs(77);
    gpu.count(programs);
    assertThat(step()).isLessThan(Long.MAX_VALUE);
    programs.over().set(true);
    gpu.count(new Programs(78));
    rm.resident = 77;
    steps(10, 1);
    assertThat(programs.use().totals().gpuNs()).isZero();
  }
}
