package io.sluice.testbed.attack;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Attacks by interrupts, whose receiver is the attacker's. */
final class InterruptAttacks {
  private static final int NON_STALL_INTERRUPT = 0x20;
  private static final int PENDING = 0x6000; // in BAR 1
  private static final int CHANNEL_VECTORS = 16;
  private static final int THREADS = 2; // more would fight for the eventfd among themselves
  private static final int MOST_ENTRIES = 20_000;
  private static final int WAIT_MS = 100;
  private static final long PAUSE_NS = 1_000_000;

  private InterruptAttacks() {}

  /**
   * Interrupts to an eventfd for which many wait: whoever signals it looks at each of them, a few
   * ten thousand.
   */
  static void waiters(Means means) {
    Kernel kernel = means.kernel();
    try (RawGuest guest = RawGuest.attach(kernel, means.socket());
        Fd eventfd = kernel.eventfd(0, Kernel.NONBLOCK)) {
      Fd[] vectors = new Fd[CHANNEL_VECTORS];
      Arrays.fill(vectors, eventfd);
      guest.interrupts(1, vectors);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        threads.add(Thread.ofPlatform().daemon().start(() -> await(means, eventfd)));
      }
      try {
        raise(means, guest);
      } finally {
        threads.forEach(InterruptAttacks::join);
      }
    }
  }

  /** Waits for the same descriptor in all entries of a {@code poll}, again and again. */
  private static void await(Means means, Fd eventfd) {
    int entries = (int) Math.min(MOST_ENTRIES, means.kernel().hostLimits().openFiles());
    List<Fd> fds = Collections.nCopies(entries, eventfd);
    short[] events = new short[entries];
    Arrays.fill(events, Kernel.POLLIN);
    short[] found = new short[entries];
    while (!means.over().getAsBoolean()) {
      if (means.kernel().poll(fds, events, found, WAIT_MS) > 0) {
        long _ = means.kernel().drain(eventfd);
      }
    }
  }

  private static void raise(Means means, RawGuest guest) {
    RawChannel channel = new RawChannel(guest, guest.space());
    long word = PENDING + channel.id / Integer.SIZE * (long) Integer.BYTES;
    while (!means.over().getAsBoolean()) {
      guest.bar(1).set(ValueLayout.JAVA_INT, word, 0); // so that the next one is signalled, too
      channel.submit(RawChannel.method(0, NON_STALL_INTERRUPT, 0));
      LockSupport.parkNanos(PAUSE_NS);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
