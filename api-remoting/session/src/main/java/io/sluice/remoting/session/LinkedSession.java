package io.sluice.remoting.session;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.remoting.state.StateItem;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of an application that is connected to this host: its connection, its memory, what
 * executes its calls. The thread that calls {@link #serve} is the link's; the session has a thread
 * of its own.
 */
public final class LinkedSession implements ServedSession {
  private static final Logger LOG = LoggerFactory.getLogger(LinkedSession.class);

  private static final int SEGMENT_ADDED = 1;

  private final SessionSettings settings;
  private final Fd connection;
  private final SharedMemory memory;
  private final SessionSignals signals;
  private final LinkGate gate;
  private final Session session;

  private LinkedSession(
      SessionSettings settings,
      RemotedApi api,
      Fd connection,
      SharedMemory memory,
      SessionSignals signals,
      SessionPort port) {
    this.settings = settings;
    this.connection = connection;
    this.memory = memory;
    this.signals = signals;
    gate = new LinkGate(settings.kernel());
    session = new Session(settings, api, memory, signals, port);
  }

  /**
   * A session that nobody serves yet.
   *
   * @param connection stays the caller's, as does the memory, which has segment 0
   * @param doorbell owned from now on; not blocking
   */
  static LinkedSession of(
      SessionSettings settings, RemotedApi api, Fd connection, SharedMemory memory, Fd doorbell) {
    SessionPort port = SessionPort.of(memory.segment(0), settings.kernel()::wakeFutex);
    return of(settings, api, connection, memory, doorbell, port);
  }

  /**
   * As the other.
   *
   * @param port how calls come and are answered
   */
  static LinkedSession of(
      SessionSettings settings,
      RemotedApi api,
      Fd connection,
      SharedMemory memory,
      Fd doorbell,
      SessionPort port) {
    Kernel kernel = settings.kernel();
    SessionSignals signals =
        new SessionSignals(doorbell, kernel.eventfd(0, Kernel.NONBLOCK), kernel::wakeFutex);
    return new LinkedSession(settings, api, connection, memory, signals, port);
  }

  /**
   * A session that comes from another host.
   *
   * @param fds the connection, which stays the caller's, and the doorbell
   * @param ports how calls come and are answered, of the application's memory
   * @throws ProtocolException when it cannot be served
   */
  public static LinkedSession arriving(
      SessionSettings settings,
      RemotedApi api,
      List<Fd> fds,
      SharedMemory memory,
      Function<SharedMemory, SessionPort> ports) {
    Fd doorbell = fds.get(1);
    if (!settings.kernel().isEventfd(doorbell)) {
      throw new ProtocolException(Errno.EINVAL, "a doorbell is no eventfd");
    }
    if (memory.segmentBytes(0) < RingLayout.ARENA) {
      throw new ProtocolException(
          Errno.EINVAL, "segment 0 is too short, bytes=" + memory.segmentBytes(0));
    }
    settings.kernel().setNonBlocking(doorbell);
    return of(settings, api, fds.get(0), memory, doorbell, ports.apply(memory));
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
    return StateItem.ApplicationPlace.HOST;
  }

  @Override
  public List<Fd> descriptors() {
    return List.of(connection, signals.doorbell());
  }

  @Override
  public boolean hold(long patienceMs) throws InterruptedException {
    return gate.shut(patienceMs);
  }

  @Override
  public void release() {
    gate.open();
  }

  @Override
  public void leave() {
    gate.leave();
  }

  /**
   * Serves the application until it or its connection ends, or another host serves it. Nothing of
   * the session is left here when this returns.
   *
   * @param begun is done when the session's thread runs, before the connection is read
   */
  @Override
  public void serve(Runnable begun) {
    Thread thread =
        settings
            .threads()
            .newThread(() -> {
              session.run();
              if (!session.hasDeparted()) {
                settings.kernel().shutdown(connection);
              }
            });
    thread.start();
    FdList fds = new FdList();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(Hello.BYTES, Long.BYTES);
      begun.run();
      while (gate.pass(connection)
          && SessionLink.receive(settings.kernel(), connection, message, fds)) {
        segment(message, fds);
      }
    } catch (ProtocolException breach) {
      LOG.atWarn().log("session's link ends: {}", breach.getMessage());
    } catch (SyscallException gone) {
      LOG.atDebug().log("application's link ended: {}", gone.getMessage());
    } finally {
      fds.closeAll();
      session.end();
      join(thread);
    }
  }

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void segment(MemorySegment message, FdList fds) {
    int kind = message.get(ValueLayout.JAVA_INT, 0);
    int index = message.get(ValueLayout.JAVA_INT, 4);
    long result = 0;
    try {
      if (kind == SEGMENT_ADDED && fds.size() == 1 && index > 0) {
        try (Fd file = fds.take()) {
          long bytes = message.get(ValueLayout.JAVA_LONG, 8);
          memory.add(index, file, bytes);
          session.api().registered(index, bytes);
        }
      } else {
        throw new ProtocolException(Errno.EPROTO, "a link's message is not known, kind=" + kind);
      }
    } catch (ProtocolException refused) {
      if (refused.errno() == Errno.EPROTO) {
        throw refused;
      }
      result = -refused.errno().number();
    }
    message.fill((byte) 0);
    message.set(ValueLayout.JAVA_INT, 0, kind);
    message.set(ValueLayout.JAVA_INT, 4, index);
    message.set(ValueLayout.JAVA_LONG, 8, result);
    settings.kernel().sendmsg(connection, message, List.of());
  }

  /** Has its connection fail for the application. */
  @Override
  public void end() {
    settings.kernel().shutdown(connection);
  }

  @Override
  public boolean isServed() {
    return !gate.isOver();
  }

  /** Closes what is its own; when nothing serves it. */
  @Override
  public void close() {
    gate.close();
    signals.doorbell().close();
    signals.wake().close();
  }
}
