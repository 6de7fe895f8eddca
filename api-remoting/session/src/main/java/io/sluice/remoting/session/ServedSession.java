package io.sluice.remoting.session;

import io.sluice.abi.sys.Fd;
import io.sluice.remoting.state.StateItem;
import java.util.List;

/**
 * A session and the way to its application, as a move sees them: what another host needs to serve
 * it, and the gate by which the application's memory stays as it is meanwhile.
 */
public sealed interface ServedSession extends AutoCloseable permits LinkedSession, MachineSession {
  /** What it speaks. */
  RemotedApi api();

  /** The session itself. */
  Session session();

  /** The memory that the application shares. */
  SharedMemory memory();

  /** What all sessions of this host have in common. */
  SessionSettings settings();

  /** Where the application runs. */
  StateItem.Place place();

  /** The two descriptors by which it is served; they stay this object's. */
  List<Fd> descriptors();

  /**
   * Takes no more memory of the application.
   *
   * @return false when it is in the middle of that, and goes on
   */
  boolean hold(long patienceMs) throws InterruptedException;

  /** Takes memory again. */
  void letGo();

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
