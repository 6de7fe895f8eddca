package io.sluice.migrate.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A link between client and server that can be cut, all connections at once, without a word; and
 * that can damage what the client sends.
 */
final class CutRelay implements AutoCloseable {
  private static final int CHUNK_BYTES = 64 << 10;

  private final ServerSocket listener;
  private final int port;
  private final List<Socket> open = new CopyOnWriteArrayList<>();

  /** Set until something comes from a client, of which one bit is changed then. */
  private final AtomicBoolean damaging = new AtomicBoolean();

  CutRelay(int port) throws IOException {
    this.port = port;
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Ends every connection; new ones pass. */
  void cut() {
    for (Socket socket : open) {
      reset(socket);
    }
    open.clear();
  }

  /** Changes a bit of what comes next from a client. */
  void damage() {
    damaging.set(true);
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
        open.add(client);
        open.add(server);
        AtomicInteger left = new AtomicInteger(2);
        start(() -> pump(client, server, damaging, left));
        start(() -> pump(server, client, new AtomicBoolean(), left));
      }
    } catch (IOException _) {
      // closed
    }
  }

  /**
   * The end of a direction is passed on as of this direction alone, as a link does: what goes the
   * other way arrives.
   *
   * @param left directions that have not ended
   */
  private static void pump(Socket from, Socket to, AtomicBoolean damaging, AtomicInteger left) {
    byte[] bytes = new byte[CHUNK_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        if (damaging.compareAndSet(true, false)) {
          bytes[n / 2] ^= 1;
        }
        out.write(bytes, 0, n);
      }
    } catch (IOException _) {
      // Nothing comes any more, or nobody takes it.
    }
    try {
      to.shutdownOutput();
    } catch (IOException _) {
      // It has ended meanwhile.
    }
    if (left.decrementAndGet() == 0) {
      end(from);
      end(to);
    }
  }

  /** What is on its way is lost. */
  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (SocketException _) {
      // It has ended meanwhile.
    }
    end(socket);
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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
