package io.sluice.remoting.session;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.Kernel;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A session of a process in a machine. It has no link: the machine's kernel opens it, adds its
 * segments and ends it, and its memory is a part of the machine's.
 */
public final class MachineSession implements AutoCloseable {
  private final RemotedApi api;
  private final SharedMemory memory;
  private final Fd doorbell;
  private final Fd notify;
  private final Fd wake;
  private final Session session;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean closed; // by lock

  /**
   * @param apiNumber of the API that it speaks
   * @param first segment 0; files stay the caller's
   * @param doorbell an eventfd that the machine rings; owned once this is made, as is the next
   * @param notify an eventfd that interrupts the machine
   * @throws ProtocolException when it cannot be served
   */
  public MachineSession(
      SessionSettings settings, int apiNumber, List<FilePiece> first, Fd doorbell, Fd notify) {
    Kernel kernel = settings.kernel();
    RemotedApi served = settings.apis().get(apiNumber);
    if (served == null) {
      throw new ProtocolException(Errno.EOPNOTSUPP, "api is not served here, number=" + apiNumber);
    }
    if (!kernel.isEventfd(doorbell) || !kernel.isEventfd(notify)) {
      throw new ProtocolException(Errno.EINVAL, "a machine's session needs two eventfds");
    }
    long bytes = first.stream().mapToLong(FilePiece::bytes).sum();
    if (bytes < RingLayout.ARENA) {
      throw new ProtocolException(Errno.EINVAL, "segment 0 is too short, bytes=" + bytes);
    }
    this.api = served;
    this.doorbell = doorbell;
    this.notify = notify;
    memory = new SharedMemory(kernel, settings.mostSharedBytes());
    wake = kernel.eventfd(0, Kernel.NONBLOCK);
    boolean complete = false;
    try {
      memory.add(0, first);
      kernel.setNonBlocking(doorbell);
      kernel.setNonBlocking(notify);
      complete = true;
    } finally {
      if (!complete) {
        memory.close();
        wake.close();
      }
    }
    session =
        new Session(
            kernel,
            settings.nanoTime(),
            served,
            memory,
            new Bells(doorbell, wake, _ -> kernel.signal(notify)),
            settings.account(),
            settings.workers());
  }

  /** What it speaks. */
  public RemotedApi api() {
    return api;
  }

  /** The session itself. */
  public Session session() {
    return session;
  }

  /** Serves it until {@link #end}, or until the process breaks the rules. */
  public void serve() {
    session.run();
  }

  /**
   * Adds a segment; from any thread.
   *
   * @param pieces of files, which stay the caller's
   * @throws ProtocolException when it cannot be had
   */
  public void add(int index, List<FilePiece> pieces) {
    lock.lock();
    try {
      if (closed) {
        throw new ProtocolException(Errno.EPIPE, "the session has ended");
      }
      memory.add(index, pieces);
    } finally {
      lock.unlock();
    }
  }

  /** Has {@link #serve} return soon; from any thread. */
  public void end() {
    session.end();
  }

  /** Lets go of the memory, when it is served no more. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      memory.close();
      doorbell.close();
      notify.close();
      wake.close();
    } finally {
      lock.unlock();
    }
  }
}
