package io.sluice.channel.guest;

import static io.sluice.channel.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Channels of a guest on the software GPU, from their making to their end. */
final class GuestLifeTest {
  private static final Duration SOON = Duration.ofMinutes(1); // it is at once

  private static final long GENERATION = 0x00;
  private static final long STATE = 0x08;
  private static final long ERROR = 0x0c;
  private static final long ERROR_INFO = 0x10;
  private static final long ERROR_SEQ = 0x14;
  private static final long ERROR_ADDRESS = 0x18;
  private static final long ERROR_TIME = 0x20;

  private final GpuRig rig = new GpuRig();
  private final GpuRig.HeardEvents heard = new GpuRig.HeardEvents();
  private final Guest guest = rig.attach("g", heard);
  private final Worker worker = new Worker(rig, guest, guest.spaces().create());

  @AfterEach
  void close() throws Exception {
    rig.close();
  }

  private void run() {
    rig.run();
    guest.dispatchEvents();
  }

  @Test
  void kill_runningChannel_endsItAndTellsOnce() {
    worker.start();
    guest.channels().kill(worker.cid, GuestAbi.ERROR_TIMEOUT, 5000);
    guest.channels().kill(worker.cid, GuestAbi.ERROR_OPERATOR, 1);
    run();
    assertThat(heard.heard).containsExactly("error " + worker.cid + " 13");
    assertThat(worker.control(STATE)).isEqualTo(GuestAbi.CHANNEL_DEAD);
    assertThat(worker.control(ERROR)).isEqualTo(GuestAbi.ERROR_TIMEOUT);
    assertThat(worker.control(ERROR_INFO)).isEqualTo(5000);
    assertThat(worker.control(ERROR_SEQ)).isEqualTo(1);
    assertThat(guest.channels().query(worker.cid).cause().reason())
        .isEqualTo(GuestAbi.ERROR_TIMEOUT);
    worker.submit(Worker.SET_REFERENCE, 1);
    run();
    assertThat(worker.reference()).isZero();
  }

  @Test
  void fault_ofAChannel_endsItAloneWithItsReason() {
    Worker other = new Worker(rig, guest, guest.spaces().create()).start();
    worker.start();
    worker.submit(Worker.SEMAPHORE, 0, 0x1000, 1, 2); // release to an address not mapped
    other.submit(Worker.SET_REFERENCE, 7);
    run();
    assertThat(heard.heard).containsExactly("error " + worker.cid + " 1");
    ChannelError error = heard.errors.getFirst();
    assertThat(error.address()).isEqualTo(0x1000);
    assertThat(worker.control(ERROR)).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(worker.controlLong(ERROR_ADDRESS)).isEqualTo(0x1000);
    assertThat(worker.controlLong(ERROR_TIME)).isEqualTo(error.timeNs());
    assertThat(worker.state()).isEqualTo(ChannelState.DEAD);
    assertThat(other.state()).isEqualTo(ChannelState.RUNNING);
    assertThat(other.reference()).isEqualTo(7);
    assertThat(guest.channels().entered(ChannelState.DEAD)).isEqualTo(1);
  }

  @Test
  void query_endThatNobodyHasNoted_tellsItAndChangesNothing() {
    endUnheard();
    Channel.Status status = guest.channels().query(worker.cid);
    assertThat(status.state()).isEqualTo(ChannelState.DEAD);
    assertThat(status.cause().reason()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(status.cause().address()).isEqualTo(0x1000);
    assertThat(heard.heard).isEmpty();
    assertThat(worker.control(STATE)).isEqualTo(ChannelState.RUNNING.code());
    assertThat(worker.control(ERROR)).isZero();
    assertThat(worker.control(ERROR_SEQ)).isZero();
    assertThat(guest.channels().entered(ChannelState.DEAD)).isZero();
  }

  @Test
  void look_endThatNobodyHasNoted_isNotedOnce() {
    endUnheard();
    Channel.Status asked = guest.channels().query(worker.cid);
    Map<Integer, Channel.Status> looked = guest.channels().lookSoon(SOON).orElseThrow();
    assertThat(looked).containsExactly(Map.entry(worker.cid, asked));
    assertThat(guest.channels().lookSoon(SOON)).contains(looked);
    guest.dispatchEvents();
    assertThat(heard.heard).containsExactly("error " + worker.cid + " 1");
    assertThat(worker.control(STATE)).isEqualTo(GuestAbi.CHANNEL_DEAD);
    assertThat(worker.control(ERROR)).isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
    assertThat(worker.control(ERROR_SEQ)).isEqualTo(1);
    assertThat(guest.channels().entered(ChannelState.DEAD)).isEqualTo(1);
  }

  /** The GPU ends it, and its event is not read. */
  private void endUnheard() {
    worker.start();
    worker.submit(Worker.SEMAPHORE, 0, 0x1000, 1, 2); // release to an address not mapped
    rig.run();
  }

  @Test
  void dispatchEvents_interrupts_areToldOnceUntilTheyAreRead() {
    worker.start();
    worker.submit(Worker.INTERRUPT, 0, Worker.INTERRUPT, 0);
    run();
    assertThat(heard.heard).containsExactly("interrupt " + worker.cid);
    assertThat(guest.dispatchEvents()).isZero();
    worker.submit(Worker.INTERRUPT, 0);
    run();
    assertThat(heard.heard).hasSize(2);
  }

  @Test
  void dispatchEvents_errorOfAChannelThatWasFreed_hitsNotItsSuccessor() {
    worker.start();
    worker.submit(Worker.SEMAPHORE, 0, 0x1000, 1, 2);
    rig.run();
    guest.channels().free(worker.cid);
    int successor = guest.channels().create(worker.vid);
    assertThat(successor).isEqualTo(worker.cid);
    guest.dispatchEvents();
    assertThat(heard.heard).isEmpty();
    assertThat(guest.channels().query(successor).state()).isEqualTo(ChannelState.NEW);
  }

  /** Both events are read together; what the first one leads to must not mislead the second. */
  @Test
  void dispatchEvents_errorBehindAnInterruptThatHadTheChannelReplaced_hitsNotItsSuccessor() {
    List<String> told = new ArrayList<>();
    AtomicReference<Guest> replaced = new AtomicReference<>();
    GuestListener replacing =
        new GuestListener() {
          @Override
          public void onInterrupt(int channelId) {
            told.add("interrupt " + channelId);
            Guest owner = Objects.requireNonNull(replaced.get());
            owner.channels().free(channelId);
            told.add("new " + owner.channels().create(1));
          }

          @Override
          public void onChannelError(ChannelError error) {
            told.add("error " + error.channelId());
          }
        };
    Guest other = rig.attach("replacing", replacing);
    replaced.set(other);
    Worker theirs = new Worker(rig, other, other.spaces().create()).start();
    theirs.submit(Worker.INTERRUPT, 0, Worker.SEMAPHORE, 0, 0x1000, 1, 2);
    rig.run();
    assertThat(other.dispatchEvents()).isEqualTo(2);
    assertThat(told).containsExactly("interrupt " + theirs.cid, "new " + theirs.cid);
    assertThat(other.channels().query(theirs.cid).state()).isEqualTo(ChannelState.NEW);
  }

  @Test
  void controlPage_throughALife_tellsIt() {
    assertThat(worker.control(GENERATION)).isEqualTo(1);
    assertThat(worker.control(STATE)).isEqualTo(GuestAbi.CHANNEL_NEW);
    worker.start();
    assertThat(worker.control(STATE)).isEqualTo(GuestAbi.CHANNEL_RUNNING);
    guest.channels().suspend(worker.cid, "test");
    assertThat(worker.control(STATE)).isEqualTo(GuestAbi.CHANNEL_SUSPENDED);
    guest.channels().resume(worker.cid, "test");
    guest.channels().detach(worker.cid, "test");
    assertThat(worker.control(STATE)).isEqualTo(GuestAbi.CHANNEL_DETACHED);
    guest.channels().attach(worker.cid, "test");
    assertThat(worker.control(STATE)).isEqualTo(GuestAbi.CHANNEL_RUNNING);
    guest.channels().free(worker.cid);
    assertThat(worker.control(GENERATION)).isZero();
  }

  @Test
  void suspend_runningChannel_takesNoEntriesUntilEveryResume() {
    worker.start();
    guest.channels().suspend(worker.cid, "quota");
    guest.channels().suspend(worker.cid, "watchdog");
    worker.submit(Worker.SET_REFERENCE, 1);
    run();
    assertThat(worker.reference()).isZero();
    guest.channels().resume(worker.cid, "quota");
    run();
    assertThat(worker.reference()).isZero();
    assertThat(worker.state()).isEqualTo(ChannelState.SUSPENDED);
    guest.channels().resume(worker.cid, "watchdog");
    run();
    assertThat(worker.reference()).isEqualTo(1);
    assertThat(worker.state()).isEqualTo(ChannelState.RUNNING);
    assertRefused(Errno.EINVAL, () -> guest.channels().resume(worker.cid, "once too often"));
  }

  @Test
  void suspend_channelWithoutARing_takesEffectWhenItStarts() {
    guest.channels().suspend(worker.cid, "quota");
    assertThat(worker.state()).isEqualTo(ChannelState.NEW);
    worker.start();
    worker.submit(Worker.SET_REFERENCE, 1);
    run();
    assertThat(worker.state()).isEqualTo(ChannelState.SUSPENDED);
    assertThat(worker.reference()).isZero();
    guest.channels().resume(worker.cid, "quota");
    run();
    assertThat(worker.reference()).isEqualTo(1);
  }

  @Test
  void resume_channelWithoutARing_letsItStart() {
    guest.channels().suspend(worker.cid, "quota");
    guest.channels().resume(worker.cid, "quota");
    worker.start();
    worker.submit(Worker.SET_REFERENCE, 1);
    run();
    assertThat(worker.reference()).isEqualTo(1);
  }

  @Test
  void detach_notRunning_isEbusy() {
    assertRefused(Errno.EBUSY, () -> guest.channels().detach(worker.cid, "new"));
    worker.start();
    guest.channels().suspend(worker.cid, "test");
    assertRefused(Errno.EBUSY, () -> guest.channels().detach(worker.cid, "suspended"));
    guest.channels().resume(worker.cid, "test");
    assertRefused(Errno.EBUSY, () -> guest.channels().attach(worker.cid, "attached"));
    guest.channels().detach(worker.cid, "test");
    assertRefused(Errno.EBUSY, () -> guest.channels().detach(worker.cid, "detached"));
    guest.channels().kill(worker.cid, GuestAbi.ERROR_OPERATOR, 0);
    assertRefused(Errno.EBUSY, () -> guest.channels().attach(worker.cid, "dead"));
    assertRefused(Errno.EBUSY, () -> guest.channels().suspend(worker.cid, "dead"));
  }

  @Test
  void detach_thenAttach_losesNothingAndRunsNothingTwice() {
    worker.start();
    worker.submit(Worker.SET_REFERENCE, 1);
    run();
    guest.channels().detach(worker.cid, "move");
    worker.submit(Worker.SET_REFERENCE, 2);
    run();
    assertThat(worker.reference()).isEqualTo(1);
    assertThat(guest.channels().drain(worker.cid)).isTrue();
    assertThat(worker.state()).isEqualTo(ChannelState.DETACHED);
    guest.channels().attach(worker.cid, "abort");
    run();
    assertThat(worker.reference()).isEqualTo(2);
    assertThat(guest.channels().query(worker.cid).usage().entries()).isEqualTo(2);
  }

  @Test
  void query_detachedChannelThatHasFinished_tellsItAndChangesNothing() {
    worker.start();
    worker.submit(Worker.SET_REFERENCE, 1);
    run();
    guest.channels().detach(worker.cid, "move");
    assertThat(guest.channels().query(worker.cid).progress().drained()).isTrue();
    assertThat(guest.channels().query(worker.cid).state()).isEqualTo(ChannelState.DRAINING);
    assertThat(worker.control(STATE)).isEqualTo(ChannelState.DRAINING.code());
    assertThat(guest.channels().entered(ChannelState.DETACHED)).isZero();
    assertThat(guest.channels().drain(worker.cid)).isTrue();
    assertThat(worker.control(STATE)).isEqualTo(ChannelState.DETACHED.code());
    assertThat(guest.channels().entered(ChannelState.DETACHED)).isEqualTo(1);
  }

  @Test
  void drain_blockedAcquire_waitsForItsRelease() {
    worker.start();
    GpuVa semaphore = worker.spareVa();
    worker.submit(
        Worker.SEMAPHORE,
        (int) (semaphore.value() >>> 32),
        (int) semaphore.value(),
        5,
        Worker.ACQUIRE,
        Worker.SET_REFERENCE,
        3);
    run();
    guest.channels().detach(worker.cid, "move");
    assertThat(guest.channels().drain(worker.cid)).isFalse();
    assertThat(worker.state()).isEqualTo(ChannelState.DRAINING);
    assertThat(guest.channels().query(worker.cid).progress().waiting()).isTrue();
    worker.spare().set(ValueLayout.JAVA_INT, 0, 5);
    run();
    assertThat(guest.channels().drain(worker.cid)).isTrue();
    assertThat(worker.reference()).isEqualTo(3);
  }

  @Test
  void suspend_detachedChannel_takesEffectAtAttach() {
    worker.start();
    guest.channels().detach(worker.cid, "move");
    guest.channels().suspend(worker.cid, "quota");
    assertThat(guest.channels().drain(worker.cid)).isTrue();
    worker.submit(Worker.SET_REFERENCE, 1);
    guest.channels().attach(worker.cid, "abort");
    assertThat(worker.state()).isEqualTo(ChannelState.SUSPENDED);
    run();
    assertThat(worker.reference()).isZero();
    guest.channels().resume(worker.cid, "quota");
    run();
    assertThat(worker.reference()).isEqualTo(1);
  }

  @Test
  void kill_anyStateThatLives_ends() {
    guest.channels().kill(worker.cid, GuestAbi.ERROR_OPERATOR, 0);
    assertThat(worker.state()).isEqualTo(ChannelState.DEAD);
    assertRefused(Errno.EBUSY, worker::start);
    Worker suspended = new Worker(rig, guest, worker.vid).start();
    guest.channels().suspend(suspended.cid, "test");
    guest.channels().kill(suspended.cid, GuestAbi.ERROR_OPERATOR, 0);
    guest.channels().resume(suspended.cid, "test");
    assertThat(suspended.state()).isEqualTo(ChannelState.DEAD);
    Worker detached = new Worker(rig, guest, worker.vid).start();
    guest.channels().detach(detached.cid, "test");
    guest.channels().kill(detached.cid, GuestAbi.ERROR_OPERATOR, 0);
    assertThat(detached.state()).isEqualTo(ChannelState.DEAD);
    assertThat(guest.channels().drain(detached.cid)).isFalse();
  }

  @Test
  void regionClose_channelThatMapsIt_endsWithTheBusAddress() {
    GpuRig.Ram ram = rig.ram(guest, 0x7000_0000L, 65536);
    int handle = guest.buffers().register(4, 0, 8192);
    guest.buffers().setPages(handle, 0, List.of(new RegionExtent(ram.region(), 16384, 8192)));
    guest.spaces().map(worker.vid, handle, Worker.LOW, Worker.HIGH, false);
    Worker other = new Worker(rig, guest, guest.spaces().create()).start();
    worker.start();
    ram.region().close();
    ram.region().close();
    run();
    assertThat(heard.heard).containsExactly("error " + worker.cid + " 12");
    assertThat(heard.errors.getFirst().address()).isEqualTo(0x7000_4000L);
    assertThat(worker.controlLong(ERROR_ADDRESS)).isEqualTo(0x7000_4000L);
    assertThat(other.state()).isEqualTo(ChannelState.RUNNING);
    assertRefused(
        Errno.EINVAL, () -> guest.spaces().map(worker.vid, handle, Worker.LOW, Worker.HIGH, false));
  }

  // ---- interrupts without this process ----

  /** A pending bitmap, as the guest's device has one. */
  private record Pending(Fd file, Mapping mapping) implements AutoCloseable {
    static Pending of(GpuRig rig, Guest guest) {
      Fd file = rig.kernel.memfdCreate("bar1", 8192);
      guest.channels().setPendingBitmap(file, 4096, 4096);
      return new Pending(
          file, rig.kernel.mmap(file, 4096, 4096, Kernel.PROT_READ | Kernel.PROT_WRITE));
    }

    int take() {
      int word = mapping.segment().get(ValueLayout.JAVA_INT, 0);
      mapping.segment().set(ValueLayout.JAVA_INT, 0, 0);
      return word;
    }

    @Override
    public void close() {
      mapping.close();
      file.close();
    }
  }

  @Test
  void setInterruptTarget_withoutABitmap_isEinval() {
    try (Fd eventfd = rig.kernel.eventfd(0, Kernel.NONBLOCK)) {
      assertRefused(Errno.EINVAL, () -> guest.channels().setInterruptTarget(worker.cid, eventfd));
    }
  }

  @Test
  void setInterruptTarget_noEventfdOrNoChannel_isRefused() {
    try (Pending pending = Pending.of(rig, guest)) {
      assertRefused(
          Errno.EINVAL, () -> guest.channels().setInterruptTarget(worker.cid, pending.file()));
      assertRefused(Errno.ENOENT, () -> guest.channels().setInterruptTarget(99, pending.file()));
    }
  }

  @Test
  void setInterruptTarget_eventfd_isSignalledOnceUntilTheBitIsTaken() {
    try (Pending pending = Pending.of(rig, guest);
        Fd eventfd = rig.kernel.eventfd(0, Kernel.NONBLOCK)) {
      worker.start();
      guest.channels().setInterruptTarget(worker.cid, eventfd);
      worker.submit(Worker.INTERRUPT, 0, Worker.INTERRUPT, 0);
      run();
      assertThat(rig.kernel.drain(eventfd)).isEqualTo(1);
      assertThat(pending.take()).isEqualTo(1 << worker.cid);
      worker.submit(Worker.INTERRUPT, 0);
      run();
      assertThat(rig.kernel.drain(eventfd)).isEqualTo(1);
      assertThat(pending.take()).isEqualTo(1 << worker.cid);
      assertThat(heard.heard).isEmpty();
      assertThat(guest.channels().query(worker.cid).usage().interrupts()).isEqualTo(3);
    }
  }

  @Test
  void setInterruptTarget_takenAway_goesByEventsAgain() {
    try (Pending pending = Pending.of(rig, guest);
        Fd eventfd = rig.kernel.eventfd(0, Kernel.NONBLOCK)) {
      worker.start();
      guest.channels().setInterruptTarget(worker.cid, eventfd);
      guest.channels().setInterruptTarget(worker.cid, null);
      worker.submit(Worker.INTERRUPT, 0);
      run();
      assertThat(rig.kernel.drain(eventfd)).isZero();
      assertThat(pending.take()).isZero();
      assertThat(heard.heard).containsExactly("interrupt " + worker.cid);
    }
  }

  @Test
  void setInterruptTarget_errorOfTheChannel_stillComesAsAnEvent() {
    try (Pending pending = Pending.of(rig, guest);
        Fd eventfd = rig.kernel.eventfd(0, Kernel.NONBLOCK)) {
      worker.start();
      guest.channels().setInterruptTarget(worker.cid, eventfd);
      worker.submit(Worker.SEMAPHORE, 0, 0x1000, 1, 2);
      run();
      assertThat(pending.take()).isZero();
      assertThat(heard.heard).containsExactly("error " + worker.cid + " 1");
    }
  }

  @Test
  void setInterruptTarget_channelFreed_givesTheEventfdBack() {
    try (Pending pending = Pending.of(rig, guest);
        Fd eventfd = rig.kernel.eventfd(0, Kernel.NONBLOCK)) {
      guest.channels().setInterruptTarget(worker.cid, eventfd);
      guest.channels().free(worker.cid);
      int successor = guest.channels().create(worker.vid);
      assertThat(successor).isEqualTo(worker.cid);
      guest.channels().setInterruptTarget(successor, eventfd);
      assertThat(pending.take()).isZero();
    }
  }

  @Test
  void vspaceFree_withAChannel_keepsItRunning() {
    worker.start();
    guest.spaces().free(worker.vid);
    assertRefused(Errno.ENOENT, () -> guest.spaces().free(worker.vid));
    worker.submit(Worker.SET_REFERENCE, 9);
    run();
    assertThat(worker.reference()).isEqualTo(9);
  }

  @Test
  void memFree_whileMapped_keepsAndCountsItUntilItIsUnmapped() {
    MemoryGrant grant = guest.buffers().allocate(0, 0, 0, 65536);
    GpuVa at = guest.spaces().map(worker.vid, grant.handle(), Worker.LOW, Worker.HIGH, false);
    long used = guest.buffers().use().videoBytes();
    guest.buffers().free(grant.handle());
    assertThat(guest.buffers().use().videoBytes()).isEqualTo(used);
    assertThat(guest.buffers().usage().vramBytes()).isEqualTo(used);
    guest.spaces().unmap(worker.vid, at);
    assertThat(guest.buffers().use().videoBytes()).isEqualTo(used - 65536);
    assertThat(guest.buffers().usage().vramBytes()).isEqualTo(used - 65536);
  }

  @Test
  void reset_everything_isFreedAndAnotherGenerationBegins() {
    GpuRig.Ram ram = rig.ram(guest, 0x1000, 4096);
    int handle = guest.buffers().register(4, 0, 4096);
    guest.buffers().setPages(handle, 0, List.of(new RegionExtent(ram.region(), 0, 4096)));
    worker.start();
    guest.buffers().free(guest.buffers().allocate(0, 0, 0, 4096).handle());
    guest.reset();
    assertThat(guest.generation()).isEqualTo(2);
    assertThat(guest.channels().ids()).isEmpty();
    assertThat(guest.buffers().use().videoBytes()).isZero();
    assertThat(guest.buffers().usage().vramBytes()).isZero();
    assertThat(guest.buffers().usage().systemBytes()).isZero();
    assertThat(worker.control(GENERATION)).isZero();
    assertRefused(Errno.ENOENT, () -> guest.channels().free(worker.cid));
    int again = guest.buffers().register(4, 0, 4096);
    guest.buffers().setPages(again, 0, List.of(new RegionExtent(ram.region(), 0, 4096)));
    Worker next = new Worker(rig, guest, guest.spaces().create()).start();
    assertThat(next.control(GENERATION)).isEqualTo(2);
    next.submit(Worker.SET_REFERENCE, 4);
    run();
    assertThat(next.reference()).isEqualTo(4);
  }

  @Test
  void close_guestWithEverything_returnsItToTheCard() throws Exception {
    worker.start();
    worker.submit(Worker.SET_REFERENCE, 4);
    GpuRig.Ram ram = rig.ram(guest, 0x1000, 4096);
    int handle = guest.buffers().register(4, 0, 4096);
    guest.buffers().setPages(handle, 0, List.of(new RegionExtent(ram.region(), 0, 4096)));
    Guest other = rig.attach("other");
    long free = other.buffers().usage().vramFreeBytes();
    long held = guest.buffers().use().videoBytes();
    assertThat(held).isPositive();
    guest.close();
    assertThat(other.buffers().usage().vramFreeBytes()).isEqualTo(free + held);
    int vid = other.spaces().create();
    for (int i = 0; i < 126; i++) {
      other.channels().create(vid);
    }
  }

  @Test
  void twoGuests_sameIds_reachOnlyTheirOwn() {
    Guest other = rig.attach("other", new GpuRig.HeardEvents());
    Worker theirs = new Worker(rig, other, other.spaces().create()).start();
    worker.start();
    assertThat(theirs.cid).isEqualTo(worker.cid);
    assertThat(theirs.vid).isEqualTo(worker.vid);
    worker.submit(Worker.SET_REFERENCE, 0x11, Worker.INTERRUPT, 0);
    theirs.submit(Worker.SET_REFERENCE, 0x22);
    run();
    assertThat(other.dispatchEvents()).isZero();
    assertThat(worker.reference()).isEqualTo(0x11);
    assertThat(theirs.reference()).isEqualTo(0x22);
    guest.channels().kill(worker.cid, GuestAbi.ERROR_OPERATOR, 0);
    assertThat(theirs.state()).isEqualTo(ChannelState.RUNNING);
    theirs.submit(Worker.SET_REFERENCE, 0x33);
    run();
    assertThat(theirs.reference()).isEqualTo(0x33);
  }

  @Test
  void parameter_videoMemory_isWhatTheGuestMayUse() {
    assertThat(guest.parameter(8)).isEqualTo(GpuRig.VRAM_BYTES);
    guest.buffers().setLimit(1 << 20);
    assertThat(guest.parameter(8)).isEqualTo(1 << 20);
    assertThat(guest.parameter(11)).isEqualTo(0xc0);
    assertThat(guest.info().gpcCount()).isPositive();
  }
}
