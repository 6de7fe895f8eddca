package io.sluice.vdevice;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdCustody;
import io.sluice.abi.sys.Kernel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The descriptors that one guest's clients, programs or session hosts have sent, their sockets, in
 * which more may be under way, and the sockets at which they connect, where whole connections may
 * be: how they are closed. Closing one can last as long as the client likes (a socket that lingers,
 * a file of a file system that the client serves), so a thread does it that nobody waits for, and
 * that holds no lock meanwhile.
 *
 * <p>Whoever owns such a descriptor closes it as any other. The thread begins with the first; when
 * it cannot be started, the next one tries again. Who has more than {@link #MOST_WAITING} that wait
 * is not served, and not admitted, until they are fewer; nor is it turned away beyond {@link
 * #MOST_TURNED_AWAY}, since that leaves a connection here: it waits to be accepted.
 */
public final class ForeignFds implements FdCustody, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ForeignFds.class);

  /** Descriptors that may wait while their client goes on. */
  public static final int MOST_WAITING = 32;

  /** Descriptors that may wait while others are turned away. */
  public static final int MOST_TURNED_AWAY = 2 * MOST_WAITING;

  /** How long who sends descriptors is kept until there is room. */
  private static final Duration ROOM_WAIT = Duration.ofSeconds(10);

  /** The thread that closes descriptors. */
  private enum Closer {
    /** There is none. */
    NONE,
    /** It waits for one, or takes the next. */
    READY,
    /** It is in the closing of one. */
    CLOSING
  }

  private final Kernel kernel;
  private final String guest;
  private final ThreadFactory threads;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private final Deque<Fd> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private Closer closer = Closer.NONE;

  @GuardedBy("lock")
  private boolean closed; // no more will come

  /**
   * @param guest its name
   * @param threads makes the thread; a platform thread, which may hang
   */
  public ForeignFds(Kernel kernel, String guest, ThreadFactory threads) {
    this.kernel = kernel;
    this.guest = guest;
    this.threads = threads;
  }

  /** The same descriptor, which is closed by the thread when its owner closes it. */
  @Override
  public Fd apply(Fd received) {
    return new Fd(received.number(), _ -> add(received));
  }

  @Override
  public boolean awaitRoom() {
    return await(MOST_WAITING, ROOM_WAIT);
  }

  /** How many wait, the one that is being closed among them. */
  public int waiting() {
    lock.lock();
    try {
      return count();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until no more than a number of descriptors wait.
   *
   * @return whether it came to that in time
   */
  public boolean await(int most, Duration patience) {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (count() > most && left > 0) {
        left = changed.awaitNanos(left);
      }
      return count() <= most;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private int count() {
    return waiting.size() + (closer == Closer.CLOSING ? 1 : 0);
  }

  private void add(Fd fd) {
    lock.lock();
    try {
      waiting.add(fd);
      changed.signalAll();
      if (closer == Closer.NONE) {
        start();
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void start() {
    try {
      Thread thread = threads.newThread(this::run);
      thread.setName("sluice-" + guest + "-closer");
      thread.start();
      closer = Closer.READY;
    } catch (RuntimeException | Error e) {
      LOG.atError().addKeyValue("guest", guest).log("descriptors wait: no thread to close them", e);
    }
  }

  /** Closes what comes, until there is nothing left and nothing more to come. */
  private void run() {
    boolean complete = false;
    try {
      Fd next = take();
      while (next != null) {
        close(next);
        next = take();
      }
      complete = true;
    } finally {
      if (!complete) {
        ended();
      }
    }
  }

  private @Nullable Fd take() {
    lock.lock();
    try {
      closer = Closer.READY;
      changed.signalAll();
      while (waiting.isEmpty()) {
        if (closed) {
          closer = Closer.NONE;
          return null;
        }
        changed.awaitUninterruptibly();
      }
      closer = Closer.CLOSING;
      return waiting.remove();
    } finally {
      lock.unlock();
    }
  }

  private void close(Fd fd) {
    try {
      kernel.stopLingering(fd);
    } catch (SyscallException e) {
      LOG.atDebug().addKeyValue("guest", guest).log("a socket that cannot be told", e);
    } finally {
      fd.close();
    }
  }

  /** The next descriptor gets another thread. */
  private void ended() {
    lock.lock();
    try {
      closer = Closer.NONE;
    } finally {
      lock.unlock();
    }
  }

  /** The thread ends when nothing waits any more. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
