package io.sluice.testbed.conformance.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.abi.GpuVa;
import io.sluice.channel.GuestGpu.TimeUsage;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperKernel;
import io.sluice.channel.nvidia.submit.HopperLaunch;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** GPU time that guests are charged with, against what they did. */
final class NvidiaTimeTest {
  private static final int BLOCKS = 132;
  private static final int KERNEL_US = 2000;
  private static final long RUN_NS = 6_000_000_000L; // some hundred looks, however slow they are
  private static final long SETTLE_NS = 1_700_000_000L;
  private static final long VIDEO = 0x30_0000_0000L;
  private static final int PART_BYTES = 8 << 20;

  private static Supplier<HopperCommands> kernel(
      NvidiaRig.Guest guest, HopperKernel cubin, int microseconds) {
    HopperCommands _ = NvidiaSharingTest.launch(guest, cubin, BLOCKS, microseconds);
    return () ->
        HopperLaunch.of(HopperLaunch.setUp(new HopperCommands()), NvidiaSharingTest.PROGRAM);
  }

  private static Supplier<HopperCommands> copies(NvidiaRig.Guest guest) {
    guest.mapAt(guest.allocate(false, 2L * PART_BYTES), VIDEO);
    return () ->
        new HopperCommands()
            .bindCopy()
            .copy(new GpuVa(VIDEO), new GpuVa(VIDEO + PART_BYTES), PART_BYTES);
  }

  private static TimeUsage time(NvidiaRig.Guest guest) {
    return guest.gpu.timeUsage().orElseThrow();
  }

  private static void count(NvidiaGpu gpu, long nanoseconds) {
    long until = System.nanoTime() + nanoseconds;
    while (System.nanoTime() < until) {
      long _ = gpu.countTime();
      Thread.onSpinWait();
    }
  }

  /** How much each has done while both always had something to do. */
  private static long[] compete(
      NvidiaGpu gpu, List<NvidiaRig.Guest> guests, List<Supplier<HopperCommands>> work) {
    long[] submitted = new long[guests.size()];
    long[] begun = new long[guests.size()];
    for (int i = 0; i < begun.length; i++) {
      begun[i] = guests.get(i).queue.ring().lastReleased();
      submitted[i] = begun[i];
    }
    long until = System.nanoTime() + RUN_NS;
    while (System.nanoTime() < until) {
      for (int i = 0; i < begun.length; i++) {
        if (submitted[i] - guests.get(i).queue.ring().lastReleased() < 8) {
          submitted[i] = guests.get(i).queue.ring().submitWithRelease(work.get(i).get());
        }
      }
      long _ = gpu.countTime();
    }
    long[] done = new long[begun.length];
    for (int i = 0; i < begun.length; i++) {
      done[i] = guests.get(i).queue.ring().lastReleased() - begun[i];
      assertThat(
              guests
                  .get(i)
                  .queue
                  .ring()
                  .await(submitted[i], System::nanoTime, NvidiaRig.TIMEOUT_NS))
          .isTrue();
    }
    count(gpu, SETTLE_NS);
    return done;
  }

  private static void print(String what, String name, double didNs, TimeUsage time) {
    System.out.printf(
        Locale.ROOT,
        "GPU time, %s: %s did %.1f ms, was charged with %.1f ms, waited %.1f ms%n",
        what,
        name,
        didNs / 1e6,
        time.gpuNs() / 1e6,
        time.waitNs() / 1e6);
  }

  @Test
  void timeUsage_ofKernelsWithPauses_isTheirTime() throws Exception {
    HopperKernel cubin = NvidiaSharingTest.busy();
    try (NvidiaGpu gpu = NvidiaRig.open();
        var guest = new NvidiaRig.Guest(gpu, "guest", NvidiaRig.COMPUTE_CLASS)) {
      Supplier<HopperCommands> kernel = kernel(guest, cubin, KERNEL_US);
      int kernels = 0;
      long until = System.nanoTime() + RUN_NS;
      while (System.nanoTime() < until) {
        assertThat(guest.run(kernel.get())).isTrue();
        kernels++;
        count(gpu, KERNEL_US * 1000L);
      }
      count(gpu, SETTLE_NS);
      double did = kernels * KERNEL_US * 1e3;
      print("kernels with pauses", "guest", did, time(guest));
      assertThat(time(guest).gpuNs() / did).isCloseTo(1, within(0.25));
      TimeUsage then = time(guest);
      count(gpu, SETTLE_NS);
      assertThat(time(guest)).as("nothing is charged at rest").isEqualTo(then);
    }
  }

  @Test
  void timeUsage_ofTwoWithEqualWork_isHalfEach() throws Exception {
    HopperKernel cubin = NvidiaSharingTest.busy();
    try (NvidiaGpu gpu = NvidiaRig.open();
        var one = new NvidiaRig.Guest(gpu, "one", NvidiaRig.COMPUTE_CLASS);
        var other = new NvidiaRig.Guest(gpu, "other", NvidiaRig.COMPUTE_CLASS)) {
      List<Supplier<HopperCommands>> work =
          List.of(kernel(one, cubin, KERNEL_US), kernel(other, cubin, KERNEL_US));
      long[] done = compete(gpu, List.of(one, other), work);
      print("equal kernels", "one", done[0] * KERNEL_US * 1e3, time(one));
      print("equal kernels", "other", done[1] * KERNEL_US * 1e3, time(other));
      double whole = time(one).gpuNs() + time(other).gpuNs();
      assertThat(time(one).gpuNs() / whole)
          .isCloseTo(done[0] / (double) (done[0] + done[1]), within(0.12));
      assertThat(time(one).waitNs()).isPositive();
      assertThat(time(other).waitNs()).isPositive();
    }
  }

  @Test
  void timeUsage_ofTwoWithWeights_isWhatTheyDid() throws Exception {
    HopperKernel cubin = NvidiaSharingTest.busy();
    try (NvidiaGpu gpu = NvidiaRig.open();
        var light = new NvidiaRig.Guest(gpu, "light", NvidiaRig.COMPUTE_CLASS);
        var heavy = new NvidiaRig.Guest(gpu, "heavy", NvidiaRig.COMPUTE_CLASS)) {
      light.gpu.setWeight(1);
      heavy.gpu.setWeight(4);
      List<Supplier<HopperCommands>> work =
          List.of(kernel(light, cubin, KERNEL_US / 4), kernel(heavy, cubin, KERNEL_US / 4));
      long[] done = compete(gpu, List.of(light, heavy), work);
      print("weights 1 and 4", "light", done[0] * KERNEL_US / 4.0 * 1e3, time(light));
      print("weights 1 and 4", "heavy", done[1] * KERNEL_US / 4.0 * 1e3, time(heavy));
      double whole = time(light).gpuNs() + time(heavy).gpuNs();
      assertThat(time(light).gpuNs() / whole)
          .isCloseTo(done[0] / (double) (done[0] + done[1]), within(0.12));
    }
  }

  @Test
  void timeUsage_ofCopies_isTheEnginesTime() throws Exception {
    try (NvidiaGpu gpu = NvidiaRig.open();
        var one = new NvidiaRig.Guest(gpu, "one", NvidiaRig.COPY_CLASS);
        var _ = new NvidiaRig.Guest(gpu, "on another engine", NvidiaRig.COPY_CLASS);
        var other = new NvidiaRig.Guest(gpu, "other", NvidiaRig.COPY_CLASS)) {
      List<Supplier<HopperCommands>> work = List.of(copies(one), copies(other));
      long[] done = compete(gpu, List.of(one, other), work);
      double perCopy = (double) RUN_NS / (done[0] + done[1]);
      print("equal copies", "one", done[0] * perCopy, time(one));
      print("equal copies", "other", done[1] * perCopy, time(other));
      double whole = time(one).gpuNs() + time(other).gpuNs();
      assertThat(whole / RUN_NS).isCloseTo(1, within(0.25));
      assertThat(time(one).gpuNs() / whole).isCloseTo(0.5, within(0.12));
    }
  }
}
