package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connected stream socket. As with Linux, a receive takes bytes of several sends at
 * once until it has taken some that descriptors came with: so the descriptors of a message can
 * arrive with the bytes of the one before it.
 */
final class SocketEnd extends OpenFile {
  /** Bytes under way in one direction, as Linux has it by default. */
  static final int MAX_QUEUED_BYTES = 212_992;

  static final long SOCKFS_MAGIC = 0x534f434b;
  private static final int S_IFSOCK_0777 = 0xc1ff;

  final PeerCredentials peerCredentials;
  private final ArrayDeque<Chunk> incoming = new ArrayDeque<>();
  private int queuedBytes;
  private @Nullable SocketEnd peer;
  private boolean shut;
  private boolean reset;

  /** The bytes that one send put under way; its descriptors go with the first byte taken of it. */
  private static final class Chunk {
    final byte[] bytes;
    int taken;
    List<OpenFile> files;

    Chunk(byte[] bytes, List<OpenFile> files) {
      this.bytes = bytes;
      this.files = files;
    }
  }

  SocketEnd(long inode, PeerCredentials peerCredentials) {
    super("socket", inode);
    this.peerCredentials = peerCredentials;
  }

  static void connect(SocketEnd one, SocketEnd other) {
    one.peer = other;
    other.peer = one;
  }

  /**
   * Puts bytes under way, the files with the first of them.
   *
   * @return bytes sent; -1 when the peer takes no more now
   */
  long send(MemorySegment data, long from, List<OpenFile> files) {
    if (peer == null || shut || peer.shut) {
      throw failure("sendmsg", Errno.EPIPE);
    }
    int room = MAX_QUEUED_BYTES - peer.queuedBytes;
    if (room == 0) {
      return -1;
    }
    int size = (int) Math.min(room, data.byteSize() - from);
    byte[] bytes = data.asSlice(from, size).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
    files.forEach(OpenFile::acquire);
    peer.incoming.addLast(new Chunk(bytes, List.copyOf(files)));
    peer.queuedBytes += size;
    return size;
  }

  /**
   * Takes bytes, and the files that came with them, which are then the caller's to release.
   *
   * @return bytes taken; 0 at the end; -1 when there are none yet
   */
  long receive(MemorySegment into, List<OpenFile> files) {
    if (incoming.isEmpty()) {
      if (reset) {
        reset = false;
        throw failure("recvmsg", Errno.ECONNRESET);
      }
      return shut || peer == null || peer.shut ? 0 : -1;
    }
    long done = 0;
    while (done < into.byteSize() && !incoming.isEmpty() && files.isEmpty()) {
      Chunk chunk = incoming.getFirst();
      int size = (int) Math.min(into.byteSize() - done, chunk.bytes.length - chunk.taken);
      MemorySegment.copy(MemorySegment.ofArray(chunk.bytes), chunk.taken, into, done, size);
      files.addAll(chunk.files);
      chunk.files = List.of();
      chunk.taken += size;
      done += size;
      queuedBytes -= size;
      if (chunk.taken == chunk.bytes.length) {
        incoming.removeFirst();
      }
    }
    return done;
  }

  void shutdown() {
    shut = true;
  }

  /** A peer that goes while bytes wait for it resets the connection. */
  @Override
  void end() {
    if (peer != null) {
      peer.peer = null;
      peer.reset |= !incoming.isEmpty();
    }
    for (Chunk chunk : incoming) {
      chunk.files.forEach(OpenFile::release);
    }
    incoming.clear();
  }

  @Override
  int readiness() {
    boolean hangup = shut || peer == null || peer.shut;
    boolean readable = hangup || !incoming.isEmpty();
    boolean writable = peer == null || peer.queuedBytes < MAX_QUEUED_BYTES;
    return (readable ? Kernel.POLLIN : 0)
        | (writable ? Kernel.POLLOUT : 0)
        | (hangup ? Kernel.POLLHUP : 0);
  }

  @Override
  FileStatus status() {
    return new FileStatus(3, inode, S_IFSOCK_0777, 0, 0);
  }

  @Override
  long fileSystemType() {
    return SOCKFS_MAGIC;
  }

  /** As {@code read} does: descriptors that came along are dropped. */
  @Override
  long read(MemorySegment into) {
    List<OpenFile> dropped = new ArrayList<>();
    long bytes = receive(into, dropped);
    dropped.forEach(OpenFile::release);
    return bytes;
  }

  @Override
  long write(MemorySegment from) {
    return send(from, 0, List.of());
  }
}
