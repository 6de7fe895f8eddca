package io.sluice.remoting.session;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of one application: its hello, the memory it registers, its end. The thread that
 * calls {@link #serve} is the link's; the {@linkplain LinkedSession session} has a thread of its
 * own.
 */
public final class SessionLink {
  private static final Logger LOG = LoggerFactory.getLogger(SessionLink.class);

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
   * @param opened is told once the session is there
   */
  public void serve(Fd connection, Consumer<LinkedSession> opened) {
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
      try (LinkedSession session =
          LinkedSession.of(settings, api, connection, memory, fds.take())) {
        opened.accept(session);
        Hello.answer(message, 0, number, settings.mostSharedBytes());
        session.serve(() -> kernel.sendmsg(connection, message, List.of()));
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

  /** Receives a whole message; false at the end or the time-out. */
  private boolean receive(Fd connection, MemorySegment message, FdList fds) {
    return receive(settings.kernel(), connection, message, fds);
  }

  /**
   * Receives a whole message; false at the end or the time-out, or when a part of one has a socket,
   * which may be the application's own: that would never end.
   */
  static boolean receive(Kernel kernel, Fd connection, MemorySegment message, FdList fds) {
    fds.closeAll();
    long got = 0;
    while (got < message.byteSize()) {
      long count = kernel.recvmsg(connection, message.asSlice(got), fds);
      got += count;
      if (count <= 0 || got < message.byteSize() && fds.hasSocket(kernel)) {
        return false;
      }
    }
    return true;
  }
}
