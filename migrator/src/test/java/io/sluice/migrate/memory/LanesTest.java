package io.sluice.migrate.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A fork and its join. */
@Timeout(60)
final class LanesTest {
  /** Those that were made. */
  private final List<Thread> made = new CopyOnWriteArrayList<>();

  private final ThreadFactory threads =
      action -> {
        Thread thread = Thread.ofPlatform().daemon().unstarted(action);
        made.add(thread);
        return thread;
      };

  private static void meet(CyclicBarrier barrier) {
    try {
      int _ = barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until a thread that has been woken before has gone to sleep again. */
  private static void awaitAsleep(Thread thread) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> thread.getState() == Thread.State.WAITING);
  }

  @Test
  void lanes_none_areRefused() {
    assertThatThrownBy(() -> new Lanes(0, threads)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({"1,1", "2,1", "7,1", "8,2", "16,4", "64,8"})
  void usual_processors_isAQuarterOfThemWithinLimits(int processors, int lanes) {
    assertThat(Lanes.usual(processors)).isEqualTo(lanes);
  }

  @Test
  void run_moreSharesThanLanes_isRefused() {
    try (Lanes lanes = new Lanes(2, threads)) {
      assertThatThrownBy(() -> lanes.run(3, _ -> {})).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> lanes.run(0, _ -> {})).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void run_closed_isRefused() {
    Lanes lanes = new Lanes(2, threads);
    lanes.close();
    assertThatThrownBy(() -> lanes.run(2, _ -> {})).isInstanceOf(IllegalArgumentException.class);
    assertThat(made).isEmpty();
  }

  @Test
  void run_oneShare_isTheCallersAndTakesNoThread() {
    try (Lanes lanes = new Lanes(4, threads)) {
      Set<Thread> by = ConcurrentHashMap.newKeySet();
      lanes.run(1, _ -> by.add(Thread.currentThread()));
      assertThat(by).containsExactly(Thread.currentThread());
    }
    assertThat(made).isEmpty();
  }

  /** Each waits for all others: one after the other they would never end. */
  @Test
  void run_shares_areUnderWayAtTheSameTime() {
    try (Lanes lanes = new Lanes(4, threads)) {
      CyclicBarrier barrier = new CyclicBarrier(4);
      for (int round = 0; round < 100; round++) {
        Set<Integer> done = ConcurrentHashMap.newKeySet();
        lanes.run(
            4,
            share -> {
              meet(barrier);
              assertThat(done.add(share)).isTrue();
            });
        assertThat(done).containsExactlyInAnyOrder(0, 1, 2, 3);
      }
    }
    assertThat(made).hasSize(3);
  }

  @Test
  void run_fewerSharesThanBefore_doesThose() {
    try (Lanes lanes = new Lanes(4, threads)) {
      lanes.run(4, _ -> {});
      Set<Integer> done = ConcurrentHashMap.newKeySet();
      lanes.run(2, done::add);
      assertThat(done).containsExactlyInAnyOrder(0, 1);
    }
  }

  @Test
  void run_aShareFails_theOthersHaveEndedWhenTheCallerHears() {
    try (Lanes lanes = new Lanes(3, threads)) {
      for (int failing = 0; failing < 3; failing++) {
        int bad = failing;
        CountDownLatch failed = new CountDownLatch(1);
        Set<Integer> ended = ConcurrentHashMap.newKeySet();
        assertThatThrownBy(() ->
                lanes.run(
                    3,
                    share -> {
                      if (share == bad) {
                        failed.countDown();
                        throw new IllegalStateException("share " + share);
                      }
                      await(failed);
                      LockSupport.parkNanos(2_000_000);
                      ended.add(share);
                    }))
            .hasMessage("share " + bad);
        assertThat(ended).hasSize(2);
        lanes.run(3, ended::add); // and can be used again
        assertThat(ended).hasSize(3);
      }
    }
  }

  @Test
  void run_allSharesFail_theFirstIsThrownWithTheOthers() {
    try (Lanes lanes = new Lanes(3, threads)) {
      assertThatThrownBy(() ->
              lanes.run(
                  3,
                  share -> {
                    throw new IllegalStateException("share " + share);
                  }))
          .isInstanceOf(IllegalStateException.class)
          .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
    }
  }

  @Test
  void run_callerIsInterrupted_waitsAllTheSameAndStaysInterrupted() {
    try (Lanes lanes = new Lanes(2, threads)) {
      Set<Integer> done = ConcurrentHashMap.newKeySet();
      Thread self = Thread.currentThread();
      self.interrupt();
      lanes.run(
          2,
          share -> {
            if (share == 1) {
              awaitAsleep(self);
            }
            done.add(share);
          });
      assertThat(Thread.interrupted()).isTrue();
      assertThat(done).hasSize(2);
    }
  }

  /** Whoever drives sleeps until it is woken: a call that came during a run must not be lost. */
  @Test
  void run_callerIsWokenMeanwhile_doesNotSleepAfterIt() {
    try (Lanes lanes = new Lanes(2, threads)) {
      Thread self = Thread.currentThread();
      lanes.run(
          2,
          share -> {
            if (share == 1) {
              LockSupport.unpark(self);
              awaitAsleep(self);
            }
          });
      LockSupport.park(this);
    }
  }

  @Test
  void close_afterRuns_leavesNoThread() {
    Lanes lanes = new Lanes(4, threads);
    lanes.run(4, _ -> {});
    assertThat(made).hasSize(3).allMatch(Thread::isAlive);
    lanes.close();
    assertThat(made).hasSize(3).noneMatch(Thread::isAlive);
  }
}
