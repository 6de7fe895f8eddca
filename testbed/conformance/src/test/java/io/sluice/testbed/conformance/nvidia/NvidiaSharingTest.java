package io.sluice.testbed.conformance.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.Channel;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperKernel;
import io.sluice.channel.nvidia.submit.HopperLaunch;
import io.sluice.channel.state.ChannelState;
import io.sluice.testbed.conformance.rig.Cubin;
import io.sluice.testbed.conformance.rig.HopperQueue;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who may use the GPU, and for how long: all kernels here end by themselves. */
final class NvidiaSharingTest {
  private static final long VIDEO = 0x20_0000_0000L;
  static final long PROGRAM = 0x2_4000_0000L;
  private static final long CODE = 0x1_0000;
  private static final int THREADS = 64;

  static HopperKernel busy() throws Exception {
    var compiled = Cubin.compile("busy.cu");
    Assumptions.assumeTrue(compiled.isPresent(), "nvcc is not on the PATH");
    return compiled.orElseThrow();
  }

  static HopperCommands launch(
      NvidiaRig.Guest guest, HopperKernel cubin, int grid, int microseconds) {
    GpuMemory program = guest.allocate(true, 0x4_0000);
    GpuMemory output = guest.allocate(false, (long) grid * THREADS * 4);
    guest.mapAt(program, PROGRAM);
    guest.mapAt(output, VIDEO);
    MemorySegment memory = guest.cpu(program);
    MemorySegment.copy(cubin.code(), 0, memory, ValueLayout.JAVA_BYTE, CODE, cubin.code().length);
    HopperLaunch.store(
        cubin,
        PROGRAM + CODE,
        memory,
        0,
        PROGRAM,
        grid,
        THREADS,
        (int) VIDEO,
        (int) (VIDEO >>> 32),
        0,
        microseconds);
    return HopperLaunch.of(HopperLaunch.setUp(new HopperCommands()), PROGRAM);
  }

  /** One long thread block is waited for; of many short ones only those that run. */
  @ParameterizedTest
  @CsvSource({"1, 400000", "262144, 2000"})
  void kernel_thatKeepsAnotherGuestWaiting_isSeenAndKilled(int grid, int microseconds)
      throws Exception {
    try (NvidiaGpu gpu = NvidiaRig.open();
        var hog = new NvidiaRig.Guest(gpu, "hog", NvidiaRig.COMPUTE_CLASS);
        var other = new NvidiaRig.Guest(gpu, "other", NvidiaRig.COMPUTE_CLASS)) {
      HopperKernel cubin = busy();
      assertThat(other.run(new HopperCommands())).isTrue();
      long begun = System.nanoTime();
      long _ = hog.queue.ring().submitWithRelease(launch(hog, cubin, grid, microseconds));
      Channel.Status alone = hog.queue.channel().look();
      assertThat(alone.usage().runningNs()).as("nobody waits").isZero();
      long wanted = other.queue.ring().submitWithRelease(new HopperCommands());
      long most = 0;
      while (System.nanoTime() - begun < 60_000_000) {
        most = Math.max(most, hog.queue.channel().look().usage().runningNs());
      }
      System.out.printf(
          Locale.ROOT,
          "grid %d x %d us: seen to keep the engine for %.1f ms, other served meanwhile: %b%n",
          grid,
          microseconds,
          most / 1e6,
          other.queue.ring().hasReleased(wanted));
      long start = System.nanoTime();
      hog.queue.channel().kill(GuestAbi.ERROR_TIMEOUT, 60);
      System.out.printf(
          Locale.ROOT, "kill of a running grid: %.1f ms%n", (System.nanoTime() - start) / 1e6);
      assertThat(hog.queue.channel().status().cause().reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
      assertThat(other.queue.ring().await(wanted, System::nanoTime, NvidiaRig.TIMEOUT_NS)).isTrue();
      assertThat(other.run(new HopperCommands())).isTrue();
      assertThat(other.queue.channel().status().state()).isEqualTo(ChannelState.RUNNING);
    }
  }

  /** One waits for what the guest has the other one release only when both are detached. */
  @Test
  void detach_ofChannelsThatWaitForEachOther_drains() throws Exception {
    try (NvidiaGpu gpu = NvidiaRig.open();
        var guest = new NvidiaRig.Guest(gpu, "guest", NvidiaRig.COPY_CLASS)) {
      GpuMemory words = guest.allocate(true, 4096);
      guest.mapAt(words, PROGRAM);
      GpuVa word = new GpuVa(PROGRAM);
      try (var second =
          new HopperQueue(
              guest.gpu,
              guest.space,
              guest.kernel,
              new GpuVa(NvidiaRig.RING.value() + 0x1_0000_0000L),
              NvidiaRig.COMPUTE_CLASS)) {
        for (int round = 1; round <= 10; round++) {
          HopperQueue waits = round % 2 == 0 ? guest.queue : second;
          HopperQueue releases = round % 2 == 0 ? second : guest.queue;
          long done = waits.ring().submitWithRelease(new HopperCommands().acquire(word, round));
          guest.queue.channel().detach();
          second.channel().detach();
          for (int i = 0; i < 20; i++) {
            long _ = gpu.poll(gpu.timeNs());
            assertThat(waits.channel().look().progress().drained()).isFalse();
            assertThat(releases.channel().look().progress().drained()).isFalse();
          }
          long released =
              releases.ring().submitWithRelease(new HopperCommands().release(word, round));
          long start = System.nanoTime();
          while (!waits.channel().look().progress().drained()
              | !releases.channel().look().progress().drained()) {
            long _ = gpu.poll(gpu.timeNs());
            assertThat(System.nanoTime() - start).isLessThan(NvidiaRig.TIMEOUT_NS);
          }
          System.out.printf(
              Locale.ROOT,
              "channels that wait for each other drained %.2f ms after the release%n",
              (System.nanoTime() - start) / 1e6);
          assertThat(waits.ring().hasReleased(done)).isTrue();
          assertThat(releases.ring().hasReleased(released)).isTrue();
          guest.queue.channel().attach();
          second.channel().attach();
          long after = releases.ring().submitWithRelease(new HopperCommands());
          assertThat(releases.ring().await(after, System::nanoTime, NvidiaRig.TIMEOUT_NS)).isTrue();
        }
      }
    }
  }

  /** Given back while it waits for what the guest submits only then, behind more that waits. */
  @Test
  void attach_ofAChannelThatWaits_doesNotHoldTheGuest() throws Exception {
    try (NvidiaGpu gpu = NvidiaRig.open();
        var guest = new NvidiaRig.Guest(gpu, "guest", NvidiaRig.COPY_CLASS)) {
      GpuMemory words = guest.allocate(true, 4096);
      guest.mapAt(words, PROGRAM);
      GpuVa word = new GpuVa(PROGRAM);
      GpuVa counter = new GpuVa(PROGRAM + 64);
      try (var second =
          new HopperQueue(
              guest.gpu,
              guest.space,
              guest.kernel,
              new GpuVa(NvidiaRig.RING.value() + 0x1_0000_0000L),
              NvidiaRig.COMPUTE_CLASS)) {
        int counted = 0;
        for (int round = 1; round <= 12; round++) {
          HopperQueue waits = round % 2 == 0 ? guest.queue : second;
          HopperQueue releases = round % 2 == 0 ? second : guest.queue;
          int behind = round % 4;
          waits.whileWithdrawn(() -> gpu.poll(gpu.timeNs()));
          releases.whileWithdrawn(() -> gpu.poll(gpu.timeNs()));
          long _ =
              waits
                  .ring()
                  .submitWithRelease(new HopperCommands().acquire(word, round).increment(counter));
          guest.queue.channel().detach();
          second.channel().detach();
          assertThat(waits.channel().look().progress().drained()).isFalse();
          guest.queue.channel().attach();
          second.channel().attach();
          long start = System.nanoTime();
          long last = waits.ring().submitWithRelease(new HopperCommands().increment(counter));
          for (int i = 0; i < behind; i++) {
            last = waits.ring().submitWithRelease(new HopperCommands().increment(counter));
          }
          long submitted = System.nanoTime();
          long _ = gpu.poll(gpu.timeNs());
          long released =
              releases.ring().submitWithRelease(new HopperCommands().release(word, round));
          while (!waits.ring().hasReleased(last) | !releases.ring().hasReleased(released)) {
            long _ = gpu.poll(gpu.timeNs());
            assertThat(System.nanoTime() - start).isLessThan(NvidiaRig.TIMEOUT_NS);
          }
          counted += 2 + behind;
          System.out.printf(
              Locale.ROOT,
              "given back while it waits: guest submits after %.2f ms, all done after %.2f ms%n",
              (submitted - start) / 1e6,
              (System.nanoTime() - start) / 1e6);
          while (gpu.poll(gpu.timeNs()) != Long.MAX_VALUE) {
            assertThat(System.nanoTime() - start).isLessThan(NvidiaRig.TIMEOUT_NS);
          }
          assertThat(guest.cpu(words).get(ValueLayout.JAVA_INT, 64)).isEqualTo(counted);
        }
      }
    }
  }

  @Test
  void weights_ofTwoChannelsOnOneEngine_shareItsTime() throws Exception {
    try (NvidiaGpu gpu = NvidiaRig.open();
        var light = new NvidiaRig.Guest(gpu, "light", NvidiaRig.COPY_CLASS);
        var _ = new NvidiaRig.Guest(gpu, "on another engine", NvidiaRig.COPY_CLASS);
        var heavy = new NvidiaRig.Guest(gpu, "heavy", NvidiaRig.COPY_CLASS)) {
      light.queue.channel().setWeight(16);
      heavy.queue.channel().setWeight(64);
      long[] copies = compete("channels' weights 16 and 64", light, heavy);
      assertThat(copies[1]).isGreaterThan(2 * copies[0]);
    }
  }

  /** As the daemon sets them, from the guests' quotas. */
  @Test
  void weights_ofTwoGuestsOnOneEngine_shareItsTime() throws Exception {
    try (NvidiaGpu gpu = NvidiaRig.open();
        var light = new NvidiaRig.Guest(gpu, "light", NvidiaRig.COPY_CLASS);
        var _ = new NvidiaRig.Guest(gpu, "on another engine", NvidiaRig.COPY_CLASS);
        var heavy = new NvidiaRig.Guest(gpu, "heavy", NvidiaRig.COPY_CLASS)) {
      light.gpu.setWeight(1);
      heavy.gpu.setWeight(3);
      long[] copies = compete("guests' weights 1 and 3", light, heavy);
      assertThat(copies[1]).isGreaterThan(2 * copies[0]);
      light.gpu.setWeight(3);
      heavy.gpu.setWeight(1);
      gpu.poll(
          gpu.timeNs()); // the unit has changed: the daemon's thread for sharing sets slices anew
      copies = compete("guests' weights 3 and 1", light, heavy);
      assertThat(copies[0]).isGreaterThan(2 * copies[1]);
    }
  }

  /** Copies that each of two has done when both had something to copy all the time. */
  private static long[] compete(String what, NvidiaRig.Guest... guests) {
    long bytes = 4L << 20;
    long[] begun = new long[2];
    long[] done = new long[2];
    long[] submitted = new long[2];
    for (int i = 0; i < 2; i++) {
      if (guests[i].queue.ring().lastReleased() == 0) {
        guests[i].mapAt(guests[i].allocate(false, 2 * bytes), VIDEO);
      }
      begun[i] = guests[i].queue.ring().lastReleased();
      submitted[i] = begun[i];
    }
    HopperCommands commands = new HopperCommands();
    long until = System.nanoTime() + 400_000_000L;
    while (System.nanoTime() < until) {
      for (int i = 0; i < 2; i++) {
        done[i] = guests[i].queue.ring().lastReleased();
        if (submitted[i] - done[i] < 100) {
          commands.clear().bindCopy().copy(new GpuVa(VIDEO), new GpuVa(VIDEO + bytes), bytes);
          submitted[i] = guests[i].queue.ring().submitWithRelease(commands);
        }
      }
    }
    long[] copies = {done[0] - begun[0], done[1] - begun[1]};
    System.out.printf(Locale.ROOT, "%s: %d and %d copies%n", what, copies[0], copies[1]);
    for (int i = 0; i < 2; i++) {
      assertThat(
              guests[i]
                  .queue
                  .ring()
                  .await(submitted[i], System::nanoTime, 10 * NvidiaRig.TIMEOUT_NS))
          .isTrue();
    }
    return copies;
  }
}
