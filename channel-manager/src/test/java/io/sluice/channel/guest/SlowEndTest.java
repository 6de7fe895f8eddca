package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.drm.DrmIoctl;
import io.sluice.channel.Refusals;
import io.sluice.testbed.checks.StandIn;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A guest whose freed memory the GPU is slow to take back: whoever asks about it does not wait. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SlowEndTest {
  private static final long BYTES = 1 << 20;
  private static final Duration SOON = Duration.ofMinutes(1); // it is at once

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final GpuRig rig = new GpuRig(this::slow);
  private final Guest guest = rig.attach("slow");
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  /** A device that frees no buffer until it is told to. */
  private DrmDevice slow(DrmDevice device) {
    return StandIn.of(
        DrmDevice.class,
        device,
        call -> {
          if (call.is("ioctl") && call.argument(0, Integer.class) == DrmIoctl.GEM_CLOSE) {
            begun.countDown();
            released.await();
          }
          return call.pass();
        });
  }

  @AfterEach
  void close() throws Exception {
    released.countDown();
    rig.close();
  }

  private Thread begin(Runnable work) throws InterruptedException {
    Thread thread = Thread.ofPlatform().daemon().start(work);
    thread.setUncaughtExceptionHandler((_, thrown) -> failure.set(thrown));
    begun.await();
    return thread;
  }

  private void finish(Thread thread) throws InterruptedException {
    released.countDown();
    thread.join();
    assertThat(failure.get()).isNull();
  }

  @Test
  void free_ofABufferThatLasts_keepsNobodyElse() throws Exception {
    int handle = guest.buffers().allocate(0, 0, 0, BYTES).handle();
    int cid = guest.channels().create(guest.spaces().create());
    Thread freeing = begin(() -> guest.buffers().free(handle));
    assertThat(guest.channels().ids()).containsExactly(cid);
    assertThat(guest.channels().count()).isEqualTo(1);
    assertThat(guest.channels().progressSoon(SOON)).isPresent();
    assertThat(guest.channels().lookSoon(SOON).orElseThrow()).containsOnlyKeys(cid);
    assertThat(guest.timeUsage()).isPresent();
    Refusals.assertRefused(Errno.EBADF, () -> guest.buffers().info(handle));
    finish(freeing);
  }

  @Test
  void free_ofABufferThatLasts_countsUntilItIsGivenBack() throws Exception {
    int handle = guest.buffers().allocate(0, 0, 0, BYTES).handle();
    Thread freeing = begin(() -> guest.buffers().free(handle));
    guest.channels().free(guest.channels().create(guest.spaces().create()));
    assertThat(guest.buffers().use().videoBytes()).isEqualTo(BYTES);
    finish(freeing);
    assertThat(guest.buffers().use().videoBytes()).isZero();
    assertThat(guest.buffers().usage().vramFreeBytes()).isEqualTo(GpuRig.VRAM_BYTES);
  }

  @Test
  void reset_thatLasts_keepsNobodyElse() throws Exception {
    int generation = guest.generation();
    guest.buffers().allocate(0, 0, 0, BYTES);
    guest.channels().create(guest.spaces().create());
    Thread resetting = begin(guest::reset);
    assertThat(guest.channels().ids()).isEmpty();
    assertThat(guest.generation()).isNotEqualTo(generation);
    finish(resetting);
    assertThat(guest.buffers().use().usesGpu()).isFalse();
  }

  @Test
  void close_thatLasts_refusesAtOnce() throws Exception {
    guest.buffers().allocate(0, 0, 0, BYTES);
    Thread closing = begin(guest::close);
    assertThat(guest.isClosed()).isTrue();
    assertThatThrownBy(() -> guest.channels().ids()).isInstanceOf(RefusedException.class);
    finish(closing);
  }

  @Test
  void snapshot_whileABufferIsGivenBack_waitsForIt() throws Exception {
    int handle = guest.buffers().allocate(0, 0, 0, BYTES).handle();
    Thread freeing = begin(() -> guest.buffers().free(handle));
    AtomicReference<Object> records = new AtomicReference<>();
    Thread saving = Thread.ofPlatform().daemon().start(() -> records.set(guest.move().snapshot()));
    while (saving.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(records.get()).isNull();
    finish(freeing);
    saving.join();
    assertThat(records.get()).isNotNull();
  }
}
