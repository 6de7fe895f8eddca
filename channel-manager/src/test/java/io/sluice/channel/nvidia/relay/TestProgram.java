package io.sluice.channel.nvidia.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.relay.RelayReply;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A program's end of the relay's link, which says what the test has it say. */
class TestProgram implements AutoCloseable {
  private final Kernel kernel;
  private final Fd connection;
  private final FdList came = new FdList();

  TestProgram(Kernel kernel, Fd connection) {
    this.kernel = kernel;
    this.connection = connection;
  }

  /** An answer. */
  record Answer(
      byte[] message, int error, int file, int value, long address, byte[] body, List<Fd> fds) {
    /** The blocks of an IOCTL's answer. */
    List<ByteBuffer> blocks(int count) {
      ByteBuffer all = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
      int at = padded(count * 4);
      List<ByteBuffer> blocks = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int bytes = all.getInt(i * 4);
        blocks.add(all.slice(at, bytes).order(ByteOrder.LITTLE_ENDIAN));
        at += padded(bytes);
      }
      return blocks;
    }
  }

  private static int padded(int bytes) {
    return bytes + 7 & ~7;
  }

  /** A block of words, the rest zeros. */
  static ByteBuffer block(int bytes, int... words) {
    ByteBuffer all =
        ByteBuffer.allocate(Math.max(bytes, words.length * 4)).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < words.length; i++) {
      all.putInt(i * 4, words[i]);
    }
    byte[] block = Arrays.copyOf(all.array(), bytes);
    return ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
  }

  static int request(ProgramEscape escape) {
    return 3 << 30 | escape.shape().bytes() << 16 | 'F' << 8 | escape.nr();
  }

  Answer hello() {
    return ask(RelayRequest.HELLO, 0, RelayRequest.VERSION, 0, 0, new byte[0], List.of());
  }

  int open(String node) {
    Answer answer = tryOpen(node);
    if (answer.error() != 0) {
      throw new AssertionError("open " + node + ": " + answer.error());
    }
    return answer.file();
  }

  Answer tryOpen(String node) {
    byte[] name = new byte[padded(node.length() + 1)];
    System.arraycopy(node.getBytes(StandardCharsets.US_ASCII), 0, name, 0, node.length());
    return ask(RelayRequest.OPEN, 0, 0, 0, 0, name, List.of());
  }

  Answer close(int file) {
    return ask(RelayRequest.CLOSE, file, 0, 0, 0, new byte[0], List.of());
  }

  Answer ioctl(int file, int request, ByteBuffer... blocks) {
    return ioctl(file, request, 0, List.of(), blocks);
  }

  Answer ioctl(int file, ProgramEscape escape, ByteBuffer... blocks) {
    return ioctl(file, request(escape), blocks);
  }

  Answer ioctl(int file, int request, long pinnedAt, List<Fd> along, ByteBuffer... blocks) {
    return ask(RelayRequest.IOCTL, file, request, pinnedAt, blocks.length, body(blocks), along);
  }

  static byte[] body(ByteBuffer... blocks) {
    int bytes = padded(blocks.length * 4);
    for (ByteBuffer block : blocks) {
      bytes += padded(block.capacity());
    }
    ByteBuffer body = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int at = padded(blocks.length * 4);
    for (int i = 0; i < blocks.length; i++) {
      body.putInt(i * 4, blocks[i].capacity());
      body.put(at, blocks[i].array(), 0, blocks[i].capacity());
      at += padded(blocks[i].capacity());
    }
    return body.array();
  }

  Answer map(int file, long address, long length, long offset) {
    byte[] body = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(offset).array();
    return ask(RelayRequest.MAP, file, 3, address, length, body, List.of());
  }

  /** Makes a call, and does not wait for its answer. */
  void begin(int file, ProgramEscape escape, ByteBuffer... blocks) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message =
          message(arena, RelayRequest.IOCTL, file, request(escape), 0, blocks.length, body(blocks));
      kernel.sendmsg(connection, message, List.of());
    }
  }

  Answer ask(
      int op, int file, int argument, long address, long length, byte[] body, List<Fd> along) {
    try (Arena arena = Arena.ofConfined()) {
      return exchange(arena, message(arena, op, file, argument, address, length, body), along);
    }
  }

  private static MemorySegment message(
      Arena arena, int op, int file, int argument, long address, long length, byte[] body) {
    MemorySegment message = arena.allocate(RelayRequest.SIZE + body.length, 8);
    RelayRequest.BYTES.set(message, message.byteSize());
    RelayRequest.OP.setBits(message, op);
    RelayRequest.FILE.setBits(message, file);
    RelayRequest.ARGUMENT.setBits(message, argument);
    RelayRequest.ADDRESS.set(message, address);
    RelayRequest.LENGTH.set(message, length);
    MemorySegment.copy(body, 0, message, ValueLayout.JAVA_BYTE, RelayRequest.SIZE, body.length);
    return message;
  }

  /** Sends a message, and has its answer. */
  Answer exchange(Arena arena, MemorySegment message, List<Fd> along) {
    kernel.sendmsg(connection, message, along);
    return receive(arena);
  }

  /** Sends a whole message. */
  Answer ask(byte[] message, List<Fd> along) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(message.length, 8);
      kernel.sendmsg(connection, bytes.copyFrom(MemorySegment.ofArray(message)), along);
      return receive(arena);
    }
  }

  /** Sends bytes as they are. */
  void send(byte[] raw, List<Fd> along) {
    try (Arena arena = Arena.ofConfined()) {
      kernel.sendmsg(
          connection, arena.allocate(raw.length, 8).copyFrom(MemorySegment.ofArray(raw)), along);
    }
  }

  /** Sends bytes as they are; whether the relay still answers. */
  boolean survives(byte[] raw) {
    try (Arena arena = Arena.ofConfined()) {
      send(raw, List.of());
      return kernel.recvmsg(connection, arena.allocate(RelayReply.SIZE, 8), came) > 0;
    } catch (SyscallException e) {
      assertThat(e.is(Errno.EPIPE) || e.is(Errno.ECONNRESET)).isTrue();
      return false;
    }
  }

  private Answer receive(Arena arena) {
    MemorySegment all = arena.allocate(RelayRequest.MAX_BYTES, 8);
    long had = 0;
    while (had < RelayReply.SIZE || had < RelayReply.BYTES.get(all)) {
      long got = kernel.recvmsg(connection, all.asSlice(had), came);
      if (got <= 0) {
        throw new AssertionError("the relay has ended the connection");
      }
      had += got;
    }
    List<Fd> fds = new ArrayList<>();
    while (came.size() > 0) {
      fds.add(came.take());
    }
    return answer(all, had, fds);
  }

  /** An answer of its bytes. */
  static Answer answer(MemorySegment all, long had, List<Fd> fds) {
    return new Answer(
        all.asSlice(0, had).toArray(ValueLayout.JAVA_BYTE),
        RelayReply.ERROR.bits(all),
        RelayReply.FILE.bits(all),
        RelayReply.VALUE.bits(all),
        RelayReply.ADDRESS.get(all),
        all.asSlice(RelayReply.SIZE, had - RelayReply.SIZE).toArray(ValueLayout.JAVA_BYTE),
        fds);
  }

  @Override
  public void close() {
    connection.close();
  }
}
