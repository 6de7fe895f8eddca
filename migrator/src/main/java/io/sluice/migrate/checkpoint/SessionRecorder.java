package io.sluice.migrate.checkpoint;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.record.Section;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/** The recorder of a session's stream: hands it on as sections, and answers its questions. */
final class SessionRecorder {
  private static final int CHUNK_BYTES = 256 << 10;

  private final Kernel kernel;
  private final int number;
  private final Sink sink;
  private final SessionFrames frames = new SessionFrames();

  /** The taker of sections. */
  interface Sink {
    /**
     * @throws RefusedException when it cannot be taken
     */
    void take(Section part);

    /**
     * All of the session was taken; the session's host is told so when this returns.
     *
     * @throws RefusedException when it cannot be kept
     */
    default void whole() {}
  }

  /**
   * @param number of the stream in the file
   */
  SessionRecorder(Kernel kernel, int number, Sink sink) {
    this.kernel = kernel;
    this.number = number;
    this.sink = sink;
  }

  /**
   * Takes the stream, to its end.
   *
   * @throws io.sluice.abi.SluiceException when it cannot be taken on
   */
  void record(Fd stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment chunk = arena.allocate(CHUNK_BYTES);
      MemorySegment ready = arena.allocate(SessionFrames.HEADER_BYTES);
      ready.copyFrom(MemorySegment.ofBuffer(SessionFrames.ready()));
      FdList fds = new FdList();
      long count = kernel.recvmsg(stream, chunk, fds);
      while (count > 0) {
        fds.closeAll();
        ByteBuffer bytes = chunk.asSlice(0, count).asByteBuffer();
        while (bytes.hasRemaining()) {
          if (take(bytes)) {
            kernel.sendmsg(stream, ready, List.of());
          }
        }
        count = kernel.recvmsg(stream, chunk, fds);
      }
    }
  }

  /** Whether something is asked behind what was taken. */
  private boolean take(ByteBuffer bytes) {
    int from = bytes.position();
    boolean asks = frames.take(bytes);
    sink.take(StoredSessions.section(number, bytes.slice(from, bytes.position() - from)));
    if (frames.isComplete()) {
      sink.whole();
    }
    return asks;
  }
}
