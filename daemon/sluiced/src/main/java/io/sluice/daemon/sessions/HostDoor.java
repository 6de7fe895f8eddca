package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.management.ErrorCode;
import io.sluice.management.local.SocketFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import javax.management.OperationsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket at which session hosts report for duty. Only a process that was started for it comes
 * in, once: any other connection is closed.
 */
final class HostDoor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HostDoor.class);
  private static final int BACKLOG = 128;

  private final Kernel kernel;
  private final SocketFile file;
  private final Fd listener;
  private final Fd wake;
  private final Thread thread;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Map<Long, CompletableFuture<Fd>> expected = new HashMap<>();

  /** A host that was started, and its connection once it is there. */
  record Started(Process process, CompletableFuture<Fd> connection) {}

  private HostDoor(Kernel kernel, SocketFile file, Fd listener, Fd wake, ThreadFactory threads) {
    this.kernel = kernel;
    this.file = file;
    this.listener = listener;
    this.wake = wake;
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

  /** Starts a host and expects it. */
  Started start(HostStarter starter) throws IOException {
    synchronized (lock) { // it may connect before we know its number
      Process process = starter.start();
      CompletableFuture<Fd> connection = new CompletableFuture<>();
      expected.put(process.pid(), connection);
      return new Started(process, connection);
    }
  }

  /** Does not expect a host any more. */
  void forget(Started host) {
    synchronized (lock) {
      expected.remove(host.process().pid(), host.connection());
    }
    if (!host.connection().cancel(false)) {
      host.connection().thenAccept(Fd::close);
    }
  }

  private void accept() {
    short[] ready = new short[2];
    while (true) {
      kernel.poll(List.of(wake, listener), new short[] {Kernel.POLLIN, Kernel.POLLIN}, ready, -1);
      if (ready[0] != 0) {
        return;
      }
      try {
        admit(kernel.accept(listener));
      } catch (SyscallException e) {
        if (!e.is(Errno.ECONNABORTED)) {
          LOG.atWarn().addKeyValue("error", e.getMessage()).log("no session host comes in");
        }
      }
    }
  }

  private void admit(Fd connection) {
    long pid;
    CompletableFuture<Fd> waiting;
    try {
      pid = kernel.peerCredentials(connection).pid();
    } catch (SyscallException _) {
      connection.close();
      return;
    }
    synchronized (lock) {
      waiting = expected.remove(pid);
    }
    if (waiting == null) {
      LOG.atWarn().addKeyValue("pid", pid).log("a process that is no session host is turned away");
    }
    if (waiting == null || !waiting.complete(connection)) {
      connection.close();
    }
  }

  /** Closes it; nobody is expected any more. */
  @Override
  public void close() throws IOException, InterruptedException {
    kernel.signal(wake);
    thread.join();
    file.delete();
    listener.close();
    wake.close();
  }
}
