package io.sluice.gpu;

import static io.sluice.gpu.Words.increasing;
import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static io.sluice.gpu.Words.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.ExtFileQuery;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.RealKernel;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands are charged with the time in which their own work ran, whatever time has passed. */
@Timeout(600)
class ChargedTimeTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int SLICES = 200;
  private static final int M2MF = 2;
  private static final int PITCHED = 1 << 4 | 1 << 8;
  private static final int LINE_BYTES = 4 << 20;

  private static long runningNs(GuestChannel channel) {
    return ExtChanQuery.RUNNING_NS.get(channel.query());
  }

  @Test
  void grid_whoseThreadHasNoProcessor_isNotCharged() throws InterruptedException {
    AtomicLong processorNs = new AtomicLong();
    ExecutorService compute = Executors.newFixedThreadPool(2);
    try (Rig rig = new Rig(compute, 2, processorNs::get)) {
      Client client = rig.open();
      GuestChannel channel = new GuestChannel(client, client.vspaceNew(), 9);
      channel.submit(Launches.of(channel, TestKernels.ENDLESS, 0, 1, 32, 0));
      for (int i = 0; i < 1000; i++) {
        rig.cycle();
      }
      assertThat(runningNs(channel)).as("8 s without a processor").isBetween(1L, SECOND_NS / 10);

      // Now it has one all the time.
      long before = rig.nowNs;
      while (runningNs(channel) < SECOND_NS) {
        rig.cycle();
        processorNs.addAndGet(Rig.CYCLE_NS);
        Thread.onSpinWait();
      }
      assertThat(rig.nowNs - before).isGreaterThanOrEqualTo(SECOND_NS * 9 / 10);
      client.chanFree(channel.cid);
      assertThat(ExtFileQuery.GPU_NS.get(client.usage())).isLessThanOrEqualTo(processorNs.get());
    } finally {
      compute.shutdown();
      assertThat(compute.awaitTermination(5, TimeUnit.MINUTES)).isTrue();
    }
  }

  /** Slices of a millisecond, of which a tenth is on a processor. */
  @Test
  void copy_whoseThreadHasAProcessorNowAndThen_isChargedWithThat() {
    AtomicLong wallNs = new AtomicLong();
    AtomicLong processorNs = new AtomicLong();
    GpuClocks clocks =
        new GpuClocks(() -> wallNs.addAndGet(1_000_000), () -> processorNs.addAndGet(100_000));
    assertThat(chargedForACopy(clocks, wallNs, ChargedTimeTest::runningNs))
        .isBetween(SLICES * 50_000L, SLICES * 300_000L);
  }

  /** Nobody asks for the processor's time of slices that are as short as they should be. */
  @Test
  void copy_whoseSlicesAreShort_isChargedByTheWallClock() {
    AtomicLong wallNs = new AtomicLong();
    GpuClocks clocks =
        new GpuClocks(
            () -> wallNs.addAndGet(100_000),
            () -> {
              throw new AssertionError("asked");
            });
    assertThat(chargedForACopy(clocks, wallNs, ChargedTimeTest::runningNs))
        .isBetween(SLICES * 50_000L, SLICES * 300_000L);
  }

  /** Each slice takes 10 ms, and has a processor all the time. */
  @Test
  void copy_whoseSlicesTakeLong_isChargedToItsOpenWithAllOfThat() {
    AtomicLong wallNs = new AtomicLong();
    GpuClocks clocks = new GpuClocks(() -> wallNs.addAndGet(10_000_000), wallNs::get);
    long chargedNs =
        chargedForACopy(clocks, wallNs, channel -> ExtFileQuery.GPU_NS.get(channel.client.usage()));
    assertThat(chargedNs).isBetween(SLICES * 9_000_000L, SLICES * 11_000_000L);
  }

  /** What a copy without end is charged with after so many slices, each in its duty cycle. */
  private static long chargedForACopy(
      GpuClocks clocks, AtomicLong wallNs, ToLongFunction<GuestChannel> charged) {
    GpuConfig config = new GpuConfig(Rig.VRAM_BYTES, Rig.SYSTEM_BYTES, 0);
    try (SoftwareGpu gpu =
            new SoftwareGpu(
                RealKernel.create(), config, clocks, IdleStrategy.none(), Runnable::run, 1);
        Client client = new Client(RealKernel.create(), gpu.open())) {
      int vid = client.vspaceNew();
      GuestChannel channel = client.channel(vid);
      long va = client.memory(vid, PscnvGem.VRAM_SMALL, LINE_BYTES).va();
      channel.submit(
          join(
              one(M2MF, 0, 0x9039),
              new int[] {
                increasing(M2MF, 0x238, 2),
                (int) (va >>> 32),
                (int) va,
                increasing(M2MF, 0x30c, 6),
                (int) (va >>> 32),
                (int) va,
                0,
                0,
                LINE_BYTES,
                -1,
                increasing(M2MF, 0x300, 1),
                PITCHED
              }));
      for (int i = 0; i <= SLICES; i++) {
        int _ = gpu.engine().doWork(wallNs.get());
      }
      return charged.applyAsLong(channel);
    }
  }

  @Test
  void acquire_whileTheEngineStoodStill_isNotCharged() {
    try (Rig rig = new Rig()) {
      Client client = rig.open();
      GuestChannel channel = client.channel(client.vspaceNew());
      channel.submit(semaphore(channel.ring.va() + 2048, 0x7777, 1));
      for (int i = 0; i < 100; i++) {
        rig.cycle();
      }
      long waited = runningNs(channel);
      assertThat(waited).as("looked at all the time").isGreaterThan(99 * Rig.CYCLE_NS - 1);
      rig.nowNs += 100 * SECOND_NS;
      rig.cycle();
      assertThat(runningNs(channel) - waited).isLessThanOrEqualTo(Rig.CYCLE_NS);
    }
  }

  @Test
  void slice_inWhichTheHostStoodStill_isNotCharged() {
    AtomicLong now = new AtomicLong();
    GpuConfig config = new GpuConfig(Rig.VRAM_BYTES, Rig.SYSTEM_BYTES, 0);
    try (SoftwareGpu gpu =
            new SoftwareGpu(
                RealKernel.create(), config, () -> now.addAndGet(SECOND_NS), IdleStrategy.none());
        Client client = new Client(RealKernel.create(), gpu.open())) {
      GuestChannel channel = client.channel(client.vspaceNew());
      channel.submit(0x20010014, 4);
      for (int i = 0; i < 10; i++) {
        gpu.engine().doWork(now.get());
      }
      assertThat(channel.reference()).isEqualTo(4);
      assertThat(ExtChanQuery.BUSY_NS.get(channel.query())).isLessThan(SECOND_NS);
      assertThat(ExtFileQuery.GPU_NS.get(client.usage())).isLessThan(SECOND_NS);
    }
  }
}
