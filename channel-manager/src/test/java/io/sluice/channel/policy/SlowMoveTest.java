package io.sluice.channel.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.Refusals;
import io.sluice.channel.guest.GpuRig;
import io.sluice.channel.guest.Guest;
import io.sluice.quota.Quota;
import io.sluice.testbed.checks.StandIn;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory that takes its time to move, or to be allocated: nobody but its guest waits for that. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SlowMoveTest {
  private static final long MIB = 1 << 20;

  private final AtomicInteger slow = new AtomicInteger(-1); // the request that waits
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final AtomicInteger changes = new AtomicInteger();
  private final GpuRig rig = new GpuRig(this::slow);
  private final MemoryQuotas quotas =
      new MemoryQuotas(
          GpuRig.VRAM_BYTES, System::nanoTime, changes::incrementAndGet, new QuotaListener() {});

  /** A device that does what it is slow at when it is told to. */
  private DrmDevice slow(DrmDevice device) {
    return StandIn.of(
        DrmDevice.class,
        device,
        call -> {
          if (call.is("ioctl") && slow.compareAndSet(call.argument(0, Integer.class), -1)) {
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

  private Guest attach(String name) {
    Guest guest = rig.attach(name);
    GpuRig.admit(quotas, name, Quota.DEFAULT);
    quotas.attach(guest);
    return guest;
  }

  /** Work of another thread. */
  private static final class Work<T> {
    private final FutureTask<T> work;
    private final Thread thread;

    Work(Callable<T> action) {
      work = new FutureTask<>(action);
      thread = Thread.ofPlatform().daemon().start(work);
    }

    T result() throws Exception {
      return work.get();
    }

    void awaitWaiting() {
      while (thread.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void rebalance_thatLasts_keepsNobodyFromTheQuotas() throws Exception {
    Guest a = attach("a");
    for (int i = 0; i < 3; i++) {
      a.buffers().allocate(0, 0, 0, 8 * MIB);
    }
    Guest b = attach("b");
    b.spaces().create();
    slow.set(PscnvIoctl.GEM_POOL.request());
    Work<Moves> moving = new Work<>(quotas::rebalance);
    begun.await();

    assertThat(b.buffers().allocate(0, 0, 0, 8 * MIB).sizeBytes()).isEqualTo(8 * MIB);
    assertThat(quotas.programs("b").take(MIB)).isTrue();
    Guest c = attach("c");
    assertThat(quotas.use("a").usesGpu()).isTrue();
    assertThat(quotas.use("b").videoBytes()).isEqualTo(9 * MIB);
    assertThat(quotas.counters("a")).isEqualTo(QuotaCounters.NONE);
    assertThat(a.channels().lookSoon(Duration.ZERO)).as("it moves").isEmpty();
    quotas.detach(c);
    c.close();
    quotas.remove("c");

    released.countDown();
    assertThat(moving.result()).isEqualTo(new Moves(1, 0));
    assertThat(quotas.counters("a").evictions()).isEqualTo(1);
  }

  @Test
  void rebalance_whenAnotherThreadWaits_letsItInBetweenTwoGuests() throws Exception {
    for (String name : new String[] {"a", "b"}) {
      Guest guest = attach(name);
      guest.buffers().allocate(0, 0, 0, 8 * MIB);
      guest.buffers().allocate(0, 0, 0, 8 * MIB);
    }
    attach("c").spaces().create();
    AtomicInteger heldFirst = new AtomicInteger();
    slow.set(PscnvIoctl.GEM_POOL.request());
    Work<Moves> first = new Work<>(() -> quotas.rebalance(heldFirst::incrementAndGet));
    begun.await();
    AtomicInteger heldNext = new AtomicInteger();
    Work<Moves> next = new Work<>(() -> quotas.rebalance(heldNext::incrementAndGet));
    next.awaitWaiting();
    int before = changes.get();

    released.countDown();
    assertThat(first.result()).isEqualTo(new Moves(1, 0));
    assertThat(next.result()).isEqualTo(new Moves(1, 0));
    assertThat(heldFirst).as("b was not kept to its share").hasValue(0);
    assertThat(heldNext).hasPositiveValue();
    assertThat(changes.get()).as("another rebalance is due").isGreaterThan(before);
  }

  /** Whoever wants the room has all of it made, though another thread waits. */
  @Test
  void take_whenAnotherThreadWaits_hasAllMovedFirst() throws Exception {
    for (String name : new String[] {"a", "b"}) {
      Guest guest = attach(name);
      guest.buffers().allocate(0, 0, 0, 8 * MIB);
      guest.buffers().allocate(0, 0, 0, 8 * MIB);
    }
    attach("c");
    MemoryBudget programs = quotas.programs("c");
    slow.set(PscnvIoctl.GEM_POOL.request());
    Work<Long> taking =
        new Work<>(() -> programs.take(10 * MIB) ? quotas.use("b").videoBytes() : -1L);
    begun.await();
    Work<Moves> next = new Work<>(quotas::rebalance);
    next.awaitWaiting();

    released.countDown();
    assertThat(taking.result()).isEqualTo(8 * MIB);
    assertThat(next.result()).isEqualTo(new Moves(0, 0));
  }

  @Test
  void take_whileAnAllocationOfTheGuestLasts_countsItAndDoesNotWait() throws Exception {
    Guest a = attach("a");
    MemoryBudget programs = quotas.programs("a");
    slow.set(PscnvIoctl.GEM_NEW.request());
    Work<Long> allocating = new Work<>(() -> a.buffers().allocate(0, 0, 0, 8 * MIB).sizeBytes());
    begun.await();

    assertThat(programs.take(25 * MIB)).as("beside 8 MiB that are being allocated").isFalse();
    assertThat(programs.take(24 * MIB)).isTrue();
    assertThat(a.buffers().limitBytes()).isEqualTo(8 * MIB);

    released.countDown();
    assertThat(allocating.result()).isEqualTo(8 * MIB);
    assertThat(quotas.use("a").videoBytes()).isEqualTo(32 * MIB);
  }

  /** Whoever reaches the limit after it has fallen is refused, though it began before. */
  @Test
  void allocate_thatFails_leavesNothingClaimed() {
    Guest a = attach("a");
    assertThat(a.buffers().keepTo(4 * MIB)).isTrue();
    Refusals.assertRefused(Errno.ENOMEM, () -> a.buffers().allocate(0, 0, 0, 33 * MIB));
    assertThat(a.buffers().keepTo(0)).isTrue();
    a.buffers().setLimit(4 * MIB);
    a.buffers().allocate(0, 0, 0, 4 * MIB);
    assertThat(a.buffers().keepTo(4 * MIB - 1)).isFalse();
    assertThat(a.buffers().keepTo(4 * MIB)).isTrue();
  }
}
