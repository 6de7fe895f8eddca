package io.sluice.daemon.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** When what guests share is looked at. Times in milliseconds. */
final class ShareLoopTest {
  private static final long MS = 1_000_000;

  private final Work work = new Work();
  private long nowNs = 5_000_000;
  private final ShareLoop loop = new ShareLoop(work, () -> nowNs);

  private static class Work implements ShareLoop.ShareDuties {
    int rebalances;
    final List<Long> heldUs = new ArrayList<>();
    Runnable beforeHeld = () -> {};
    Runnable afterHeld = () -> {};

    @Override
    public void rebalance(Runnable held) {
      rebalances++;
      beforeHeld.run();
      held.run();
      afterHeld.run();
    }

    @Override
    public void onHeld(long afterUs) {
      heldUs.add(afterUs);
    }
  }

  private long at(long ms) {
    return loop.doWork(ms * MS) / MS;
  }

  @Test
  void doWork_first_rebalances() {
    assertThat(at(5000)).isEqualTo(1000);
    assertThat(work.rebalances).isEqualTo(1);
  }

  @Test
  void doWork_nothingChanged_rebalancesOnceATick() {
    at(0);
    assertThat(at(400)).isEqualTo(600);
    assertThat(work.rebalances).isEqualTo(1);
    assertThat(at(1000)).isEqualTo(1000);
    assertThat(work.rebalances).isEqualTo(2);
  }

  @Test
  void doWork_change_rebalancesAtOnce() {
    at(0);
    loop.noteChange();
    assertThat(at(300)).isEqualTo(1000);
    assertThat(work.rebalances).isEqualTo(2);
  }

  @Test
  void doWork_thousandsOfChanges_haveOneRebalanceEachInterval() {
    at(0);
    for (int us = 0; us < 100_000; us += 10) {
      loop.noteChange();
      loop.doWork(us * 1000L);
    }
    assertThat(work.rebalances).isEqualTo(5);
    assertThat(at(99)).isEqualTo(1);
  }

  @Test
  void doWork_operatorsChange_isNotPutOff() {
    at(0);
    loop.noteChange();
    at(3);
    assertThat(work.rebalances).isEqualTo(1);
    loop.noteUrgentChange(nowNs);
    at(3);
    assertThat(work.rebalances).isEqualTo(2);
    assertThat(at(3)).as("once").isEqualTo(1000);
    assertThat(work.rebalances).isEqualTo(2);
  }

  @Test
  void doWork_changeDuringARebalance_hasAnother() {
    ShareLoop[] made = new ShareLoop[1];
    Work changing =
        new Work() {
          @Override
          public void rebalance(Runnable held) {
            super.rebalance(held);
            if (rebalances == 1) {
              made[0].noteChange();
            }
          }
        };
    made[0] = new ShareLoop(changing, () -> nowNs);
    assertThat(made[0].doWork(0)).isEqualTo(20 * MS);
    made[0].doWork(20 * MS);
    assertThat(changing.rebalances).isEqualTo(2);
  }

  @Test
  void awaitUrgentChanges_withoutAny_doesNotWait() throws InterruptedException {
    assertThat(loop.awaitUrgentChanges(Duration.ZERO)).isTrue();
  }

  @Test
  void awaitUrgentChanges_oneThatNobodyTakesUp_isNotHeld() throws InterruptedException {
    at(0);
    loop.noteUrgentChange(nowNs);
    assertThat(loop.awaitUrgentChanges(Duration.ofMillis(1))).isFalse();
    at(1);
    assertThat(loop.awaitUrgentChanges(Duration.ZERO)).isTrue();
  }

  @Test
  void awaitUrgentChanges_oneThatCameDuringARebalance_hasItsOwn() throws InterruptedException {
    ShareLoop[] made = new ShareLoop[1];
    Work changing =
        new Work() {
          @Override
          public void rebalance(Runnable held) {
            super.rebalance(held);
            if (rebalances == 1) {
              made[0].noteUrgentChange(nowNs);
            }
          }
        };
    made[0] = new ShareLoop(changing, () -> nowNs);
    assertThat(made[0].doWork(0)).isZero();
    assertThat(made[0].awaitUrgentChanges(Duration.ZERO)).isFalse();
    made[0].doWork(0);
    assertThat(made[0].awaitUrgentChanges(Duration.ZERO)).isTrue();
  }

  /** Channels that are to go on, say. */
  @Test
  void awaitUrgentChanges_rebalanceThatHasMoreToDo_isHeldBeforeItEnds()
      throws InterruptedException {
    ShareLoop[] made = new ShareLoop[1];
    boolean[] heldAmid = new boolean[2];
    Work slow =
        new Work() {
          @Override
          public void rebalance(Runnable held) {
            heldAmid[0] = isHeld(made[0]);
            super.rebalance(held);
            heldAmid[1] = isHeld(made[0]);
          }
        };
    made[0] = new ShareLoop(slow, () -> nowNs);
    made[0].noteUrgentChange(nowNs);
    made[0].doWork(0);
    assertThat(heldAmid).containsExactly(false, true);
  }

  private static boolean isHeld(ShareLoop loop) {
    try {
      return loop.awaitUrgentChanges(Duration.ZERO);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void awaitUrgentChanges_rebalanceThatFails_isNotHeld() throws InterruptedException {
    ShareLoop failing =
        new ShareLoop(
            new Work() {
              @Override
              public void rebalance(Runnable held) {
                throw new IllegalStateException("no");
              }
            },
            () -> nowNs);
    failing.noteUrgentChange(nowNs);
    assertThatThrownBy(() -> failing.doWork(0)).isInstanceOf(IllegalStateException.class);
    assertThat(failing.awaitUrgentChanges(Duration.ofMillis(1))).isFalse();
  }

  // ---- how long an operator's change takes ----

  @Test
  void onHeld_nobodyAsked_isNotTold() {
    at(0);
    assertThat(work.heldUs).isEmpty();
  }

  @Test
  void onHeld_severalAsked_isOfTheFirst() {
    loop.noteUrgentChange(nowNs);
    nowNs += MS;
    loop.noteUrgentChange(nowNs);
    nowNs += MS;
    work.beforeHeld = () -> nowNs += 500_000;
    work.afterHeld = () -> nowNs += 700_000; // channels go on
    at(0);
    assertThat(work.heldUs).containsExactly(2500L);
  }

  /** A rebalance says so when it ends, too. */
  @Test
  void onHeld_saidAgain_isOfTheFirstTime() {
    Work repeating =
        new Work() {
          @Override
          public void rebalance(Runnable held) {
            nowNs += 500_000;
            super.rebalance(held);
            nowNs += 700_000; // channels go on
            held.run();
          }
        };
    ShareLoop made = new ShareLoop(repeating, () -> nowNs);
    made.noteUrgentChange(nowNs);
    long _ = made.doWork(0);
    assertThat(repeating.heldUs).containsExactly(500L);
  }

  @Test
  void onHeld_rebalanceThatFails_isNotTold() {
    loop.noteUrgentChange(nowNs);
    work.beforeHeld =
        () -> {
          throw new IllegalStateException("no");
        };
    assertThatThrownBy(() -> at(0)).isInstanceOf(IllegalStateException.class);
    assertThat(work.heldUs).isEmpty();
  }

  /** It is no part of what is under way. */
  @Test
  void onHeld_askedMeanwhile_isOfTheNext() {
    loop.noteUrgentChange(nowNs);
    work.beforeHeld =
        () -> {
          nowNs += 100_000;
          loop.noteUrgentChange(nowNs);
        };
    at(0);
    assertThat(work.heldUs).containsExactly(100L);
    work.beforeHeld = () -> nowNs += 300_000;
    at(0);
    assertThat(work.heldUs).containsExactly(100L, 300L);
  }

  /** Somebody else wanted to move memory, and was let in between. */
  @Test
  void rebalance_thatLeavesTheRestForLater_isHadAgainAtOnceAndToldThen() throws Exception {
    ShareLoop[] made = new ShareLoop[1];
    Work yielding =
        new Work() {
          @Override
          public void rebalance(Runnable held) {
            if (rebalances++ > 0) {
              held.run();
            }
          }
        };
    made[0] = new ShareLoop(yielding, () -> nowNs);
    made[0].noteUrgentChange(nowNs);
    assertThat(made[0].doWork(0)).isZero();
    assertThat(made[0].awaitUrgentChanges(Duration.ZERO)).isFalse();
    nowNs += MS;
    assertThat(made[0].doWork(0)).isEqualTo(1000 * MS);
    assertThat(made[0].awaitUrgentChanges(Duration.ZERO)).isTrue();
    assertThat(yielding.heldUs).containsExactly(1000L);
  }

  /** Whatever is thrown: the thread goes on, and shares are looked at again. */
  @ParameterizedTest
  @MethodSource("thrown")
  void run_anythingThrown_goesOn(Throwable thrown) throws Exception {
    CountDownLatch again = new CountDownLatch(1);
    Work failing =
        new Work() {
          @Override
          public void rebalance(Runnable held) {
            if (rebalances++ == 0) {
              fail(thrown);
            }
            again.countDown();
          }
        };
    ShareLoop thread = new ShareLoop(failing, System::nanoTime);
    Thread running = Thread.ofPlatform().daemon().start(thread.thread());
    while (!again.await(10, TimeUnit.MILLISECONDS)) {
      thread.noteChange(); // whoever changes something need not wait for the pause to end
    }
    thread.stop();
    running.join();
    assertThat(failing.rebalances).isGreaterThan(1);
  }

  static Stream<Throwable> thrown() {
    return Stream.of(
        new OutOfMemoryError("injected"),
        new StackOverflowError("injected"),
        new InternalError("injected"),
        new AssertionError("injected"),
        new IllegalStateException("injected"));
  }

  private static void fail(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) thrown;
  }
}
