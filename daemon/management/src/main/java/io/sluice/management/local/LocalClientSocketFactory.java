package io.sluice.management.local;

import java.io.IOException;
import java.io.Serializable;
import java.net.Socket;
import java.nio.file.Path;
import java.rmi.server.RMIClientSocketFactory;

/**
 * The factory that travels inside the stub and opens connections to the daemon's socket.
 *
 * @param path the socket, absolute
 * @param server which start of which daemon: RMI keeps connections for reuse by the equality of
 *     factories, and those to a daemon that is gone must not be used for its successor
 */
record LocalClientSocketFactory(String path, String server)
    implements RMIClientSocketFactory, Serializable {
  /** How long a greeting may take; the daemon sends it before it does anything else. */
  static final int GREETING_TIMEOUT_MS = 5_000;

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
