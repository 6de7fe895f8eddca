package io.sluice.management.local;

import java.io.IOException;
import java.io.Serializable;
import java.net.Socket;
import java.nio.file.Path;
import java.rmi.server.RMIClientSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The factory that travels inside the stub and opens connections to the daemon's socket. No record:
 * Java reads and compares those by code that it makes at run time, which takes a client longer than
 * the whole call.
 */
final class LocalClientSocketFactory implements RMIClientSocketFactory, Serializable {
  /** That of a record, which daemons that were started earlier send. */
  private static final long serialVersionUID = 0L;

  /** How long a greeting may take; the daemon sends it before it does anything else. */
  static final int GREETING_TIMEOUT_MS = 5_000;

  private final String path;
  private final String server;

  /**
   * @param path the socket, absolute
   * @param server which start of which daemon: RMI keeps connections for reuse by the equality of
   *     factories, and those to a daemon that is gone must not be used for its successor
   */
  LocalClientSocketFactory(String path, String server) {
    this.path = path;
    this.server = server;
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    ChannelSocket socket = ChannelSocket.connect(Path.of(path));
    try {
      greeting(socket);
      return socket;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LocalClientSocketFactory factory
        && path.equals(factory.path)
        && server.equals(factory.server);
  }

  @Override
  public int hashCode() {
    return 31 * path.hashCode() + server.hashCode();
  }

  @Override
  public String toString() {
    return path + " of " + server;
  }

  /**
   * Reads the greeting.
   *
   * @throws NotPermittedException when the daemon refuses the caller
   */
  static Greeting greeting(ChannelSocket socket) throws IOException {
    socket.setSoTimeout(GREETING_TIMEOUT_MS);
    Greeting greeting = Greeting.read(socket.getInputStream());
    socket.setSoTimeout(0);
    if (!greeting.permitted()) {
      throw new NotPermittedException(greeting.reason());
    }
    return greeting;
  }

  /** The daemon refuses the caller. */
  static final class NotPermittedException extends IOException {
    private static final long serialVersionUID = 1L;

    NotPermittedException(String reason) {
      super(reason);
    }
  }
}
