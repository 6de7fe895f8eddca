package io.sluice.remoting.session;

import io.sluice.abi.sys.Fd;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import java.util.List;
import java.util.function.Function;

/**
 * A session and the way to its application, as a move sees them: what another host needs to serve
 * it, and the gate by which the application's memory stays as it is meanwhile.
 */
public sealed interface ServedSession extends AutoCloseable permits LinkedSession, MachineSession {
  /**
   * A session that comes from another host of this machine, and that nobody serves yet.
   *
   * @param fds the two that came with it; what is not the application's connection is owned once
   *     this is made, in a machine the memory too
   * @param memory has segment 0
   * @param ports how calls come and are answered, of the application's memory on this host
   * @throws StateException when it would come without its memory
   * @throws ProtocolException when it cannot be served
   */
  static ServedSession arriving(
      SessionSettings settings,
      RemotedApi api,
      StateItem.ApplicationPlace place,
      List<Fd> fds,
      SharedMemory memory,
      Function<SharedMemory, SessionPort> ports)
      throws StateException {
    return switch (place) {
      case MOVING_MACHINE -> throw new StateException("a session comes without its machine");
      case HOST -> LinkedSession.arriving(settings, api, fds, memory, ports);
      case MACHINE -> MachineSession.of(settings, api, memory, fds.get(0), fds.get(1));
    };
  }

  /** What it speaks. */
  RemotedApi api();

  /** The session itself. */
  Session session();

  /** The memory that the application shares. */
  SharedMemory memory();

  /** What all sessions of this host have in common. */
  SessionSettings settings();

  /** Where the application runs. */
  StateItem.ApplicationPlace place();

  /** The two descriptors by which it is served; they stay this object's. */
  List<Fd> descriptors();

  /**
   * Takes no more memory of the application.
   *
   * @return false when it is in the middle of that, and goes on
   */
  boolean hold(long patienceMs) throws InterruptedException;

  /** Takes memory again. */
  void release();

  /** Another host serves the application from now on. */
  void leave();

  /**
   * Serves the application until it or its session ends, or another host serves it.
   *
   * @param begun is done when it is about to be served
   */
  void serve(Runnable begun);

  /** Has {@link #serve} return soon; from any thread, while this is open. */
  void end();

  /** Whether the application is served here; from any thread. */
  boolean isServed();

  /** Closes what is its own, when nothing serves it. */
  @Override
  void close();
}
