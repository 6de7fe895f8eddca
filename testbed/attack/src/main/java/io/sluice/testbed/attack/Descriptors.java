package io.sluice.testbed.attack;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Descriptors of every kind that a client can send, as an unprivileged process has them. */
final class Descriptors implements AutoCloseable {
  private static final Path OPEN = Path.of("/proc/self/fd");
  private static final int SEAL_WRITE = 8;
  private static final int LINGER_SECONDS = 100_000;
  private static final int HOLES = 8;
  private static final int MOST_PAGES_SHIFT = 8;

  /** Of what a descriptor is. */
  enum Kind {
    /** A memory file with pages here and there. */
    SPARSE,
    /** A memory file of 64 TiB without a page. */
    HUGE,
    /** A memory file whose length is sealed. */
    SEALED,
    /** A memory file that nobody may write. */
    READ_ONLY,
    /** A memory file that is cut off after it was sent. */
    TRUNCATED,
    /** A memory file whose pages are punched out after it was sent. */
    PUNCHED,
    FILE,
    DIRECTORY,
    ZEROS,
    FIFO,
    EVENTFD,
    /** The socket that it is sent by. */
    OWN_SOCKET,
    SOCKET,
    LINGERING
  }

  private final Kernel kernel;
  private final Path directory;
  private final List<AutoCloseable> open = new ArrayList<>();
  private @Nullable FuseMount fuse;

  Descriptors(Kernel kernel) throws IOException, InterruptedException {
    this.kernel = kernel;
    directory = Files.createTempDirectory("attack");
    Process mkfifo = new ProcessBuilder("mkfifo", directory.resolve("fifo").toString()).start();
    int _ = mkfifo.waitFor();
    Path _ = Files.write(directory.resolve("file"), new byte[1 << 16]);
  }

  /**
   * One of a kind; it is closed by the caller.
   *
   * @param socket that it is sent by
   */
  Fd make(Kind kind, RandomGenerator random, Fd socket) {
    return switch (kind) {
      case SPARSE, TRUNCATED, PUNCHED -> memory(random, 0);
      case HUGE -> kernel.memfdCreate("huge", 1L << 46);
      case SEALED ->
          memory(random, Kernel.F_SEAL_SHRINK | (random.nextBoolean() ? Kernel.F_SEAL_GROW : 0));
      case READ_ONLY -> memory(random, Kernel.F_SEAL_SHRINK | SEAL_WRITE);
      case FILE -> kernel.open(directory.resolve("file"), Kernel.O_RDWR);
      case DIRECTORY -> kernel.open(directory, 0);
      case ZEROS -> kernel.open(Path.of("/dev/zero"), Kernel.O_RDWR);
      case FIFO -> kernel.open(directory.resolve("fifo"), Kernel.O_RDWR);
      case EVENTFD -> kernel.eventfd(random.nextInt(2), random.nextInt(2) * Kernel.NONBLOCK);
      case OWN_SOCKET -> kernel.dup(socket);
      case SOCKET -> {
        List<Fd> pair = kernel.socketpair();
        pair.get(1).close();
        yield pair.get(0);
      }
      case LINGERING -> lingering();
    };
  }

  /** What its owner does to a file when it was sent. */
  void afterwards(Kind kind, Fd fd) {
    try (RandomAccessFile file =
        kind == Kind.TRUNCATED || kind == Kind.PUNCHED
            ? new RandomAccessFile(OPEN.resolve(Integer.toString(fd.number())).toFile(), "rw")
            : null) {
      if (file != null && kind == Kind.TRUNCATED) {
        file.setLength(0);
      } else if (file != null) {
        kernel.punchHole(fd, 0, file.length());
      }
    } catch (IOException _) {
      // sealed by the host, as it should be
    }
  }

  private Fd memory(RandomGenerator random, int seals) {
    long pages = 1L << random.nextInt(MOST_PAGES_SHIFT);
    Fd fd = kernel.memfdCreate("memory", pages << 12);
    try (RandomAccessFile file =
        new RandomAccessFile(OPEN.resolve(Integer.toString(fd.number())).toFile(), "rw")) {
      for (int i = 0; i < HOLES; i++) {
        file.seek(random.nextLong(pages) << 12);
        file.write(i);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (seals != 0) {
      kernel.addSeals(fd, seals);
    }
    return fd;
  }

  /** A TCP socket with data that nobody reads: whoever closes it last waits for them. */
  Fd lingering() {
    try {
      ServerSocketChannel server = ServerSocketChannel.open();
      open.add(server);
      ServerSocketChannel _ =
          server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      TreeSet<Integer> before = sockets();
      SocketChannel full = SocketChannel.open();
      TreeSet<Integer> made = sockets();
      made.removeAll(before);
      boolean _ = full.connect(server.getLocalAddress());
      SocketChannel silent = server.accept();
      open.add(silent);
      SocketChannel _ = full.setOption(StandardSocketOptions.SO_LINGER, LINGER_SECONDS);
      full.configureBlocking(false);
      ByteBuffer data = ByteBuffer.allocate(1 << 16);
      while (full.write(data) > 0) {
        data.clear();
      }
      Fd sent = kernel.dup(kernel.adopt(made.getFirst()));
      full.close(); // not its last descriptor: does not wait
      return sent;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file that its server lets open and then answers nothing about. */
  Fd unanswering() {
    try {
      FuseMount mounted = fuse == null ? FuseMount.open() : fuse;
      fuse = mounted;
      return mounted.file(kernel);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes what was sent; whoever closes a lingering one last waits, which may be this side. */
  void release(Kind kind, Fd fd) {
    if (kind == Kind.LINGERING) {
      releaseLater(fd);
    } else {
      fd.close();
    }
  }

  /** Closes what was sent, whatever that waits for. */
  void releaseLater(Fd fd) {
    Thread _ = Thread.ofPlatform().daemon().name("release").start(fd::close);
  }

  private static TreeSet<Integer> sockets() throws IOException {
    TreeSet<Integer> found = new TreeSet<>();
    try (Stream<Path> all = Files.list(OPEN)) {
      for (Path each : all.toList()) {
        try {
          if (Files.readSymbolicLink(each).toString().startsWith("socket:")) {
            found.add(Integer.parseInt(String.valueOf(each.getFileName())));
          }
        } catch (IOException _) {
          // closed meanwhile
        }
      }
    }
    return found;
  }

  @Override
  public void close() throws IOException {
    if (fuse != null) {
      fuse.close();
    }
    for (AutoCloseable each : open) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
