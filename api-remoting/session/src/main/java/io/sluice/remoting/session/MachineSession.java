package io.sluice.remoting.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.state.ServingState;
import io.sluice.remoting.state.StateItem;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A session of a process in a machine. It has no link: the machine's kernel opens it, adds its
 * segments and ends it, and its memory is a part of the machine's.
 */
public final class MachineSession implements ServedSession {
  /** How long a segment waits for a move of the session. */
  private static final long ADD_MS = 1_000;

  private final SessionSettings settings;
  private final SharedMemory memory;
  private final Fd doorbell;
  private final Fd notify;
  private final Fd wake;
  private final Session session;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private ServingState state = ServingState.HERE; // no segment is added in another

  @GuardedBy("lock")
  private boolean closed;

  /** One that nobody serves yet, of memory that has segment 0; all is owned once this is made. */
  private MachineSession(
      SessionSettings settings, RemotedApi api, SharedMemory memory, Fd doorbell, Fd notify) {
    Kernel kernel = settings.kernel();
    this.settings = settings;
    this.memory = memory;
    this.doorbell = doorbell;
    this.notify = notify;
    kernel.setNonBlocking(doorbell);
    kernel.setNonBlocking(notify);
    wake = kernel.eventfd(0, Kernel.NONBLOCK);
    SessionSignals.Wakeup machine = _ -> kernel.signal(notify);
    session =
        new Session(
            settings,
            api,
            memory,
            new SessionSignals(doorbell, wake, machine),
            SessionPort.of(memory.segment(0), machine));
  }

  /**
   * A session that is opened.
   *
   * @param apiNumber of the API that it speaks
   * @param first segment 0; files stay the caller's
   * @param doorbell an eventfd that the machine rings; owned once this is made, as is the next
   * @param notify an eventfd that interrupts the machine
   * @throws ProtocolException when it cannot be served
   */
  public static MachineSession open(
      SessionSettings settings, int apiNumber, List<FilePiece> first, Fd doorbell, Fd notify) {
    RemotedApi served = settings.apis().get(apiNumber);
    if (served == null) {
      throw new ProtocolException(Errno.EOPNOTSUPP, "api is not served here, number=" + apiNumber);
    }
    SharedMemory memory = new SharedMemory(settings.kernel(), settings.mostSharedBytes());
    boolean complete = false;
    try {
      memory.add(0, first);
      MachineSession session = of(settings, served, memory, doorbell, notify);
      complete = true;
      return session;
    } finally {
      if (!complete) {
        memory.close();
      }
    }
  }

  /**
   * A session that nobody serves yet.
   *
   * @param memory has segment 0; owned once this is made, as are the eventfds
   */
  static MachineSession of(
      SessionSettings settings, RemotedApi api, SharedMemory memory, Fd doorbell, Fd notify) {
    if (!settings.kernel().isEventfd(doorbell) || !settings.kernel().isEventfd(notify)) {
      throw new ProtocolException(Errno.EINVAL, "a machine's session needs two eventfds");
    }
    if (memory.segmentBytes(0) < RingLayout.ARENA) {
      throw new ProtocolException(
          Errno.EINVAL, "segment 0 is too short, bytes=" + memory.segmentBytes(0));
    }
    return new MachineSession(settings, api, memory, doorbell, notify);
  }

  @Override
  public RemotedApi api() {
    return session.api();
  }

  @Override
  public Session session() {
    return session;
  }

  @Override
  public SharedMemory memory() {
    return memory;
  }

  @Override
  public SessionSettings settings() {
    return settings;
  }

  @Override
  public StateItem.ApplicationPlace place() {
    return StateItem.ApplicationPlace.MACHINE;
  }

  @Override
  public List<Fd> descriptors() {
    return List.of(doorbell, notify);
  }

  /**
   * Serves it until {@link #end}, until the process breaks the rules, or another host serves it.
   */
  @Override
  public void serve(Runnable begun) {
    begun.run();
    session.run();
  }

  /**
   * Adds a segment; from any thread.
   *
   * @param pieces of files, which stay the caller's
   * @throws ProtocolException when it cannot be had; EAGAIN when the session moves, or has moved
   */
  public void add(int index, List<FilePiece> pieces) {
    lock.lock();
    try {
      long leftNs = TimeUnit.MILLISECONDS.toNanos(ADD_MS);
      while (state == ServingState.HELD && !closed && leftNs > 0) {
        leftNs = changed.awaitNanos(leftNs);
      }
      if (state != ServingState.HERE) {
        throw new ProtocolException(Errno.EAGAIN, "the session moves");
      }
      if (closed) {
        throw new ProtocolException(Errno.EPIPE, "the session has ended");
      }
      memory.add(index, pieces);
      session.api().registered(index, memory.segmentBytes(index));
      changed.signalAll();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new ProtocolException(Errno.EAGAIN, "the session host is stopping");
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until a segment has been added; from any thread.
   *
   * @param patienceMs how long, milliseconds
   * @return whether it has come to that, with so many bytes
   */
  public boolean awaitSegment(int index, long bytes, long patienceMs) throws InterruptedException {
    long leftNs = TimeUnit.MILLISECONDS.toNanos(patienceMs);
    lock.lockInterruptibly();
    try {
      while (memory.segmentBytes(index) == 0 && !closed && leftNs > 0) {
        leftNs = changed.awaitNanos(leftNs);
      }
      return memory.segmentBytes(index) == bytes;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean hold(long patienceMs) {
    return enter(ServingState.HELD);
  }

  @Override
  public void release() {
    boolean _ = enter(ServingState.HERE);
  }

  private boolean enter(ServingState next) {
    lock.lock();
    try {
      state = state.after(next);
      changed.signalAll();
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void leave() {
    boolean _ = enter(ServingState.ELSEWHERE);
  }

  @Override
  public void end() {
    session.end();
  }

  @Override
  public boolean isServed() {
    lock.lock();
    try {
      return state != ServingState.ELSEWHERE && !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Lets go of the memory, when it is served no more. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      memory.close();
      doorbell.close();
      notify.close();
      wake.close();
    } finally {
      lock.unlock();
    }
  }
}
