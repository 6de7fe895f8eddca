package io.sluice.testbed.machine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.CallFailedException;
import io.sluice.guest.ChannelFailedException;
import io.sluice.guest.ClientChannel;
import io.sluice.guest.Pushbuffer;
import io.sluice.guest.Space;
import io.sluice.management.GuestCounters;
import io.sluice.testbed.fakes.Seeds;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.support.Daemons;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Process guests of a real daemon process: what they can do, and what they cannot do to others. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(Seeds.class)
final class ProcessGuestTest {
  private static final String FIRST = "first";
  private static final String SECOND = "second";
  private static final int BYTES = 1 << 20;
  private static final int TIMEOUT_MS = 60_000;

  private final Kernel kernel = RealKernel.create();
  private DaemonProcess daemon;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    daemon = DaemonProcess.start(directory, List.of(FIRST, SECOND));
  }

  /** The daemon notices the end of a client in its own time. */
  @BeforeEach
  void awaitBothGone() {
    Daemons.awaitGone(daemon, FIRST);
    Daemons.awaitGone(daemon, SECOND);
  }

  @AfterAll
  void stop() throws Exception {
    daemon.close();
  }

  @Test
  void attach_secondClientOfOneGuest_isRefused() {
    try (AttachedDevice _ = attach(FIRST)) {
      assertThatThrownBy(() -> attach(FIRST)).isInstanceOf(CallFailedException.class);
    }
  }

  @Test
  void copy_betweenProcessAndVideoMemory_arrivesWithoutAMessage() {
    try (AttachedDevice device = attach(FIRST);
        Space space = device.newSpace();
        Buffer source = device.allocateProcess(BYTES);
        Buffer video = device.allocateVideo(BYTES);
        Buffer result = device.allocateProcess(BYTES);
        ClientChannel channel = space.newChannel()) {
      GpuVa from = space.map(source);
      GpuVa through = space.map(video);
      GpuVa to = space.map(result);
      fill(source, 7);
      GuestCounters before = daemon.counters(FIRST);

      int fence =
          channel.submitWithInterrupt(
              new Pushbuffer()
                  .bindEngines()
                  .copyM2mf(from, through, BYTES)
                  .copyPcopy(through, to, BYTES));
      boolean arrived = channel.awaitByInterrupt(fence, TIMEOUT_MS);

      assertThat(arrived).isTrue();
      assertThat(result.bytes().mismatch(source.bytes())).isEqualTo(-1);
      GuestCounters after = daemon.counters(FIRST);
      assertThat(after.messages()).isEqualTo(before.messages());
      assertThat(after.hypercalls()).isEqualTo(before.hypercalls());
    }
  }

  @Test
  void submit_unmappedAddress_endsThatChannelOnly() {
    try (AttachedDevice device = attach(FIRST);
        Space space = device.newSpace();
        ClientChannel bad = space.newChannel();
        ClientChannel good = space.newChannel()) {
      GpuVa nowhere = new GpuVa(0x70_0000_0000L);

      int lost = bad.submitWithFence(new Pushbuffer().release(nowhere, 1));
      assertThatThrownBy(() -> bad.awaitByPolling(lost))
          .isInstanceOfSatisfying(
              ChannelFailedException.class,
              e -> assertThat(e.error()).isEqualTo(GuestAbi.ERROR_PAGE_FAULT));

      good.awaitByPolling(good.submitWithFence(new Pushbuffer().bindEngines()));
      assertThat(bad.queryState()).isEqualTo(GuestAbi.CHANNEL_DEAD);
      assertThat(good.queryState()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
    }
  }

  @Test
  void submit_endlessAcquire_leavesTheOthersRunning() {
    try (AttachedDevice device = attach(FIRST);
        AttachedDevice other = attach(SECOND);
        Space space = device.newSpace();
        Space otherSpace = other.newSpace();
        Buffer semaphore = device.allocateProcess(4096);
        ClientChannel stuck = space.newChannel();
        ClientChannel good = otherSpace.newChannel()) {
      GpuVa never = space.map(semaphore);
      stuck.submit(new Pushbuffer().acquire(never, 99));

      for (int i = 0; i < 100; i++) {
        good.awaitByPolling(good.submitWithFence(new Pushbuffer().bindEngines()));
      }

      assertThat(stuck.error()).isZero();
    }
  }

  @Test
  void guests_sameAddressesAndIds_seeOnlyTheirOwn() {
    try (AttachedDevice one = attach(FIRST);
        AttachedDevice two = attach(SECOND);
        Space spaceOne = one.newSpace();
        Space spaceTwo = two.newSpace();
        Buffer videoOne = one.allocateVideo(BYTES);
        Buffer videoTwo = two.allocateVideo(BYTES);
        Buffer resultTwo = two.allocateProcess(BYTES);
        ClientChannel channelOne = spaceOne.newChannel();
        ClientChannel channelTwo = spaceTwo.newChannel()) {
      GpuVa addressOne = spaceOne.map(videoOne, 0x4000_0000L, 0x5000_0000L);
      GpuVa addressTwo = spaceTwo.map(videoTwo, 0x4000_0000L, 0x5000_0000L);
      GpuVa result = spaceTwo.map(resultTwo);
      assertThat(addressOne).isEqualTo(addressTwo);
      assertThat(channelOne.id()).isEqualTo(channelTwo.id());
      assertThat(videoOne.handle()).isEqualTo(videoTwo.handle());
      fill(videoOne, 11);
      int interruptsTwo = channelTwo.interrupts();

      int fenceOne = channelOne.submitWithInterrupt(new Pushbuffer().bindEngines());
      assertThat(channelOne.awaitByInterrupt(fenceOne, TIMEOUT_MS)).isTrue();
      channelTwo.awaitByPolling(
          channelTwo.submitWithFence(
              new Pushbuffer().bindEngines().copyM2mf(addressTwo, result, BYTES)));

      assertThat(channelTwo.interrupts()).isEqualTo(interruptsTwo);
      for (long i = 0; i < BYTES / 4; i++) {
        assertThat(resultTwo.bytes().getAtIndex(ValueLayout.JAVA_INT, i)).isZero();
      }
    }
  }

  @Test
  void calls_handlesOfNobody_areRefused() {
    try (AttachedDevice device = attach(FIRST);
        Space space = device.newSpace()) {
      assertThatThrownBy(() -> space.unmap(new GpuVa(0x2000_0000L)))
          .isInstanceOf(CallFailedException.class);
      assertThatThrownBy(() -> device.allocateVideo(1L << 40))
          .isInstanceOf(CallFailedException.class);
    }
  }

  @Test
  void death_atAnyMoment_givesEverythingBack(RandomGenerator random) throws Exception {
    Daemons.awaitGone(daemon, SECOND);
    attachAndVanish(0);
    Daemons.awaitGone(daemon, SECOND);
    Daemons.Holdings before = Daemons.Holdings.of(daemon.pid());

    for (int i = 0; i < 10; i++) {
      attachAndVanish(random.nextInt(200));
      Daemons.awaitGone(daemon, SECOND);
    }

    Daemons.awaitHoldings(daemon, before);
  }

  /**
   * Leaves copies running and an acquire blocked, and closes the socket without freeing anything.
   */
  private void attachAndVanish(int submissions) {
    AttachedDevice device = attach(SECOND);
    Space space = device.newSpace();
    Buffer source = device.allocateProcess(BYTES);
    Buffer video = device.allocateVideo(BYTES);
    GpuVa from = space.map(source);
    GpuVa to = space.map(video);
    ClientChannel copies = space.newChannel();
    ClientChannel stuck = space.newChannel();
    stuck.submit(new Pushbuffer().acquire(from, 0x7fff_ffff));
    copies.submit(new Pushbuffer().bindEngines());
    for (int i = 0; i < submissions; i++) {
      copies.submit(new Pushbuffer().copyM2mf(from, to, BYTES));
    }
    device.close();
  }

  private AttachedDevice attach(String guest) {
    return AttachedDevice.attach(kernel, daemon.socket(guest));
  }

  private static void fill(Buffer buffer, int seed) {
    int value = seed;
    for (long i = 0; i < buffer.sizeBytes() / 4; i++) {
      value = value * 0x0019_660d + 0x3c6e_f35f;
      buffer.bytes().setAtIndex(ValueLayout.JAVA_INT, i, value);
    }
  }
}
