package io.sluice.migrate.qemu;

import io.sluice.abi.Iova;
import io.sluice.migrate.machine.SourceMachine.PageRange;
import io.sluice.vdevice.GuestDevice;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A request that QEMU writes, to each page of guest memory that the GPU wrote, the byte that is
 * there, so that its last pass carries the page. That is true only while nobody else writes: when
 * the migration is given up, the GPU and the processors must not go on before QEMU has done, or
 * will never do, what it was asked. A byte that came late would be an old one.
 */
final class Redirty implements Runnable {
  /** Of one request for it to be given up after; a few milliseconds. */
  private static final long CHUNK_BYTES = 256 * 4096L;

  private enum RedirtyStage {
    /** Nothing was written yet. */
    ASKED,
    /** It is being written. */
    WRITING,
    /** All of it was written. */
    DONE,
    /** No more is written. */
    GIVEN_UP
  }

  private final GuestDevice device;
  private final List<PageRange> ranges;
  private final Duration patience;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<RedirtyStage> stage = new AtomicReference<>(RedirtyStage.ASKED);

  /**
   * @param patience for one answer of QEMU
   */
  Redirty(GuestDevice device, List<PageRange> ranges, Duration patience) {
    this.device = device;
    this.ranges = List.copyOf(ranges);
    this.patience = patience;
  }

  @Override
  public void run() {
    if (!stage.compareAndSet(RedirtyStage.ASKED, RedirtyStage.WRITING)) {
      return;
    }
    try {
      for (PageRange range : ranges) {
        touch(range);
      }
      stage.compareAndSet(RedirtyStage.WRITING, RedirtyStage.DONE);
    } finally {
      ended.countDown();
    }
  }

  private void touch(PageRange range) {
    for (long at = 0;
        at < range.bytes() && stage.get() == RedirtyStage.WRITING;
        at += CHUNK_BYTES) {
      device
          .memory()
          .touch(
              new Iova(range.start().value() + at),
              Math.min(CHUNK_BYTES, range.bytes() - at),
              patience);
    }
  }

  /** Whether all of it was done. */
  boolean isDone() {
    return stage.get() == RedirtyStage.DONE;
  }

  /**
   * Does no more, and waits until QEMU has answered for what it was asked, or is gone. One that is
   * frozen keeps it waiting.
   */
  void giveUp() throws InterruptedException {
    RedirtyStage before =
        stage.getAndUpdate(now -> now == RedirtyStage.DONE ? now : RedirtyStage.GIVEN_UP);
    if (before == RedirtyStage.ASKED) {
      ended.countDown(); // for whoever gives up again
      return;
    }
    ended.await();
    device.memory().awaitWrites();
  }
}
