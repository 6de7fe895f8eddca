package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.runtime.LoopFailures;
import io.sluice.management.ErrorCode;
import io.sluice.management.local.SocketFile;
import io.sluice.vdevice.ForeignFds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import javax.management.OperationsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket at which session hosts report for duty. Only a process that was started for it comes
 * in, once: any other connection is closed. While hosts are being started, which takes its time and
 * holds up nobody else, who comes early is kept at the door until their numbers are known.
 */
final class HostDoor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HostDoor.class);
  private static final int BACKLOG = 128;

  /** The pause when accepting has failed: what is missing may come back. */
  private static final long FAILED_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Kernel kernel;
  private final SocketFile file;
  private final Fd listener;
  private final Fd wake;
  private final ForeignFds foreign; // of those that are turned away
  private final Thread thread;
  private final LoopFailures failures = new LoopFailures(LOG, "accepting session hosts");
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Map<Long, Expected> expected = new HashMap<>();

  /** Hosts that are being started. */
  @GuardedBy("lock")
  private int starting;

  /** Connections by process, which may be one of those; none while there are none. */
  @GuardedBy("lock")
  private final Map<Long, Fd> early = new HashMap<>();

  private volatile boolean closed;

  /** A host that is to come, and how its connection is to be closed. */
  private record Expected(CompletableFuture<Fd> connection, UnaryOperator<Fd> custody) {
    boolean complete(Fd came) {
      return connection.complete(custody.apply(came));
    }
  }

  /** A host that was started, and its connection once it is there. */
  record Started(Process process, CompletableFuture<Fd> connection) {}

  private HostDoor(Kernel kernel, SocketFile file, Fd listener, Fd wake, ThreadFactory threads) {
    this.kernel = kernel;
    this.file = file;
    this.listener = listener;
    this.wake = wake;
    foreign = new ForeignFds(kernel, "session-hosts", threads);
    this.thread = threads.newThread(this::accept);
  }

  /** Opens it. */
  static HostDoor open(Kernel kernel, Path path, ThreadFactory threads)
      throws OperationsException, IOException {
    SocketFile file =
        new SocketFile(path, "the socket of session hosts,", ErrorCode.SESSION_SOCKET);
    Fd[] listener = new Fd[1];
    file.publish(
        Optional.empty(),
        ErrorCode.SESSION_SOCKET,
        staged -> listener[0] = kernel.listen(staged, BACKLOG));
    HostDoor door =
        new HostDoor(kernel, file, listener[0], kernel.eventfd(0, Kernel.NONBLOCK), threads);
    door.thread.setName("sluice-session-hosts");
    door.thread.start();
    return door;
  }

  /**
   * Starts a host and expects it.
   *
   * @param custody what its connection is wrapped into; says how it is closed
   */
  Started start(HostStarter starter, UnaryOperator<Fd> custody) throws IOException {
    CompletableFuture<Fd> connection = new CompletableFuture<>();
    synchronized (lock) {
      starting++;
    }
    Process process = null;
    boolean known = false;
    try {
      process = starter.start();
      Started started = new Started(process, connection);
      expect(process.pid(), new Expected(connection, custody));
      known = true;
      return started;
    } finally {
      if (process != null && !known) {
        process.destroyForcibly();
      }
      started();
    }
  }

  private void expect(long pid, Expected host) {
    Fd came;
    synchronized (lock) {
      came = early.remove(pid);
      if (came == null) {
        expected.put(pid, host);
      }
    }
    if (came != null) {
      boolean _ = host.complete(came);
    }
  }

  /** One is no longer being started: those that came early are strangers when it was the last. */
  private void started() {
    Map<Long, Fd> strangers = Map.of();
    synchronized (lock) {
      starting--;
      if (starting == 0 && !early.isEmpty()) {
        strangers = new HashMap<>(early);
        early.clear();
      }
    }
    strangers.forEach(this::turnAway);
  }

  private void turnAway(long pid, Fd connection) {
    foreign.apply(connection).close();
    LOG.atWarn().addKeyValue("pid", pid).log("a process that is no session host is turned away");
  }

  /** Does not expect a host any more, whose connection nobody has taken. */
  void forget(Started host) {
    synchronized (lock) {
      expected.values().removeIf(waiting -> waiting.connection() == host.connection());
    }
    if (!host.connection().cancel(false)) {
      host.connection().thenAccept(Fd::close);
    }
  }

  private void accept() {
    while (!closed) {
      try {
        acceptOne();
      } catch (RuntimeException | Error e) {
        // No descriptors, memory or threads are left, most likely: all may come back.
        if (!closed && !(e instanceof SyscallException gone && gone.is(Errno.ECONNABORTED))) {
          failures.note(e);
          LockSupport.parkNanos(this, FAILED_NS);
        }
      }
    }
  }

  private void acceptOne() {
    short[] ready = new short[2];
    kernel.poll(List.of(wake, listener), new short[] {Kernel.POLLIN, Kernel.POLLIN}, ready, -1);
    if (ready[0] != 0) {
      return;
    }
    Fd connection = kernel.accept(listener);
    boolean owned = false;
    try {
      owned = admit(connection);
    } finally {
      if (!owned) {
        foreign.apply(connection).close();
      }
    }
  }

  /** Whether somebody has the connection now: whoever expects it or closes it, or the door. */
  private boolean admit(Fd connection) {
    long pid = kernel.peerCredentials(connection).pid();
    Expected waiting;
    synchronized (lock) {
      waiting = expected.remove(pid);
      if (waiting == null && starting > 0 && early.size() < BACKLOG) {
        return early.putIfAbsent(pid, connection) == null;
      }
    }
    if (waiting == null) {
      turnAway(pid, connection);
      return true;
    }
    return waiting.complete(connection);
  }

  /** Closes it; nobody is expected any more. */
  @Override
  public void close() throws IOException, InterruptedException {
    closed = true;
    kernel.signal(wake);
    thread.join();
    file.delete();
    foreign.apply(listener).close(); // who waits there may have sent something
    wake.close();
    foreign.close();
  }
}
