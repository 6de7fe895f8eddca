package io.sluice.vdevice.session;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The eventfd by which session hosts reach a guest, and the thread that carries it on as
 * interrupts. Made when it is first asked for; used under one lock.
 */
final class Notified implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Notified.class);

  /** Many times as long as the thread takes. */
  private static final Duration END_WAIT = Duration.ofSeconds(10);

  private record Waiting(Fd eventfd, Fd stop, Thread thread) {}

  private final Kernel kernel;
  private final ThreadFactory threads;
  private final Runnable interrupt;
  private @Nullable Waiting waiting;

  Notified(Kernel kernel, ThreadFactory threads, Runnable interrupt) {
    this.kernel = kernel;
    this.threads = threads;
    this.interrupt = interrupt;
  }

  /** What hosts signal; stays this object's. */
  Fd eventfd() {
    Waiting now = waiting;
    if (now == null) {
      Fd eventfd = kernel.eventfd(0, Kernel.NONBLOCK);
      Fd stop = kernel.eventfd(0, Kernel.NONBLOCK);
      now = new Waiting(eventfd, stop, threads.newThread(() -> carry(eventfd, stop)));
      waiting = now;
      now.thread().start();
    }
    return now.eventfd();
  }

  private void carry(Fd eventfd, Fd stop) {
    short[] wanted = {Kernel.POLLIN, Kernel.POLLIN};
    short[] found = new short[2];
    while (found[1] == 0) {
      int _ = kernel.poll(List.of(eventfd, stop), wanted, found, -1);
      if (found[0] != 0) {
        long _ = kernel.drain(eventfd);
        interrupt.run();
      }
    }
  }

  /** Ends the thread. A host that has made its descriptor block may keep it: it is given up. */
  @Override
  public void close() {
    Waiting now = waiting;
    if (now == null) {
      return;
    }
    waiting = null;
    kernel.signal(now.stop());
    boolean ended = false;
    try {
      ended = now.thread().join(END_WAIT);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    if (ended) {
      now.eventfd().close();
      now.stop().close();
    } else {
      LOG.warn("a session host keeps the thread of a guest's sessions; the thread is given up");
    }
  }
}
