package io.sluice.interrupt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.guest.EventSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class InterruptForwarderTest {
  private final Kernel kernel = RealKernel.create();
  private final AtomicLong nowNs = new AtomicLong();
  private final List<EventSource> failed = new ArrayList<>();
  private final List<Source> sources = new ArrayList<>();
  private final InterruptForwarder forwarder =
      new InterruptForwarder(kernel, nowNs::get, 0, (source, _) -> failed.add(source));

  @AfterEach
  void close() {
    forwarder.close();
    sources.forEach(source -> source.fd.close());
  }

  private Source source() {
    Source source = new Source(kernel);
    sources.add(source);
    return source;
  }

  /** A guest that has as many events as its eventfd counts. */
  private static final class Source implements EventSource {
    final Kernel kernel;
    final Fd fd;
    int dispatched;
    boolean broken;
    Runnable then = () -> {};
    Runnable before = () -> {};

    Source(Kernel kernel) {
      this.kernel = kernel;
      fd = kernel.eventfd(0, Kernel.NONBLOCK);
    }

    @Override
    public Fd events() {
      return fd;
    }

    @Override
    public int dispatchEvents() {
      if (broken) {
        throw new IllegalStateException("broken");
      }
      before.run();
      int count = (int) kernel.drain(fd);
      dispatched += count;
      then.run();
      return count;
    }
  }

  @Test
  void doWork_nothingHappened_dispatchesNothing() {
    Source source = source();
    forwarder.add(source);
    assertThat(forwarder.doWork()).isZero();
    assertThat(source.dispatched).isZero();
  }

  @Test
  void doWork_eventsOfSome_dispatchesThoseOnly() {
    Source quiet = source();
    Source busy = source();
    forwarder.add(quiet);
    forwarder.add(busy);
    kernel.signal(busy.fd);
    kernel.signal(busy.fd);
    assertThat(forwarder.doWork()).isEqualTo(2);
    assertThat(busy.dispatched).isEqualTo(2);
    assertThat(quiet.dispatched).isZero();
    assertThat(forwarder.events()).isEqualTo(2);
  }

  @Test
  void doWork_sourceFails_isLeftOutAndTheOthersGoOn() {
    Source bad = source();
    Source good = source();
    bad.broken = true;
    forwarder.add(bad);
    forwarder.add(good);
    kernel.signal(bad.fd);
    kernel.signal(good.fd);
    assertThat(forwarder.doWork()).isEqualTo(1);
    assertThat(failed).containsExactly(bad);
    kernel.signal(good.fd);
    assertThat(forwarder.doWork()).isEqualTo(1);
    assertThat(failed).hasSize(1);
    forwarder.remove(bad);
  }

  @Test
  void add_moreThanTheLimit_throws() {
    Source source = source();
    for (int i = 0; i < InterruptForwarder.MAX_SOURCES; i++) {
      forwarder.add(source);
    }
    assertThatThrownBy(() -> forwarder.add(source)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void remove_source_isNotDispatchedAnyMore() {
    Source source = source();
    forwarder.add(source);
    forwarder.doWork();
    forwarder.remove(source);
    kernel.signal(source.fd);
    assertThat(forwarder.doWork()).isZero();
    assertThat(source.dispatched).isZero();
  }

  @Test
  void run_onItsThread_dispatchesWhatIsAddedMeanwhileUntilClosed() throws Exception {
    Thread runner = Thread.ofPlatform().daemon().start(forwarder);
    SynchronousQueue<Integer> told = new SynchronousQueue<>();
    Source source = source();
    source.then =
        () -> {
          try {
            told.put(source.dispatched);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    forwarder.add(source);
    for (int i = 1; i <= 100; i++) {
      kernel.signal(source.fd);
      assertThat(told.take()).isEqualTo(i);
    }
    forwarder.close();
    runner.join();
    assertThat(forwarder.events()).isEqualTo(100);
  }

  @Test
  void remove_whileItRuns_returnsWhenTheSourceIsUsedNoMore() throws Exception {
    Thread runner = Thread.ofPlatform().daemon().start(forwarder);
    AtomicBoolean gone = new AtomicBoolean();
    AtomicBoolean usedAfter = new AtomicBoolean();
    for (int i = 0; i < 200; i++) {
      gone.set(false);
      Source source = source();
      source.then = () -> usedAfter.compareAndSet(false, gone.get());
      forwarder.add(source);
      kernel.signal(source.fd);
      forwarder.remove(source);
      gone.set(true);
      source.fd.close();
    }
    forwarder.close();
    runner.join();
    assertThat(usedAfter).isFalse();
    assertThat(failed).isEmpty();
  }

  @Test
  void run_twiceAtATime_throws() throws Exception {
    Thread runner = Thread.ofPlatform().daemon().start(forwarder);
    Source source = source();
    forwarder.add(source);
    forwarder.remove(source);
    while (forwarder.waits() == 0) {
      Thread.onSpinWait();
    }
    assertThatThrownBy(forwarder::doWork).isInstanceOf(IllegalStateException.class);
    forwarder.close();
    runner.join();
  }

  @Test
  void run_withASpin_pollsOnAfterAnEvent() throws Exception {
    InterruptForwarder spinning =
        new InterruptForwarder(kernel, nowNs::get, 1000, (source, _) -> failed.add(source));
    Source source = source();
    spinning.add(source);
    Thread runner = Thread.ofPlatform().daemon().start(spinning);
    kernel.signal(source.fd);
    while (spinning.events() == 0) {
      Thread.onSpinWait();
    }
    long waits = spinning.waits();
    while (spinning.waits() < waits + 100) {
      Thread.onSpinWait(); // without any event
    }
    spinning.close();
    runner.join();
  }

  @Test
  void close_neverRun_givesItsDescriptorBack() {
    InterruptForwarder never = new InterruptForwarder(kernel, nowNs::get, 0, (_, _) -> {});
    never.close();
    never.close();
    assertThat(never.doWork()).isZero();
  }

  /** The host has no memory for a moment: the thread goes on, and the guest has its interrupts. */
  @Test
  void run_errorsOfTheHost_areSurvivedAndNothingIsLost() throws Exception {
    Source source = source();
    AtomicInteger left = new AtomicInteger(3);
    CountDownLatch served = new CountDownLatch(1);
    source.before =
        () -> {
          if (left.getAndDecrement() > 0) {
            throw new OutOfMemoryError("injected");
          }
        };
    source.then = served::countDown;
    forwarder.add(source);
    Thread thread = Thread.ofPlatform().daemon().start(forwarder);
    kernel.signal(source.fd);
    served.await();
    assertThat(forwarder.failures()).isEqualTo(3);
    assertThat(failed).isEmpty();
    forwarder.close();
    thread.join();
    assertThat(source.dispatched).isEqualTo(1);
  }

  /** An error that stays ends with the guest's interrupts, and no one else's. */
  @Test
  void doWork_errorOfTheHostThatStays_leavesTheSourceOut() {
    Source broken = source();
    Source other = source();
    broken.before =
        () -> {
          throw new InternalError("injected");
        };
    forwarder.add(broken);
    forwarder.add(other);
    kernel.signal(broken.fd);
    for (int i = 1; i < InterruptForwarder.MOST_HOST_FAILURES; i++) {
      assertThatThrownBy(forwarder::doWork).isInstanceOf(InternalError.class);
    }
    assertThat(forwarder.doWork()).isZero();
    assertThat(failed).containsExactly(broken);
    kernel.signal(other.fd);
    assertThat(forwarder.doWork()).isEqualTo(1);
  }
}
