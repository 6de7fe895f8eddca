package io.sluice.channel.nvidia.rm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

final class OpenLockTest {
  private static final long MINUTE_NS = 60_000_000_000L;

  private final OpenLock lock = new OpenLock();
  private final AtomicBoolean ran = new AtomicBoolean();

  /** Another thread has the lock until a condition holds. */
  private Thread holdUntil(BooleanSupplier condition) throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    Thread holder =
        Thread.ofPlatform()
            .daemon()
            .start(() ->
                lock.run(() -> {
                  held.countDown();
                  while (!condition.getAsBoolean()) {
                    Thread.onSpinWait();
                  }
                }));
    held.await();
    return holder;
  }

  @Test
  void runIfFree_somebodyElseHasIt_doesNothing() throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    Thread holder = holdUntil(over::get);
    lock.runIfFree(() -> ran.set(true));
    assertThat(ran).isFalse();
    over.set(true);
    holder.join();
    lock.runIfFree(() -> ran.set(true));
    assertThat(ran).isTrue();
  }

  @Test
  void runIfFree_comesFreeWhileItIsWaitedFor_runs() throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    Thread self = Thread.currentThread();
    Thread holder = holdUntil(() -> over.get() || self.getState() == Thread.State.TIMED_WAITING);
    lock.runIfFree(MINUTE_NS, () -> ran.set(true));
    over.set(true);
    holder.join();
    assertThat(ran).isTrue();
  }

  @Test
  void runIfFree_doesNotComeFree_givesUp() throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    Thread holder = holdUntil(over::get);
    lock.runIfFree(1, () -> ran.set(true));
    over.set(true);
    holder.join();
    assertThat(ran).isFalse();
  }

  @Test
  void runIfFree_closed_doesNothing() {
    lock.close(() -> {}, () -> {});
    lock.runIfFree(MINUTE_NS, () -> ran.set(true));
    assertThat(ran).isFalse();
  }
}
