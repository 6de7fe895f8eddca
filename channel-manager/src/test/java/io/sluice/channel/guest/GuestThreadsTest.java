package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A guest used by several threads at once, and closed in the middle of it. */
@ExtendWith(Seeds.class)
final class GuestThreadsTest {
  private static final int CALLERS = 3;
  private static final int STEPS = 3000;

  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  private Thread start(Runnable work) {
    return Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            work.run();
          } catch (Throwable t) {
            failure.compareAndSet(null, t);
          }
        });
  }

  @Test
  void close_whileThreadsCallAndEventsCome_returnsEverything(RandomGenerator random)
      throws Exception {
    try (GpuRig rig = new GpuRig();
        Fd eventfd = rig.kernel.eventfd(0, Kernel.NONBLOCK);
        Fd bitmap = rig.kernel.memfdCreate("bitmap", 4096)) {
      Guest watcher = rig.attach("watcher");
      long free = watcher.buffers().usage().vramFreeBytes();
      Guest guest = rig.attach("busy");
      guest.channels().setPendingBitmap(bitmap, 0, 4096);
      AtomicBoolean done = new AtomicBoolean();
      CountDownLatch half = new CountDownLatch(CALLERS);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        RandomGenerator own = Seeds.generator(random.nextLong());
        threads.add(start(() -> call(guest, own, eventfd, half)));
      }
      threads.add(
          start(() -> {
            while (!done.get()) {
              guest.dispatchEvents();
            }
          }));
      Thread engine =
          start(() -> {
            while (!done.get()) {
              rig.run();
            }
          });
      half.await();
      guest.close();
      done.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      engine.join();
      assertThat(failure.get()).isNull();
      assertThat(watcher.buffers().usage().vramFreeBytes()).isEqualTo(free);
      int vid = watcher.spaces().create();
      for (int i = 0; i < 126; i++) {
        watcher.channels().create(vid);
      }
    }
  }

  private static void call(Guest guest, RandomGenerator random, Fd eventfd, CountDownLatch half) {
    for (int i = 0; i < STEPS; i++) {
      if (i == STEPS / 2) {
        half.countDown();
      }
      try {
        step(guest, random, eventfd);
      } catch (RefusedException expected) {
        // What another thread did in between, or the end.
      }
    }
  }

  private static void step(Guest guest, RandomGenerator random, Fd eventfd) {
    int id = random.nextInt(6);
    GpuVa at = new GpuVa(Worker.LOW.value() + (random.nextInt(16) << 12));
    switch (random.nextInt(12)) {
      case 0 -> guest.buffers().allocate(0, 0, 0, random.nextInt(1, 100_000));
      case 1 -> guest.buffers().free(id);
      case 2 -> guest.spaces().create();
      case 3 -> guest.spaces().free(id);
      case 4 -> guest.spaces().map(id, random.nextInt(6), Worker.LOW, Worker.HIGH, false);
      case 5 -> guest.spaces().unmap(id, at);
      case 6 -> guest.channels().create(id);
      case 7 -> guest.channels().free(id);
      case 8 -> guest.channels().start(id, at, 4, 1);
      case 9 -> guest.channels().kill(id, 14, 0);
      case 10 -> guest.channels().setInterruptTarget(id, random.nextBoolean() ? eventfd : null);
      default -> guest.channels().query(id);
    }
  }
}
