package io.sluice.migrate.checkpoint;

import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** A session whose state is sent out of a file to the host that makes it again. */
final class FedSession implements AutoCloseable {
  /** How long a host may build programs: as long as it may in a move. */
  private static final int MOST_SECONDS = 600;

  private static final int LOOK_MS = 1_000;
  private static final int CHUNK_BYTES = 256 << 10;
  private static final int ANSWER_BYTES = 128 << 10;
  private static final int REASONS = 64;
  private static final int TEXT_BYTES = 1024;

  private final String name;
  private final Fd stream;
  private final Kernel kernel;
  private final IntConsumer took;
  private final SessionFrames frames = new SessionFrames();

  /**
   * @param name of the session, for people
   * @param stream to its host, owned
   * @param took is told how many bytes were taken, while something goes on
   */
  FedSession(String name, Fd stream, Kernel kernel, IntConsumer took) {
    this.name = name;
    this.stream = stream;
    this.kernel = kernel;
    this.took = took;
  }

  /**
   * Sends bytes, and hears the answer to each question in them.
   *
   * @throws RefusedException when the host cannot make the session
   */
  void send(ByteBuffer bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment chunk = arena.allocate(CHUNK_BYTES);
      while (bytes.hasRemaining()) {
        ByteBuffer some = bytes.slice(bytes.position(), Math.min(CHUNK_BYTES, bytes.remaining()));
        boolean asks = frames.take(some);
        int count = some.position();
        MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, chunk, 0, count);
        bytes.position(bytes.position() + count);
        kernel.sendmsg(stream, chunk.asSlice(0, count), List.of());
        took.accept(count);
        if (asks) {
          hear(arena);
        }
      }
    } catch (SyscallException e) {
      throw refused("its session host does not take it: " + e.getMessage());
    }
  }

  private void hear(Arena arena) {
    kernel.setReceiveTimeout(stream, LOOK_MS);
    ByteBuffer header = receive(arena, SessionFrames.HEADER_BYTES);
    int bytes = SessionFrames.length(header) - SessionFrames.HEADER_BYTES;
    if (SessionFrames.type(header) == SessionFrames.READY && bytes == 0) {
      return;
    }
    if (SessionFrames.type(header) != SessionFrames.REFUSED || bytes > ANSWER_BYTES) {
      throw refused("its session host answers something else");
    }
    FieldReader in =
        new FieldReader(
            receive(arena, bytes),
            (_, what) -> refused("its session host says no reason, " + what));
    int count = in.count(REASONS, Integer.BYTES);
    List<String> reasons = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      reasons.add(in.text(TEXT_BYTES));
    }
    throw refused(String.join("; ", reasons));
  }

  private ByteBuffer receive(Arena arena, int bytes) {
    MemorySegment into = arena.allocate(bytes);
    FdList fds = new FdList();
    int got = 0;
    int looks = 0; // of at most a second each, whatever each of them brings
    while (got < bytes) {
      long count = kernel.recvmsg(stream, into.asSlice(got), fds);
      fds.closeAll();
      if (count == 0) {
        throw refused("its session host has ended it, and its log says why");
      }
      if (count > 0) {
        got += (int) count;
      }
      if (++looks > MOST_SECONDS) {
        throw refused("its session host does not answer, seconds=" + MOST_SECONDS);
      }
      took.accept(1); // programs are being built
    }
    return ByteBuffer.wrap(into.toArray(ValueLayout.JAVA_BYTE)).order(ByteOrder.LITTLE_ENDIAN);
  }

  private RefusedException refused(String why) {
    return new RefusedException(CheckpointCode.SESSION, Errno.EPROTO, name + ": " + why, "");
  }

  /** Has whoever waits for its host wait no more. */
  void end() {
    kernel.shutdown(stream);
  }

  @Override
  public void close() {
    stream.close();
  }
}
