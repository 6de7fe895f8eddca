package io.sluice.migrate.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A link between client and server that can be cut: all connections at once, without a word. */
final class CutRelay implements AutoCloseable {
  private final ServerSocket listener;
  private final int port;
  private final List<Socket> open = new CopyOnWriteArrayList<>();

  CutRelay(int port) throws IOException {
    this.port = port;
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Ends every connection; new ones pass. */
  void cut() throws IOException {
    for (Socket socket : open) {
      if (!socket.isClosed()) {
        socket.setSoLinger(true, 0); // a reset: what is on its way is lost
        socket.close();
      }
    }
    open.clear();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
        open.add(client);
        open.add(server);
        start(() -> pump(client, server));
        start(() -> pump(server, client));
      }
    } catch (IOException _) {
      // closed
    }
  }

  private static void pump(Socket from, Socket to) {
    try (from;
        to;
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      in.transferTo(out);
    } catch (IOException _) {
      // cut, or ended
    }
  }

  private static void start(Runnable action) {
    Thread.ofPlatform().daemon().start(action);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cut();
  }
}
