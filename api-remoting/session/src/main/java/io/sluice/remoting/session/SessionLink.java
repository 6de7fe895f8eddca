package io.sluice.remoting.session;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of one application: its hello, the memory it registers, its end. The thread that
 * calls {@link #serve} is the link's; the session has a thread of its own.
 */
public final class SessionLink {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLink.class);

  private static final int SEGMENT_ADDED = 1;

  /** How long an application may take for its hello, milliseconds. */
  private static final int HELLO_MS = 10_000;

  private final SessionSettings settings;
  private final long number;

  /**
   * @param number of the session, unique in this host
   */
  public SessionLink(SessionSettings settings, long number) {
    this.settings = settings;
    this.number = number;
  }

  /** Answers the hello of an application that is not served with an error, whatever it said. */
  public static void refuse(Kernel kernel, Fd connection, Errno error) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(Hello.BYTES, Long.BYTES);
      Hello.answer(message, error.number(), 0, 0);
      kernel.sendmsg(connection, message, List.of());
    } catch (SyscallException gone) {
      LOG.atDebug().log("application was gone before it was refused: {}", gone.getMessage());
    }
  }

  /**
   * Serves an application until it or its connection ends. Nothing of it is left when this returns.
   *
   * @param connection stays the caller's
   * @param opened is told the session and its API once it is there
   */
  public void serve(Fd connection, BiConsumer<RemotedApi, Session> opened) {
    Kernel kernel = settings.kernel();
    FdList fds = new FdList();
    try (Arena arena = Arena.ofConfined();
        SharedMemory memory = new SharedMemory(kernel, settings.mostSharedBytes())) {
      MemorySegment message = arena.allocate(Hello.BYTES, Long.BYTES);
      RemotedApi api;
      try {
        api = hello(connection, message, fds, memory);
      } catch (ProtocolException breach) {
        LOG.atInfo()
            .addKeyValue("errno", breach.errno())
            .log("application refused: {}", breach.getMessage());
        Hello.answer(message, breach.errno().number(), 0, 0);
        kernel.sendmsg(connection, message, List.of());
        return;
      }
      try (Fd doorbell = fds.take();
          Fd wake = kernel.eventfd(0, Kernel.NONBLOCK)) {
        Bells bells = new Bells(doorbell, wake, kernel::wakeFutex);
        serveSession(connection, message, fds, memory, bells, api, opened);
      }
    } catch (SyscallException gone) {
      LOG.atDebug().log("application's link ended: {}", gone.getMessage());
    } finally {
      fds.closeAll();
    }
  }

  /** Leaves the doorbell in the list. */
  private RemotedApi hello(Fd connection, MemorySegment message, FdList fds, SharedMemory memory) {
    Kernel kernel = settings.kernel();
    kernel.setReceiveTimeout(connection, HELLO_MS);
    if (!receive(connection, message, fds)) {
      throw new ProtocolException(Errno.ETIMEDOUT, "no hello came");
    }
    kernel.setReceiveTimeout(connection, 0);
    Hello hello = Hello.read(message);
    RemotedApi api = settings.apis().get(hello.api());
    if (api == null) {
      throw new ProtocolException(
          Errno.EOPNOTSUPP, "api is not served here, number=" + hello.api());
    }
    if (fds.size() != 2 || !kernel.isEventfd(fds.get(1))) {
      throw new ProtocolException(
          Errno.EINVAL, "hello needs memory and an eventfd, descriptors=" + fds.size());
    }
    try (Fd file = fds.take()) {
      memory.add(0, file, hello.bytes());
    }
    kernel.setNonBlocking(fds.get(0));
    return api;
  }

  private void serveSession(
      Fd connection,
      MemorySegment message,
      FdList fds,
      SharedMemory memory,
      Bells bells,
      RemotedApi api,
      BiConsumer<RemotedApi, Session> opened) {
    Session session =
        new Session(
            settings.kernel(),
            settings.nanoTime(),
            api,
            memory,
            bells,
            settings.account(),
            settings.workers());
    Thread thread =
        settings
            .threads()
            .newThread(() -> {
              session.run();
              settings.kernel().shutdown(connection);
            });
    thread.start();
    try {
      opened.accept(api, session);
      Hello.answer(message, 0, number, settings.mostSharedBytes());
      settings.kernel().sendmsg(connection, message, List.of());
      while (receive(connection, message, fds)) {
        segment(connection, message, fds, memory);
      }
    } catch (ProtocolException breach) {
      LOG.atWarn()
          .addKeyValue("session", number)
          .log("session's link ends: {}", breach.getMessage());
    } finally {
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

  private void segment(Fd connection, MemorySegment message, FdList fds, SharedMemory memory) {
    int kind = message.get(ValueLayout.JAVA_INT, 0);
    int index = message.get(ValueLayout.JAVA_INT, 4);
    long result = 0;
    try {
      if (kind == SEGMENT_ADDED && fds.size() == 1 && index > 0) {
        try (Fd file = fds.take()) {
          memory.add(index, file, message.get(ValueLayout.JAVA_LONG, 8));
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

  /** Receives a whole message; false at the end or the time-out. */
  private boolean receive(Fd connection, MemorySegment message, FdList fds) {
    fds.closeAll();
    long got = 0;
    while (got < message.byteSize()) {
      long count = settings.kernel().recvmsg(connection, message.asSlice(got), fds);
      if (count <= 0) {
        return false;
      }
      got += count;
    }
    return true;
  }
}
