package io.sluice.testbed.fakes;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The last descriptor of a TCP socket that lingers and has unsent data: whoever closes it waits for
 * 100000 s, or until this is closed.
 */
public final class LingeringFd implements AutoCloseable {
  private static final int LINGER_S = 100_000;

  private final Fd last;
  private final SocketChannel peer;
  private final Thread closer = Thread.ofPlatform().daemon().unstarted(this::closeLast);

  /** Makes one, while no other thread of the process makes a socket. */
  public LingeringFd(Kernel kernel) throws IOException {
    try (ServerSocketChannel server = ServerSocketChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Set<String> before = sockets();
      SocketChannel socket = SocketChannel.open(server.getLocalAddress());
      List<String> made = new ArrayList<>(sockets());
      made.removeAll(before);
      if (made.size() != 1) {
        throw new IllegalStateException("another thread made a socket, too: " + made);
      }
      peer = server.accept();
      socket.setOption(StandardSocketOptions.SO_LINGER, LINGER_S);
      socket.configureBlocking(false);
      ByteBuffer chunk = ByteBuffer.allocateDirect(1 << 16);
      while (socket.write(chunk.clear()) > 0) {
        Thread.onSpinWait(); // until there is no room for more
      }
      last = kernel.dup(new Fd(Integer.parseInt(made.get(0)), _ -> {}));
      socket.close();
    }
  }

  private void closeLast() {
    last.close();
  }

  private static Set<String> sockets() throws IOException {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        if (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)
            && Files.readSymbolicLink(entry).toString().startsWith("socket:")) {
          found.add(entry.getFileName().toString());
        }
      }
    }
    return found;
  }

  /** The descriptor; whoever closes it waits. */
  public Fd fd() {
    return last;
  }

  /** Gives it up, on a thread: where it is the last one after all, that waits as well. */
  public void giveUp() {
    closer.start();
  }

  /** Whoever closes it goes on. */
  @Override
  public void close() throws IOException, InterruptedException {
    peer.setOption(StandardSocketOptions.SO_LINGER, 0);
    peer.close();
    closer.join();
  }
}
