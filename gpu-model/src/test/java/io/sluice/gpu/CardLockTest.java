package io.sluice.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who gets the card, and when. */
final class CardLockTest {
  private final CardLock lock = new CardLock();

  @Test
  void isWanted_held_onceSomebodyWaits() {
    lock.lock();
    assertThat(lock.isWanted()).isFalse();
    CompletableFuture<Void> other = CompletableFuture.runAsync(this::takeAndGive);
    while (!lock.isWanted()) {
      Thread.onSpinWait();
    }
    assertThat(other).isNotDone();

    lock.unlock();

    other.join();
    assertThat(lock.isWanted()).isFalse();
  }

  @Test
  void lock_whileAnotherTakesItWithoutEnd_isGot() {
    AtomicBoolean got = new AtomicBoolean();
    CompletableFuture<Void> greedy =
        CompletableFuture.runAsync(() -> {
          while (!got.get()) {
            takeAndGive();
          }
        });
    for (int i = 0; i < 1000; i++) {
      takeAndGive();
    }
    got.set(true);
    greedy.join();
    assertThat(lock.isLocked()).isFalse();
  }

  @Test
  void lock_twoThreads_neverBothHoldIt() {
    AtomicInteger holders = new AtomicInteger();
    Runnable many =
        () -> {
          for (int i = 0; i < 100_000; i++) {
            lock.lock();
            try {
              assertThat(holders.incrementAndGet()).isOne();
              holders.decrementAndGet();
            } finally {
              lock.unlock();
            }
          }
        };
    CompletableFuture.allOf(CompletableFuture.runAsync(many), CompletableFuture.runAsync(many))
        .join();
  }

  @Test
  void lock_byTheThreadThatHoldsIt_isGotWhateverOthersWaitFor() {
    lock.lock();
    CompletableFuture<Void> other = CompletableFuture.runAsync(this::takeAndGive);
    while (!lock.hasQueuedThreads()) {
      Thread.onSpinWait();
    }
    lock.lock();
    assertThat(lock.getHoldCount()).isEqualTo(2);
    lock.unlock();
    assertThat(other).isNotDone();

    lock.unlock();

    other.join();
  }

  /** Eight threads are more than most hosts of tests have processors. */
  @Test
  void lock_moreThreadsThanProcessors_eachGetsIt() {
    CompletableFuture<?>[] all = new CompletableFuture<?>[8];
    for (int i = 0; i < all.length; i++) {
      all[i] =
          CompletableFuture.runAsync(
              () -> {
                for (int turn = 0; turn < 10_000; turn++) {
                  takeAndGive();
                }
              },
              work -> Thread.ofPlatform().start(work));
    }
    CompletableFuture.allOf(all).join();
    assertThat(lock.turns()).isEqualTo(80_000);
    assertThat(lock.isWanted()).isFalse();
  }

  private void takeAndGive() {
    lock.lock();
    lock.unlock();
  }
}
