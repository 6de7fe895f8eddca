package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.Lists;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.vfio.VfioUserHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Sends exactly the bytes a test wants, and takes what comes back apart. */
final class RawClient implements AutoCloseable {
  /** Messages that are sent before their replies are read. */
  private static final int UNANSWERED = 32;

  static final int NO_REPLY = 0x10;
  static final int ERROR = 0x20;

  static final String QEMU_VERSION_DATA =
      "{\"capabilities\": {\"pgsizes\": 4096, \"max_msg_fds\": 16, \"max_dma_maps\": 65535,"
          + " \"max_data_xfer_size\": 1048576, \"migration\": {\"max_bitmap_size\": 268435456,"
          + " \"pgsize\": 4096}, \"write_multiple\": true}}\0";

  private final Kernel kernel;
  private final Fd socket;
  private int nextId = 0x1001;

  RawClient(Kernel kernel, Fd socket) {
    this.kernel = kernel;
    this.socket = socket;
  }

  /** A message that came back. */
  record Message(int id, int command, int size, int flags, int errno, ByteBuffer body, List<Fd> fds)
      implements AutoCloseable {
    boolean isError() {
      return (flags & ERROR) != 0;
    }

    @Override
    public void close() {
      fds.forEach(Fd::close);
    }
  }

  /** A little-endian buffer of 32- and 64-bit words: Integer and Long, or bytes: byte[]. */
  static byte[] body(Object... parts) {
    ByteBuffer buffer = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
    for (Object part : parts) {
      switch (part) {
        case Integer word -> buffer.putInt(word);
        case Long word -> buffer.putLong(word);
        case Short half -> buffer.putShort(half);
        case byte[] bytes -> buffer.put(bytes);
        default -> throw new IllegalArgumentException(part.toString());
      }
    }
    byte[] bytes = new byte[buffer.position()];
    buffer.flip().get(bytes);
    return bytes;
  }

  static byte[] header(int id, int command, int size, int flags, int errno) {
    return body((short) id, (short) command, size, flags, errno);
  }

  static byte[] version(int major, int minor, String data) {
    return body((short) major, (short) minor, data.getBytes(StandardCharsets.UTF_8));
  }

  /** Sends bytes as they are. */
  void sendRaw(byte[] bytes, Fd... fds) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(bytes.length, 8);
      MemorySegment.copy(bytes, 0, out, ValueLayout.JAVA_BYTE, 0, bytes.length);
      kernel.sendmsg(socket, out, List.of(fds));
    }
  }

  /** Sends a message; its id. */
  int send(int command, int flags, byte[] body, Fd... fds) {
    int id = nextId++;
    sendRaw(body(header(id, command, 16 + body.length, flags, 0), body), fds);
    return id;
  }

  /** Receives a message; fails when the server has closed. */
  Message receive() {
    try (Arena arena = Arena.ofConfined()) {
      FdList fds = new FdList();
      MemorySegment header = arena.allocate(16, 8);
      assertThat(readFully(header, fds)).as("server closed the connection").isTrue();
      ByteBuffer h = header.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      int size = h.getInt(4);
      byte[] body = new byte[size - 16];
      if (body.length > 0) {
        MemorySegment in = arena.allocate(body.length, 8);
        assertThat(readFully(in, fds)).isTrue();
        MemorySegment.copy(in, ValueLayout.JAVA_BYTE, 0, body, 0, body.length);
      }
      List<Fd> taken = new ArrayList<>();
      while (fds.size() > 0) {
        taken.add(fds.take());
      }
      return new Message(
          h.getShort(0) & 0xffff,
          h.getShort(2) & 0xffff,
          size,
          h.getInt(8),
          h.getInt(12),
          ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN),
          taken);
    }
  }

  private boolean readFully(MemorySegment into, FdList fds) {
    long done = 0;
    while (done < into.byteSize()) {
      long n = kernel.recvmsg(socket, into.asSlice(done), fds);
      if (n == 0) {
        return false;
      }
      done += n;
    }
    return true;
  }

  /** Whether the server has closed the connection; waits until it has or sends something. */
  boolean isClosed() {
    try (Arena arena = Arena.ofConfined()) {
      FdList fds = new FdList();
      boolean closed = kernel.recvmsg(socket, arena.allocate(1), fds) == 0;
      fds.closeAll();
      return closed;
    }
  }

  /** Whether the server closes the connection after one reply at most. */
  boolean isClosedAfterAReply() {
    for (long i = 0; i < VfioUserHeader.SIZE; i++) {
      if (isClosed()) {
        return true;
      }
    }
    return isClosed();
  }

  /** Sends a command and receives its reply. */
  Message call(int command, byte[] body, Fd... fds) {
    int id = send(command, 0, body, fds);
    Message reply = receive();
    assertThat(reply.id()).isEqualTo(id);
    assertThat(reply.command()).isEqualTo(command);
    assertThat(reply.flags() & 0xf).isEqualTo(1);
    return reply;
  }

  /** Sends a command that succeeds; the reply's body. */
  ByteBuffer ok(int command, byte[] body, Fd... fds) {
    try (Message reply = call(command, body, fds)) {
      assertThat(reply.isError()).as("errno %d", reply.errno()).isFalse();
      assertThat(reply.fds()).isEmpty();
      return reply.body();
    }
  }

  /** As {@link #ok}, often; does not wait for a reply before it sends the next ones. */
  void okAll(int command, List<byte[]> bodies, Fd... fds) {
    for (List<byte[]> some : Lists.partition(bodies, UNANSWERED)) {
      some.forEach(body -> send(command, 0, body, fds));
      for (byte[] _ : some) {
        try (Message reply = receive()) {
          assertThat(reply.isError()).as("errno %d", reply.errno()).isFalse();
        }
      }
    }
  }

  void negotiate() {
    ok(1, version(0, 0, QEMU_VERSION_DATA));
  }

  int read32(int region, long offset) {
    return ok(9, body(offset, region, 4)).getInt(16);
  }

  void write32(int region, long offset, int value) {
    ok(10, body(offset, region, 4, value));
  }

  Fd socket() {
    return socket;
  }

  @Override
  public void close() {
    socket.close();
  }
}
