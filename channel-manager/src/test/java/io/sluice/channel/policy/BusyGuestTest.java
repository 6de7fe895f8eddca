package io.sluice.channel.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.channel.Channel;
import io.sluice.channel.guest.GpuRig;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.Worker;
import io.sluice.channel.state.ChannelState;
import io.sluice.testbed.checks.StandIn;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A guest whose calls last, one behind the other, so that it is never found without one. */
final class BusyGuestTest {
  private static final long TICK_NS = Watchdog.LONGEST_TICK.toNanos();

  private final AtomicReference<SlowCall> slow = new AtomicReference<>();
  private final GpuRig rig = new GpuRig(this::slowly);
  private final Watchdog watchdog = new Watchdog();
  private long nowNs;

  /** An allocation that ends when it is told to. */
  private final class SlowCall {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);
    final FutureTask<Long> call;

    SlowCall(Guest guest) throws InterruptedException {
      call = new FutureTask<>(() -> guest.buffers().allocate(0, 0, 0, 4096).sizeBytes());
      slow.set(this);
      Thread.ofPlatform().daemon().start(call);
      begun.await();
    }

    void end() throws Exception {
      slow.set(null);
      released.countDown();
      assertThat(call.get()).isEqualTo(4096);
    }
  }

  private DrmDevice slowly(DrmDevice device) {
    return StandIn.of(
        DrmDevice.class,
        device,
        call -> {
          SlowCall current = slow.get();
          if (current != null
              && call.is("ioctl")
              && call.argument(0, Integer.class) == PscnvIoctl.GEM_NEW.request()) {
            current.begun.countDown();
            current.released.await();
          }
          return call.pass();
        });
  }

  @AfterEach
  void close() throws Exception {
    SlowCall last = slow.getAndSet(null);
    if (last != null) {
      last.released.countDown();
    }
    rig.close();
  }

  /** Another guest, which always has something to be done. */
  private record Waiting() implements Watchdog.Watched {
    @Override
    public String name() {
      return "waiting";
    }

    @Override
    public Optional<Map<Integer, Channel.Status>> channels() {
      return Optional.of(
          Map.of(
              1,
              new Channel.Status(
                  ChannelState.RUNNING,
                  Channel.Status.Cause.NONE,
                  new Channel.Status.Progress(0, 1, false, false, 0),
                  Channel.Status.Usage.NONE)));
    }

    @Override
    public void kill(int channelId, int info, Predicate<Channel.Status> asFound, Runnable counted) {
      throw new AssertionError("it is no offender");
    }
  }

  private Worker attach(String name) {
    Guest guest = rig.attach(name);
    watchdog.add(guest);
    return new Worker(rig, guest, guest.spaces().create()).start();
  }

  private int observe() {
    nowNs += TICK_NS;
    return watchdog.doWork(nowNs);
  }

  /** A command that never ends, long past its limit while nobody else waits. */
  private void acquireForEver(Worker worker) {
    long va = worker.spareVa().value();
    worker.submit(Worker.SEMAPHORE, (int) (va >>> 32), (int) va, 1, Worker.ACQUIRE);
    rig.run();
    for (long ns = 0; ns < 20 * Watchdog.DEFAULT_LIMIT.toNanos(); ns += TICK_NS) {
      rig.run(); // the engine looks at it
      assertThat(observe()).isZero();
    }
  }

  @Test
  void offender_neverWithoutACall_isEndedByItsOwnThread() throws Exception {
    Worker offender = attach("offender");
    acquireForEver(offender);
    watchdog.add(new Waiting());
    Guest guest = offender.guest;

    SlowCall first = new SlowCall(guest);
    assertThat(observe() + observe()).isZero();
    first.end();
    SlowCall second = new SlowCall(guest);
    assertThat(observe()).as("its thread has looked, and is to end it").isZero();
    assertThat(watchdog.counters("offender")).isEqualTo(Watchdog.WatchdogCounters.NONE);
    second.end();

    assertThat(watchdog.counters("offender").kills()).isEqualTo(1);
    assertThat(guest.channels().query(offender.cid).cause().reason())
        .isEqualTo(GuestAbi.ERROR_TIMEOUT);
    SlowCall third = new SlowCall(guest);
    assertThat(observe()).isEqualTo(1);
    third.end();
  }

  @Test
  void lookSoon_duringACall_isThatOfItsEnd() throws Exception {
    Worker worker = attach("a");
    Guest guest = worker.guest;
    SlowCall call = new SlowCall(guest);
    assertThat(guest.channels().lookSoon(Duration.ZERO)).isEmpty();
    assertThat(guest.channels().progressSoon(Duration.ZERO)).isEmpty();
    call.end();
    SlowCall next = new SlowCall(guest);
    assertThat(guest.channels().lookSoon(Duration.ZERO).orElseThrow()).containsOnlyKeys(worker.cid);
    assertThat(guest.channels().progressSoon(Duration.ZERO)).isPresent();
    next.end();
    int another = guest.channels().create(worker.vid);
    assertThat(guest.channels().lookSoon(Duration.ZERO).orElseThrow())
        .as("not what was found before")
        .containsOnlyKeys(worker.cid, another);
  }
}
