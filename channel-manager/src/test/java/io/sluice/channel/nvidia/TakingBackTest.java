package io.sluice.channel.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.Channel;
import io.sluice.channel.Gpu;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.channel.state.ChannelState;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels are detached, given back and moved. */
final class TakingBackTest extends CountingGuestRig {
  private static final GpuVa WAITED_FOR = new GpuVa(RING.value() + RAM_BYTES - 4096);

  // ---- refusals ----

  @Test
  void saveState_beforeItHasDrained_isBusy() {
    assertErrno(() -> side.channel.saveState(), Errno.EBUSY);
    submit(1);
    commands.clear().acquire(WAITED_FOR, 7);
    ring.submit(commands);
    side.channel.detach();
    assertErrno(() -> side.channel.saveState(), Errno.EBUSY);
    assertErrno(() -> side.channel.detach(), Errno.EBUSY);
    memory.set(Layouts.U64, RAM_BYTES - 4096, 7);
    side.awaitDrained();
    assertThat(side.channel.saveState()).isNotEmpty();
  }

  @Test
  void detach_ofARingInVideoMemory_isRefusedAndChangesNothing() {
    try (Channel channel = side.space.createChannel(OptionalInt.empty())) {
      channel.start(VIDEO, 4, 1);
      assertErrno(channel::detach, Errno.EOPNOTSUPP);
      assertThat(channel.status().state()).isEqualTo(ChannelState.RUNNING);
    }
  }

  /** Another magic, order or length; a ring that is not aligned. */
  @ParameterizedTest
  @ValueSource(ints = {0, 4, 8, 24})
  void restoreState_ofChangedBytes_isRefused(int at) {
    submit(3);
    side.drain();
    byte[] state = side.channel.saveState();
    byte[] bytes = Arrays.copyOf(state, Math.max(state.length, at + 1));
    bytes[at] ^= (byte) 0x81;
    try (Side other = new Side()) {
      assertErrno(() -> other.channel.restoreState(bytes), Errno.EPROTO);
    }
  }

  @Test
  void everyCall_refusedByRm_leavesNothingBehind() {
    int calls = takeBack(0);
    for (int call = 1; call <= calls; call++) {
      int _ = takeBack(call);
    }
  }

  /** Takes a channel and gives it back, on an RM that refuses one call; how many there were. */
  private int takeBack(int refuse) {
    FakeRm failing = new FakeRm(real);
    failing.refuseCall = refuse;
    try (FakeHopper executing = failing.execute()) {
      Kernel seen = executing.start(real);
      try (NvidiaGpu card = new NvidiaGpu("test", "", seen, new Random(1), failing);
          GuestGpu guest = card.open("guest");
          GpuMemory buffer = guest.allocate(request(PscnvGem.SYSRAM_SNOOP, HopperRing.SIZE_BYTES));
          AddressSpace space = guest.createAddressSpace();
          Channel taken = space.createChannel(OptionalInt.empty());
          Mapping bytes = map(seen, buffer.share());
          Mapping control = map(seen, taken.controlPage());
          Mapping doorbell =
              seen.mmap(card.doorbell().fd(), 0, 4096, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
        GpuVa _ = space.map(buffer, RING, new GpuVa(RING.value() + buffer.sizeBytes()), false);
        taken.declareObject(COPY, COPY, 0);
        HopperRing guestRing =
            new HopperRing(bytes.segment(), control.segment(), doorbell.segment(), RING);
        taken.start(RING, HopperRing.ORDER, 1);
        long done = guestRing.submitWithRelease(new HopperCommands().bindCopy());
        await(card, () -> guestRing.hasReleased(done));
        taken.detach();
        await(card, () -> taken.status().progress().drained());
        taken.attach();
      } catch (RefusedException | IllegalStateException e) {
        assertThat(refuse).as("refused although RM did not: %s", e).isPositive();
      }
      assertThat(failing.objectCounts()).as("call %d refused", refuse).isEmpty();
    }
    return failing.calls();
  }

  private static Mapping map(Kernel kernel, GuestGpu.SharedArea area) {
    try (Fd fd = area.fd()) {
      return kernel.mmap(fd, area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE);
    }
  }

  // ---- detach and attach ----

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 255, 256, 257, 600})
  void attach_afterTheDrain_runsWhatWasPutMeanwhileOnce(int before) {
    submit(before);
    side.drain();
    assertThat(side.channel.status().state()).isEqualTo(ChannelState.DETACHED);
    int counted = side.counted();
    assertThat(counted).isEqualTo(before);
    submit(100);
    assertThat(side.counted()).as("nothing runs behind the shadow").isEqualTo(before);
    side.channel.attach();
    assertThat(side.channel.status().state()).isEqualTo(ChannelState.RUNNING);
    submit(300);
    assertAllRanOnce();
  }

  @Test
  void attach_beforeTheDrain_goesOnOnceTheWaitIsOver() {
    submit(5);
    ring.submit(commands.clear().acquire(WAITED_FOR, 7));
    submit(5);
    side.channel.detach();
    assertThat(side.channel.status().progress().drained()).isFalse();
    side.channel.attach();
    assertThat(side.channel.status().state()).isEqualTo(ChannelState.DRAINING);
    memory.set(Layouts.U64, RAM_BYTES - 4096, 7);
    await(() -> side.channel.status().state() == ChannelState.RUNNING);
    submit(20);
    assertAllRanOnce();
  }

  /** A store that was under way when the guest was asked to hold still. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void poison_whoseSlotTheGuestTakes_goesBehindThatEntry(boolean fetched) {
    submit(9);
    ring.submit(commands.clear().acquire(WAITED_FOR, 7));
    int slot = 10;
    if (fetched) {
      // The wait is over before the guest's store: the poison has been run.
      memory.set(Layouts.U64, RAM_BYTES - 4096, 7);
      side.channel.detach();
      await(() -> side.channel.status().progress().gpGet() == slot);
    } else {
      side.channel.detach();
      assertThat(side.channel.status().progress().drained()).isFalse();
    }
    long poison = memory.get(Layouts.U64, slot * 8L);
    long pushbuffer = RAM_BYTES - 8192;
    new HopperCommands().increment(VIDEO).storeTo(memory, pushbuffer);
    memory.set(Layouts.U64, slot * 8L, HopperMethods.entry(RING.value() + pushbuffer, 6));
    side.page.set(Layouts.U32, GuestAbi.USERD_GP_PUT, slot + 1);
    memory.set(Layouts.U64, RAM_BYTES - 4096, 7);
    side.awaitDrained();
    assertThat(poison).isNotEqualTo(memory.get(Layouts.U64, slot * 8L));
    side.channel.attach();
    await(() -> side.channel.status().progress().gpGet() == slot + 1);
    assertThat(side.counted()).isEqualTo(9 + 1);
  }

  /** However long it has had nothing to do. */
  @Test
  void attach_beforeTheDrainIsOver_leavesTheRestToTheThreadThatPolls() {
    submit(9);
    await(() -> ring.hasReleased(9));
    side.channel.detach();
    assertThat(side.channel.look().state()).isEqualTo(ChannelState.DRAINING);
    side.channel.attach();
    assertThat(side.channel.look().state()).isEqualTo(ChannelState.DRAINING);
    assertThat(side.channel.status().state()).isEqualTo(ChannelState.DRAINING);
    await(() -> side.channel.status().state() == ChannelState.RUNNING);
    submit(20);
    assertAllRanOnce();
  }

  @Test
  void poll_stepThatRmRefuses_isToldToWhoeverWaitsAndTriedAgain() {
    submit(9);
    await(() -> ring.hasReleased(9));
    side.channel.detach();
    side.open.requireDrainGoesOn();
    rm.refuseCall = rm.calls() + 1;
    long now = gpu.timeNs();
    assertThat(gpu.poll(now)).isEqualTo(1_000_000_000);
    assertErrno(() -> side.open.requireDrainGoesOn(), Errno.ENOMEM);
    int calls = rm.calls();
    assertThat(gpu.poll(now + 400_000_000)).isEqualTo(600_000_000);
    assertThat(rm.calls()).isEqualTo(calls);
    assertErrno(() -> side.open.requireDrainGoesOn(), Errno.ENOMEM);
    long _ = gpu.poll(now + 1_000_000_000);
    side.open.requireDrainGoesOn();
    side.awaitDrained();
    side.channel.attach();
    submit(20);
    assertAllRanOnce();
  }

  private void failAStep() {
    submit(9);
    await(() -> ring.hasReleased(9));
    side.channel.detach();
    rm.refuseCall = rm.calls() + 1;
    long _ = gpu.poll(gpu.timeNs());
    assertErrno(() -> side.open.requireDrainGoesOn(), Errno.ENOMEM);
  }

  /** What an earlier drain has met is nothing to the next. */
  @Test
  void attach_afterAStepThatFailed_isTakenFurtherAtOnce() {
    failAStep();
    side.channel.attach();
    side.open.requireDrainGoesOn();
    await(() -> side.channel.status().state() == ChannelState.RUNNING);
    submit(20);
    assertAllRanOnce();
  }

  @Test
  void kill_afterAStepThatFailed_leavesNothingToWaitFor() {
    failAStep();
    side.channel.kill(GuestAbi.ERROR_OPERATOR, 0);
    side.open.requireDrainGoesOn();
    assertThat(gpu.poll(gpu.timeNs())).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void kill_ofADetachedChannel_leavesNothingBehind() {
    submit(3);
    ring.submit(commands.clear().acquire(WAITED_FOR, 7));
    side.channel.detach();
    assertThat(side.channel.status().progress().drained()).isFalse();
    int mappings = rm.mappings();
    side.channel.kill(GuestAbi.ERROR_OPERATOR, 3);
    assertThat(side.channel.status().state()).isEqualTo(ChannelState.DEAD);
    assertThat(rm.mappings()).isLessThan(mappings);
    assertThat(side.channel.status().cause().reason()).isEqualTo(GuestAbi.ERROR_OPERATOR);
  }

  // ---- another open ----

  @Test
  void restoreState_inAnotherOpen_goesOnWhereItWas() {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("sluice.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 8; round++) {
      submit(random.nextInt(600));
      Side next = new Side();
      if (random.nextBoolean()) {
        next.channel.prepareRestore(RING, HopperRing.ORDER);
      }
      side.drain();
      submit(random.nextInt(200));
      byte[] state = side.channel.saveState();
      int counted = side.counted();
      try (Fd carried = real.memfdCreate("carried", 4096)) {
        carry(side, next, carried);
      }
      next.channel.restoreState(state);
      assertThat(next.channel.status().state()).isEqualTo(ChannelState.SUSPENDED);
      assertThat(next.counted()).as("suspended").isEqualTo(counted);
      next.channel.resume();
      side.close();
      side = next;
      ring.announce();
      submit(1);
      assertAllRanOnce();
      // The copy class was bound once, long ago: the set-up has bound it again.
      commands.clear().copy(RING, new GpuVa(VIDEO.value() + 64), 8);
      ring.submit(commands);
      submit(1);
      assertAllRanOnce();
    }
  }

  private void carry(Side from, Side to, Fd file) {
    for (Side at : List.of(from, to)) {
      try (GuestGpu.RegisteredMemory region = at.open.addRegion(file, 0, 4096, true);
          GpuMemory carried = at.open.register(request(PscnvGem.SYSRAM_SNOOP, 4096))) {
        carried.setPages(0, List.of(new RegionExtent(region, 0, 4096)));
        if (at == from) {
          at.open.copy(at.video, 0, carried, 0, 4096);
        } else {
          at.open.copy(carried, 0, at.video, 0, 4096);
        }
      }
    }
  }

  // ---- another daemon ----

  /** Another daemon's hold of the guest, over the same control pages. */
  private Side adopt() {
    Fd control = side.open.controlPages().orElseThrow().fd();
    return new Side(gpu.adopt("guest", new Gpu.AdoptedFiles(control, Optional.empty())));
  }

  /** The guest is the other's, but for what makes it run there. */
  private Side handOver() {
    Side next = adopt();
    side.open.setSweeping(false);
    side.drain();
    byte[] state = side.channel.saveState();
    try (Fd carried = real.memfdCreate("carried", 4096)) {
      carry(side, next, carried);
    }
    next.channel.restoreState(state);
    assertThat(ControlWords.DOORBELL_TOKEN.bitsAcquire(side.page, GuestAbi.CONTROL_OFFSET))
        .as("the guest holds still")
        .isZero();
    return next;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 255, 256, 600})
  void adopt_guestOfAnotherDaemon_goesOnOverTheSamePages(int before) {
    submit(before);
    Side next = handOver();
    next.channel.resume();
    next.open.setSweeping(true);
    side.close();
    MemorySegment page = side.page;
    side = next;
    assertThat(ControlWords.DOORBELL_TOKEN.bitsAcquire(page, GuestAbi.CONTROL_OFFSET)).isNotZero();
    submit(300);
    assertAllRanOnce();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 77, 255})
  void attach_ofAGuestThatAnotherDaemonHasLedOverItsPage_losesAndRepeatsNothing(int leftPut) {
    submit(40);
    Side next = handOver();
    next.close();
    side.page.set(Layouts.U32, GuestAbi.USERD_GP_PUT, leftPut);
    side.open.setSweeping(true);
    side.channel.attach();
    submit(300);
    assertAllRanOnce();
  }

  @Test
  void adopt_fileThatIsNoControlPages_isRefusedAndLeavesNothing() {
    try (Fd other = real.memfdCreate("other", 4096)) {
      int mappings = rm.mappings();
      assertErrno(
          () -> gpu.adopt("guest", new Gpu.AdoptedFiles(other, Optional.empty())), Errno.EPROTO);
      assertThat(rm.mappings()).isEqualTo(mappings);
    }
  }
}
