package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.Kernel;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A listening socket. Its path is free again when it ends. */
final class ListenerFile extends OpenFile {
  final Path path;
  private final int backlog;
  private final Consumer<ListenerFile> ended;
  private final ArrayDeque<SocketEnd> waiting = new ArrayDeque<>();
  private boolean shut;

  ListenerFile(Path path, long inode, int backlog, Consumer<ListenerFile> ended) {
    super("listener " + path, inode);
    this.path = path;
    this.backlog = backlog;
    this.ended = ended;
  }

  /** Whether a client can be queued now. */
  boolean hasRoom() {
    return waiting.size() <= backlog;
  }

  boolean isShut() {
    return shut;
  }

  void enqueue(SocketEnd server) {
    server.acquire();
    waiting.addLast(server);
  }

  /**
   * The next client's end, with the reference it was queued with; null when nobody waits. Who was
   * queued before a shutdown is still served.
   */
  @Nullable SocketEnd next() {
    SocketEnd server = waiting.pollFirst();
    if (server == null && shut) {
      throw failure("accept4", Errno.EINVAL);
    }
    return server;
  }

  void shutdown() {
    shut = true;
  }

  @Override
  void end() {
    ended.accept(this);
    waiting.forEach(OpenFile::release);
    waiting.clear();
  }

  @Override
  int readiness() {
    return waiting.isEmpty() && !shut ? 0 : Kernel.POLLIN;
  }

  @Override
  FileStatus status() {
    return new FileStatus(3, inode, 0xc1ff, 0, 0);
  }

  @Override
  long fileSystemType() {
    return SocketEnd.SOCKFS_MAGIC;
  }
}
