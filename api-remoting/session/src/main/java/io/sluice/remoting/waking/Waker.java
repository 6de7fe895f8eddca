package io.sluice.remoting.waking;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The waking of a session's thread, from any thread, also from those of the library, which may come
 * when the session and its descriptor are gone.
 */
public final class Waker implements Runnable, AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Kernel kernel;
  private final Fd eventfd;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * @param eventfd not blocking; stays the caller's, until {@link #close} at least
   */
  public Waker(Kernel kernel, Fd eventfd) {
    this.kernel = kernel;
    this.eventfd = eventfd;
  }

  @Override
  public void run() {
    lock.lock();
    try {
      if (!closed) {
        kernel.signal(eventfd);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Nobody is woken any more when this returns. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }
}
