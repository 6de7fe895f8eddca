package io.sluice.channel.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.channel.nvidia.submit.UserdWords;
import io.sluice.channel.state.ChannelState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels that wait for semaphores: seen while another guest has work, and taken back. */
final class WaitingTest {
  private static final int COPY = 0xc8b5;
  private static final long TIMEOUT_NS = 20_000_000_000L;
  private static final GpuVa VIDEO = new GpuVa(0x40_0000_0000L);
  private static final GpuVa HOST = new GpuVa(0x41_0000_0000L);

  private final Kernel real = RealKernel.create();
  private final FakeRm rm = new FakeRm(real);
  private final FakeHopper hopper = rm.execute();
  private final Deque<AutoCloseable> closing = new ArrayDeque<>();
  private final HopperCommands commands = new HopperCommands();
  private Runnable whileWithdrawn = Thread::onSpinWait;
  private NvidiaGpu gpu;
  private Guest guest;

  /** An open with a page of each memory. */
  private final class Guest implements AutoCloseable {
    final GuestGpu open;
    final AddressSpace space;
    final GpuMemory video;
    final MemorySegment host;

    Guest(String name) {
      open = gpu.open(name);
      space = open.createAddressSpace();
      video = allocate(PscnvGem.VRAM_SMALL, 4096, VIDEO);
      host = mapped(allocate(PscnvGem.SYSRAM_SNOOP, 4096, HOST));
    }

    GpuMemory allocate(int flags, long bytes, GpuVa at) {
      GpuMemory made = open.allocate(new MemoryRequest(flags, 0, 0, bytes, OptionalLong.empty()));
      GpuVa _ = space.map(made, at, new GpuVa(at.value() + made.sizeBytes()), false);
      return made;
    }

    MemorySegment mapped(GpuMemory memory) {
      GuestGpu.SharedArea area = memory.share();
      try (Fd fd = area.fd()) {
        return map(fd, area.offset(), area.sizeBytes());
      }
    }

    Queue queue(long at) {
      return new Queue(this, new GpuVa(at));
    }

    @Override
    public void close() {
      open.close();
    }
  }

  private HopperRing.ChannelPages pages(MemorySegment control, MemorySegment doorbell) {
    UserdWords userd = new UserdWords(control);
    return new HopperRing.ChannelPages() {
      @Override
      public UserdWords control() {
        return userd;
      }

      @Override
      public MemorySegment doorbell() {
        return doorbell;
      }

      @Override
      public void withdrawn() {
        whileWithdrawn.run();
      }
    };
  }

  private final class Queue {
    final Channel channel;
    final HopperRing ring;

    Queue(Guest guest, GpuVa at) {
      GpuMemory memory = guest.allocate(PscnvGem.SYSRAM_SNOOP, HopperRing.SIZE_BYTES, at);
      channel = guest.space.createChannel(OptionalInt.empty());
      channel.declareObject(1, COPY, 0);
      GuestGpu.SharedArea area = channel.controlPage();
      try (Fd fd = area.fd()) {
        MemorySegment page = map(fd, area.offset(), area.sizeBytes());
        MemorySegment doorbell = map(gpu.doorbell().fd(), 0, 4096);
        ring = new HopperRing(guest.mapped(memory), pages(page, doorbell), at);
      }
      channel.start(at, HopperRing.ORDER, 1);
    }

    long submit() {
      return ring.submitWithRelease(commands);
    }

    void waits(GpuVa semaphore, long value) {
      commands.clear().acquire(semaphore, value);
    }
  }

  private MemorySegment map(Fd fd, long offset, long bytes) {
    Mapping mapping = real.mmap(fd, offset, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
    closing.push(mapping);
    return mapping.segment();
  }

  /** Waits for a condition while the GPU's thread polls. */
  private void await(BooleanSupplier condition) {
    long until = System.nanoTime() + TIMEOUT_NS;
    while (!condition.getAsBoolean()) {
      long _ = poll();
      assertThat(System.nanoTime()).as("in time").isLessThan(until);
      Thread.onSpinWait();
    }
  }

  private long poll() {
    return gpu.poll(gpu.timeNs());
  }

  private long asked() {
    synchronized (rm) {
      return Collections.frequency(rm.log, "idle?");
    }
  }

  @BeforeEach
  void start() {
    Kernel kernel = hopper.start(real);
    gpu = new NvidiaGpu("test", "", kernel, new Random(1), rm);
    closing.push(gpu);
    guest = new Guest("guest");
    closing.push(guest);
  }

  @AfterEach
  void stop() throws Exception {
    List<AutoCloseable> mappings = new ArrayList<>();
    for (AutoCloseable one : closing) {
      if (one instanceof Guest) {
        one.close();
      } else {
        mappings.add(one);
      }
    }
    hopper.close();
    for (AutoCloseable one : mappings) {
      one.close();
    }
  }

  // ---- seen ----

  @Test
  void look_atAnAcquireOfAGuestThatIsAlone_tellsNothingAndAsksNothing() {
    Queue queue = guest.queue(0x10_0000_0000L);
    queue.waits(HOST, 7);
    long _ = queue.submit();
    await(() -> queue.channel.look().progress().gpGet() == 1);
    for (int i = 0; i < 5; i++) {
      assertThat(queue.channel.look().progress().waiting()).isFalse();
    }
    assertThat(asked()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void look_atAnAcquireWhileAnotherGuestHasWork_saysWhatItWaitsFor(boolean inVideoMemory) {
    GpuVa semaphore = inVideoMemory ? new GpuVa(VIDEO.value() + 0x80) : HOST;
    Guest another = new Guest("another");
    closing.push(another);
    Queue works = another.queue(0x10_0000_0000L);
    works.waits(HOST, 7);
    long wanted = works.submit();
    Queue queue = guest.queue(0x10_0000_0000L);
    queue.waits(semaphore, 7);
    long done = queue.submit();
    await(() -> queue.channel.look().progress().waiting());
    Channel.Status status = queue.channel.look();
    assertThat(status.progress().gpGet()).as("it was fetched").isEqualTo(status.progress().gpPut());
    assertThat(status.progress().drained()).isFalse();
    assertThat(status.progress().semaphore()).isEqualTo(semaphore.value());
    assertThat(status.usage().runningNs()).isZero();

    Queue other = guest.queue(0x11_0000_0000L);
    commands.clear().release(semaphore, 7);
    long _ = other.submit();
    await(() -> queue.ring.hasReleased(done));
    await(() -> queue.channel.look().progress().drained());
    assertThat(queue.channel.look().progress().waiting()).isFalse();
    // The value is gone again, which is nothing to a channel that has finished.
    commands.clear().release(semaphore, 8);
    long _ = other.submit();
    for (int i = 0; i < 5; i++) {
      assertThat(queue.channel.look().progress().waiting()).isFalse();
    }
    another.host.set(Layouts.U64, 0, 7);
    await(() -> works.ring.hasReleased(wanted));
  }

  @Test
  void status_whileAnotherGuestHasWork_tellsWhatTheLastLookFoundAndAsksNothing() {
    Guest another = new Guest("another");
    closing.push(another);
    Queue works = another.queue(0x10_0000_0000L);
    works.waits(HOST, 7);
    long _ = works.submit();
    Queue queue = guest.queue(0x10_0000_0000L);
    queue.waits(HOST, 7);
    long done = queue.submit();
    await(() -> queue.channel.status().progress().gpGet() == 1);
    assertThat(queue.channel.status().progress().waiting()).as("nobody has looked").isFalse();
    assertThat(asked()).isZero();

    await(() -> queue.channel.look().progress().waiting());
    long before = asked();
    for (int i = 0; i < 5; i++) {
      Channel.Status status = queue.channel.status();
      assertThat(status.progress().semaphore()).isEqualTo(HOST.value());
      assertThat(status.progress().drained()).isFalse();
    }
    assertThat(asked()).isEqualTo(before);

    guest.host.set(Layouts.U64, 0, 7);
    another.host.set(Layouts.U64, 0, 7);
    await(() -> queue.ring.hasReleased(done));
    await(() -> works.channel.look().progress().gpGet() == 1);
  }

  @Test
  void look_atAChannelThatRests_isNotAskedForAgain() {
    Guest another = new Guest("another");
    closing.push(another);
    Queue works = another.queue(0x10_0000_0000L);
    works.waits(HOST, 7);
    long _ = works.submit();
    Queue queue = guest.queue(0x10_0000_0000L);
    commands.clear();
    long done = queue.submit();
    await(() -> queue.ring.hasReleased(done));
    for (int i = 0; i < 10; i++) {
      assertThat(queue.channel.look().progress().waiting()).isFalse();
    }
    long before = asked();
    for (int i = 0; i < 10; i++) {
      assertThat(queue.channel.look().progress().drained()).isTrue();
    }
    assertThat(asked()).isEqualTo(before);
    // The other one has nobody beside it then.
    assertThat(works.channel.look().progress().waiting()).isFalse();
    queue.waits(HOST, 9);
    long _ = queue.submit();
    await(() -> queue.channel.look().progress().waiting());
    await(() -> works.channel.look().progress().waiting());
  }

  @Test
  void kill_ofAnAcquire_tellsWhatItWaitedFor() {
    Guest another = new Guest("another");
    closing.push(another);
    Queue works = another.queue(0x10_0000_0000L);
    works.waits(HOST, 7);
    long _ = works.submit();
    Queue queue = guest.queue(0x10_0000_0000L);
    queue.waits(HOST, 7);
    long _ = queue.submit();
    await(() -> queue.channel.look().progress().waiting());
    queue.channel.kill(GuestAbi.ERROR_TIMEOUT, 12);
    Channel.Status status = queue.channel.status();
    assertThat(status.cause().reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
    assertThat(status.cause().address()).isEqualTo(HOST.value());
    assertThat(status.progress().waiting()).isFalse();
  }

  // ---- taken back ----

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void detach_ofAChannelThatWaitsForWhatIsSubmittedLater_drains(boolean waitingOneFirst) {
    Queue first = guest.queue(0x10_0000_0000L);
    Queue second = guest.queue(0x11_0000_0000L);
    Queue waits = waitingOneFirst ? first : second;
    Queue releases = waitingOneFirst ? second : first;
    waits.waits(HOST, 7);
    waits.ring.submit(commands);
    commands.clear();
    long before = releases.submit();
    await(() -> releases.ring.hasReleased(before));
    first.channel.detach();
    second.channel.detach();
    for (int i = 0; i < 100; i++) {
      assertThat(poll()).isLessThan(Long.MAX_VALUE);
      assertThat(waits.channel.look().progress().drained()).isFalse();
      assertThat(releases.channel.look().progress().drained()).as("it may be needed").isFalse();
    }
    commands.clear().release(HOST, 7);
    long passedOn = releases.submit();
    await(() ->
        first.channel.look().progress().drained() && second.channel.look().progress().drained());
    assertThat(releases.ring.hasReleased(passedOn)).isTrue();
    commands.clear();
    long _ = waits.submit();
    assertThat(waits.ring.hasReleased(1)).as("it is detached").isFalse();
    first.channel.attach();
    second.channel.attach();
    await(() -> waits.ring.hasReleased(1));
    commands.clear();
    long last = releases.submit();
    await(() -> releases.ring.hasReleased(last));
  }

  @Test
  void attach_ofAChannelThatWaits_goesOnOnceItIsReleased() {
    Queue waits = guest.queue(0x10_0000_0000L);
    waits.waits(HOST, 7);
    long done = waits.submit();
    waits.channel.detach();
    assertThat(waits.channel.look().progress().drained()).isFalse();
    waits.channel.attach();
    guest.host.set(Layouts.U64, 0, 7);
    await(() -> waits.channel.status().state() == ChannelState.RUNNING);
    commands.clear();
    long after = waits.submit();
    await(() -> waits.ring.hasReleased(after));
    assertThat(after).isEqualTo(done + 1);
  }

  /**
   * Given back while it waits for what the guest has yet to submit, which may come in any order.
   */
  @ParameterizedTest
  @CsvSource({"false, 0", "false, 1", "false, 5", "true, 0", "true, 1", "true, 5"})
  void attach_ofAChannelThatWaits_doesNotHoldTheGuest(boolean detachedAgain, int submitted) {
    Queue waits = guest.queue(0x10_0000_0000L);
    Queue releases = guest.queue(0x11_0000_0000L);
    waits.waits(HOST, 7);
    commands.increment(new GpuVa(HOST.value() + 64));
    long _ = waits.submit();
    waits.channel.detach();
    releases.channel.detach();
    assertThat(waits.channel.look().progress().drained()).isFalse();
    waits.channel.attach();
    releases.channel.attach();
    whileWithdrawn = this::poll;
    for (int i = 0; i < submitted; i++) {
      // The second one waits once more, when it is let go.
      commands.clear();
      if (i == 1) {
        commands.acquire(new GpuVa(HOST.value() + 128), 8);
      }
      commands.increment(new GpuVa(HOST.value() + 64));
      long _ = waits.submit();
    }
    assertThat(waits.ring.hasReleased(1)).isFalse();
    if (detachedAgain) {
      waits.channel.detach();
      assertThat(waits.channel.look().progress().drained()).isFalse();
      waits.channel.attach();
    }
    commands.clear().release(HOST, 7).release(new GpuVa(HOST.value() + 128), 8);
    long released = releases.submit();
    await(() -> {
      long _ = poll();
      return releases.ring.hasReleased(released) && waits.ring.hasReleased(1 + submitted);
    });
    await(() -> poll() == Long.MAX_VALUE);
    for (int i = 0; i < 3; i++) {
      commands.clear().increment(new GpuVa(HOST.value() + 64));
      long last = waits.submit();
      await(() -> waits.ring.hasReleased(last));
    }
    assertThat(guest.host.get(Layouts.U32, 64)).isEqualTo(1 + submitted + 3);
    assertThat(waits.channel.status().state()).isEqualTo(ChannelState.RUNNING);
  }

  /** Nobody takes it further but the one who polls, and that one is woken. */
  @Test
  void attach_ofAChannelThatWaits_wantsToBePolled() {
    int[] wanted = new int[1];
    gpu.setWakeup(() -> wanted[0]++);
    Queue waits = guest.queue(0x10_0000_0000L);
    waits.channel.detach();
    assertThat(wanted[0]).as("it drains").isEqualTo(1);
    await(() -> waits.channel.look().progress().drained());
    waits.channel.attach();
    assertThat(wanted[0]).as("it went on at once").isEqualTo(1);
    assertThat(poll()).isEqualTo(Long.MAX_VALUE);
    waits.waits(HOST, 7);
    long done = waits.submit();
    await(() -> waits.channel.look().progress().gpGet() == 1);
    waits.channel.detach();
    assertThat(wanted[0]).isEqualTo(2);
    waits.channel.attach();
    assertThat(wanted[0]).isEqualTo(3);
    assertThat(poll()).isLessThan(Long.MAX_VALUE);
    guest.host.set(Layouts.U64, 0, 7);
    await(() -> poll() == Long.MAX_VALUE);
    assertThat(waits.ring.hasReleased(done)).isTrue();
  }

  @Test
  void poll_whileAChannelWaits_isDueLessOftenTheLongerItLasts() {
    Queue waits = guest.queue(0x10_0000_0000L);
    waits.waits(HOST, 7);
    long _ = waits.submit();
    long before = gpu.timeNs();
    waits.channel.detach();
    assertThat(gpu.poll(before)).isEqualTo(100_000);
    assertThat(gpu.poll(before + 10_000_000_000L)).isEqualTo(1_000_000);
  }

  @Test
  void kill_ofAChannelThatWaitsToGoOn_endsIt() {
    Queue waits = guest.queue(0x10_0000_0000L);
    waits.waits(HOST, 7);
    long _ = waits.submit();
    waits.channel.detach();
    waits.channel.attach();
    waits.channel.kill(GuestAbi.ERROR_TIMEOUT, 12);
    assertThat(poll()).isEqualTo(Long.MAX_VALUE);
    assertThat(waits.channel.status().cause().reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
  }
}
