package io.sluice.daemon.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The threads of grids, some of which a guest holds up. */
final class ComputeThreadsTest {
  private final CountDownLatch mayGoOn = new CountDownLatch(1);
  private final ComputeThreads threads =
      new ComputeThreads(2, action -> Thread.ofPlatform().daemon().unstarted(action));

  @AfterEach
  void close() {
    mayGoOn.countDown();
    threads.close();
  }

  private void hold() {
    CountDownLatch begun = new CountDownLatch(1);
    threads.execute(() -> {
      begun.countDown();
      try {
        mayGoOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    awaitZero(begun);
  }

  private static void awaitZero(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void heldUp_all_othersTasksRunAllTheSame() {
    hold();
    hold();
    CountDownLatch ran = new CountDownLatch(1);
    threads.execute(ran::countDown);
    assertThat(ran.getCount()).isEqualTo(1);

    threads.heldUp(2);

    awaitZero(ran);
  }

  @Test
  void heldUp_noMore_thereAreAsManyAsBefore() {
    threads.heldUp(1);
    assertThat(threads.limit()).isEqualTo(3);
    threads.heldUp(0);
    assertThat(threads.limit()).isEqualTo(2);
  }

  @Test
  void heldUp_moreThanThereAre_isTwiceAsManyAtMost() {
    threads.heldUp(1000);
    assertThat(threads.limit()).isEqualTo(4);
  }
}
