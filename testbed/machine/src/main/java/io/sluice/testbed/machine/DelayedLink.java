package io.sluice.testbed.machine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * A link of some length: it passes TCP connections on, each direction later by the same time. It
 * can be cut, and can damage what passes.
 */
public final class DelayedLink implements AutoCloseable {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int CHUNKS = 64;
  private static final int NEVER = -1;
  private static final byte[] NOTHING = new byte[0];

  private final ServerSocket listener;
  private final InetSocketAddress to;
  private final long delayNs;
  private final List<Socket> open = new CopyOnWriteArrayList<>();

  /** Every connection damages one byte when it sees another number here than last time. */
  private volatile int damages;

  /** Bytes that are on their way until a time. */
  private record Chunk(long untilNs, byte[] bytes) {}

  /**
   * @param at an address of ours to listen at, at any port
   * @param to where connections go
   */
  public DelayedLink(String at, InetSocketAddress to, Duration delay) throws IOException {
    this.to = to;
    delayNs = delay.toNanos();
    listener = new ServerSocket(0, 64, InetAddress.getByName(at));
    start(this::accept);
  }

  /** Where it listens. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Where connections go. */
  public InetSocketAddress to() {
    return to;
  }

  /** Ends every connection without a word; new ones pass. */
  public void cut() {
    for (Socket socket : open) {
      closeHard(socket);
    }
    open.clear();
  }

  /** Changes a bit of what comes next over each connection that there is, towards its end. */
  public synchronized void damage() {
    damages++;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket();
        open.add(client);
        open.add(server);
        try {
          server.connect(to);
          client.setTcpNoDelay(true);
          server.setTcpNoDelay(true);
          pass(client, server, true);
          pass(server, client, false);
        } catch (IOException _) {
          closeHard(client);
          closeHard(server);
        }
      }
    } catch (IOException _) {
      // closed
    }
  }

  private void pass(Socket from, Socket into, boolean damaging) throws IOException {
    BlockingQueue<Chunk> way = new ArrayBlockingQueue<>(CHUNKS);
    InputStream in = from.getInputStream();
    OutputStream out = into.getOutputStream();
    int seen = damages;
    start(() -> read(in, way, damaging ? seen : NEVER));
    start(() -> write(way, out, from, into));
  }

  /**
   * @param seen the number of damages when the connection began; {@link #NEVER} to leave it alone
   */
  private void read(InputStream in, BlockingQueue<Chunk> way, int seen) {
    byte[] bytes = new byte[CHUNK_BYTES];
    int done = seen;
    try {
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        int wanted = damages;
        if (done != NEVER && done != wanted) {
          done = wanted;
          bytes[n / 2] ^= 1;
        }
        way.put(new Chunk(System.nanoTime() + delayNs, Arrays.copyOf(bytes, n)));
      }
    } catch (IOException _) {
      // cut
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    try {
      way.put(new Chunk(System.nanoTime() + delayNs, NOTHING));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void write(BlockingQueue<Chunk> way, OutputStream out, Socket from, Socket into) {
    try {
      for (Chunk chunk = way.take(); chunk.bytes().length > 0; chunk = way.take()) {
        for (long left = chunk.untilNs() - System.nanoTime();
            left > 0;
            left = chunk.untilNs() - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
        out.write(chunk.bytes());
      }
      into.shutdownOutput();
    } catch (IOException _) {
      closeHard(from);
      closeHard(into);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void closeHard(Socket socket) {
    try {
      if (!socket.isClosed()) {
        socket.setSoLinger(true, 0);
        socket.close();
      }
    } catch (IOException _) {
      // It was closed meanwhile.
    }
  }

  private static void start(Runnable action) {
    Thread.ofPlatform().daemon().start(action);
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }
}
