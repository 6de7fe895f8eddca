package io.sluice.gpu;

import static io.sluice.gpu.Words.increasing;
import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtChanControl;
import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.abi.sys.ThreadUse;
import io.sluice.testbed.checks.StandIn;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * An engine that one guest keeps in the kernel, here where an interrupt is told: the other guests
 * have their calls answered and their channels served, and it goes on where it was.
 */
final class HeldUpEngineTest {
  private static final int REFERENCE = 0x50;
  private static final long LONG_NS = 20_000_000;

  private final AtomicBoolean holds = new AtomicBoolean();
  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch mayGoOn = new CountDownLatch(1);
  private final AtomicInteger works = new AtomicInteger();
  private final AtomicInteger worksApart = new AtomicInteger();
  private final AtomicBoolean slow = new AtomicBoolean();
  private volatile ThreadUse use = ThreadUse.NONE;
  private final Kernel real = RealKernel.create();
  private volatile long nowNs = 1_000_000;
  private final SoftwareGpu gpu =
      new SoftwareGpu(
          StandIn.of(
              Kernel.class,
              real,
              call -> {
                if (call.is("signal") && holds.compareAndSet(true, false)) {
                  held.countDown();
                  mayGoOn.await();
                }
                return call.pass();
              }),
          new GpuConfig(Rig.VRAM_BYTES, Rig.SYSTEM_BYTES, 0),
          new GpuClocks(this::now, () -> nowNs, () -> use),
          new IdleStrategy() {
            @Override
            public void idle(long ns) {}

            @Override
            public void wake() {}

            @Override
            public void working(boolean apart) {
              int _ = (apart ? worksApart : works).incrementAndGet();
            }
          },
          Runnable::run,
          1);
  private final Client holder = new Client(real, gpu.open());
  private final GuestChannel held1 = holder.channel(holder.vspaceNew());
  private final Client other = new Client(real, gpu.open());

  @AfterEach
  void close() {
    mayGoOn.countDown();
    holder.close();
    other.close();
    gpu.close();
  }

  /** GPU time; what is to be slow has slept for a page when the time is looked at next. */
  private long now() {
    if (slow.getAndSet(false)) {
      nowNs += 1_000_000; // by the one thread that runs
      use = new ThreadUse(use.pageFaults() + 1, use.sleeps() + 1, 0);
    }
    return nowNs;
  }

  private int cycle() {
    nowNs += Rig.CYCLE_NS;
    return gpu.engine().doWork(nowNs);
  }

  private void run() {
    while (cycle() > 0) {}
  }

  /** Another thread runs the engine until it stands where the first guest's interrupt is told. */
  private CompletableFuture<Integer> holdUp() throws InterruptedException {
    held1.submit(
        join(new int[] {increasing(0, 0x20, 1), 0}, one(0, REFERENCE, 4))); // NON_STALL_INTERRUPT
    holds.set(true);
    nowNs += Rig.CYCLE_NS;
    long then = nowNs;
    CompletableFuture<Integer> answer =
        CompletableFuture.supplyAsync(() -> gpu.engine().doWork(then), Thread.ofPlatform()::start);
    held.await();
    return answer;
  }

  @Test
  void calls_ofAnotherOpen_areAnsweredMeanwhile() throws Exception {
    CompletableFuture<Integer> working = holdUp();

    GuestChannel channel = other.channel(other.vspaceNew());

    assertThat(channel.state()).isEqualTo(GuestAbi.CHANNEL_RUNNING);
    assertThat(working).isNotDone();
    assertThat(held1.gpGet()).isZero();
  }

  @Test
  void calls_ofTheSameOpen_waitUntilItIsOut() throws Exception {
    CompletableFuture<Integer> working = holdUp();

    CompletableFuture<Integer> call =
        CompletableFuture.supplyAsync(holder::vspaceNew, Thread.ofPlatform()::start);
    assertThat(gpu.engine().doWork(nowNs)).as("a second thread, unasked").isZero();
    assertThat(call).isNotDone();
    mayGoOn.countDown();

    assertThat(call.get()).isPositive();
    assertThat(working.get()).isEqualTo(1);
  }

  /** Whoever looks at all guests is not kept by one, and is told nothing that is not so. */
  @Test
  void query_ofAChannelThatHoldsItUp_saysHowItWasAndNotThatItIsDrained() throws Exception {
    assertThat(ExtChanQuery.FLAGS.bits(held1.query())).isEqualTo(ExtChanQuery.DRAINED);
    CompletableFuture<Integer> working = holdUp();

    MemorySegment answer = held1.query();

    assertThat(working).isNotDone();
    assertThat(ExtChanQuery.STATE.bits(answer)).isEqualTo(GuestAbi.CHANNEL_RUNNING);
    assertThat(ExtChanQuery.FLAGS.bits(answer)).isZero();
    mayGoOn.countDown();
    working.join();
    run();
    assertThat(ExtChanQuery.ENTRIES.get(held1.query())).isEqualTo(1);
  }

  /** The watchdog serves all guests: it is told that the channel has ended, and it does. */
  @Test
  void kill_ofAChannelThatHoldsItUp_doesNotWaitAndEndsIt() throws Exception {
    CompletableFuture<Integer> working = holdUp();

    holder.control(held1.cid, ExtChanControl.KILL, GuestAbi.ERROR_TIMEOUT, 7);
    holder.control(held1.cid, ExtChanControl.KILL, GuestAbi.ERROR_OPERATOR, 8);

    assertThat(working).isNotDone();
    assertEnded(7);
    mayGoOn.countDown();
    working.join();
    assertEnded(7);
    held1.submit(one(0, REFERENCE, 9));
    run();
    assertThat(held1.reference()).isNotEqualTo(9);
  }

  private void assertEnded(int info) {
    assertThat(held1.state()).isEqualTo(GuestAbi.CHANNEL_DEAD);
    assertThat(held1.reason()).isEqualTo(GuestAbi.ERROR_TIMEOUT);
    assertThat(held1.info()).isEqualTo(info);
  }

  @Test
  void suspend_ofAChannelThatHoldsItUp_waitsUntilItIsOut() throws Exception {
    CompletableFuture<Integer> working = holdUp();
    CompletableFuture<Void> call =
        CompletableFuture.runAsync(
            () -> holder.control(held1.cid, ExtChanControl.SUSPEND), Thread.ofPlatform()::start);
    assertThat(held1.state()).as("a look does not wait").isEqualTo(GuestAbi.CHANNEL_NEW);
    assertThat(call).isNotDone();
    mayGoOn.countDown();
    call.get();
    assertThat(working.get()).isEqualTo(1);
    assertThat(held1.state()).isEqualTo(GuestAbi.CHANNEL_SUSPENDED);
  }

  @Test
  void query_ofAChannelThatWasNeverAsked_isNew() throws Exception {
    CompletableFuture<Integer> working = holdUp();
    assertThat(held1.state()).isEqualTo(GuestAbi.CHANNEL_NEW);
    assertThat(working).isNotDone();
  }

  @Test
  void relieve_soonOrAlone_isRefused() throws Exception {
    CompletableFuture<Integer> working = holdUp();
    long began = nowNs;

    assertThat(gpu.engine().relieve(began + LONG_NS)).as("nobody else is there").isFalse();
    GuestChannel channel = other.channel(other.vspaceNew());
    assertThat(gpu.engine().relieve(began + 1_000_000)).as("a slice may take so long").isFalse();
    assertThat(gpu.engine().relieve(began + LONG_NS)).isTrue();

    channel.submit(one(0, REFERENCE, 5));
    run();
    assertThat(channel.reference()).isEqualTo(5);
    assertThat(working).isNotDone();
  }

  @Test
  void relieved_comesBack_isToldAndItsChannelGoesOn() throws Exception {
    GuestChannel channel = other.channel(other.vspaceNew());
    CompletableFuture<Integer> working = holdUp();
    nowNs += LONG_NS;
    assertThat(gpu.engine().relieve(nowNs)).isTrue();
    run();
    assertThat(held1.reference()).as("nobody else is at it").isZero();

    mayGoOn.countDown();

    assertThat(working.get()).isEqualTo(GpuEngine.SUPERSEDED);
    run();
    assertThat(held1.reference()).isEqualTo(4);
    channel.submit(one(0, REFERENCE, 5));
    run();
    assertThat(channel.reference()).isEqualTo(5);
    assertThat(works.get()).isPositive();
  }

  @Test
  void open_thatHoldsItUp_isClosedWhenItIsOut() throws Exception {
    GuestChannel channel = other.channel(other.vspaceNew());
    CompletableFuture<Integer> working = holdUp();
    nowNs += LONG_NS;
    assertThat(gpu.engine().relieve(nowNs)).isTrue();
    CompletableFuture<Void> closing =
        CompletableFuture.runAsync(holder::close, Thread.ofPlatform()::start);
    channel.submit(one(0, REFERENCE, 5));
    run();
    assertThat(channel.reference()).isEqualTo(5);
    assertThat(closing).isNotDone();

    mayGoOn.countDown();

    closing.get();
    assertThat(working.get()).isEqualTo(GpuEngine.SUPERSEDED);
    run();
    channel.submit(one(0, REFERENCE, 6));
    run();
    assertThat(channel.reference()).isEqualTo(6);
  }

  private void work() {
    held1.submit(one(0, REFERENCE, 3));
    run();
  }

  /** The first is known to have taken long, of the others it is known why. */
  private void sleepForPages() {
    for (int i = 0; i < 5; i++) {
      slow.set(true);
      work();
      assertThat(slow).isFalse();
    }
  }

  /** What its memory has cost the others a few times, it does not cost them again. */
  @Test
  void open_whoseMemoryHadTheEngineSleep_isServedApart() throws Exception {
    GuestChannel channel = other.channel(other.vspaceNew());
    sleepForPages();
    assertThat(worksApart).hasValue(0);

    CompletableFuture<Integer> working = holdUp();

    assertThat(worksApart).hasValue(1);
    assertThat(gpu.engine().relieve(nowNs + 100_000)).as("a turn may take so long").isFalse();
    assertThat(gpu.engine().relieve(nowNs + 300_000)).isTrue();
    channel.submit(one(0, REFERENCE, 5));
    run();
    assertThat(channel.reference()).isEqualTo(5);
    mayGoOn.countDown();
    assertThat(working.get()).isEqualTo(GpuEngine.SUPERSEDED);
    run();
    assertThat(held1.reference()).isEqualTo(4);
  }

  @Test
  void open_thatIsServedApart_isNoMoreAfterAWhile() {
    GuestChannel _ = other.channel(other.vspaceNew());
    sleepForPages();
    work();
    assertThat(worksApart.getAndSet(0)).isPositive();

    nowNs += 60_000_000_000L; // by the one thread that runs
    work();

    assertThat(worksApart).hasValue(0);
  }

  @Test
  void open_whoseMemoryHadTheEngineSleep_isServedAsBeforeWhileItIsAlone() {
    sleepForPages();
    work();
    assertThat(worksApart).hasValue(0);
  }
}
