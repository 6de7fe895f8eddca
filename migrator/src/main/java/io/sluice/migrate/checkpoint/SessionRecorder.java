package io.sluice.migrate.checkpoint;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.record.Section;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The recorder of a session's stream: hands it on as sections, and answers its questions. A stream
 * is ended that has more than its allowance, or that says nothing for too long before it is whole.
 */
final class SessionRecorder {
  /** As long as a session host that a session moves to waits. */
  static final int PATIENCE_MS = 600_000;

  private static final int CHUNK_BYTES = 256 << 10;

  private final Kernel kernel;
  private final int number;
  private final SessionAllowance allowance;
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
  SessionRecorder(Kernel kernel, int number, SessionAllowance allowance, Sink sink) {
    this.kernel = kernel;
    this.number = number;
    this.allowance = allowance;
    this.sink = sink;
  }

  /**
   * Takes the stream, to its end.
   *
   * @param patienceMs how long it may say nothing
   * @throws RefusedException SLU-CKP-010 it has too many bytes, SLU-CKP-011 it says nothing
   * @throws io.sluice.abi.SluiceException when it cannot be taken on
   */
  void record(Fd stream, int patienceMs) {
    kernel.setReceiveTimeout(stream, patienceMs);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment chunk = arena.allocate(CHUNK_BYTES);
      MemorySegment ready = arena.allocate(SessionFrames.HEADER_BYTES);
      ready.copyFrom(MemorySegment.ofBuffer(SessionFrames.ready()));
      FdList fds = new FdList();
      long count = kernel.recvmsg(stream, chunk, fds);
      while (count > 0) {
        fds.closeAll();
        allowance.take(count);
        ByteBuffer bytes = chunk.asSlice(0, count).asByteBuffer();
        while (bytes.hasRemaining()) {
          if (take(bytes)) {
            kernel.sendmsg(stream, ready, List.of());
          }
        }
        if (frames.isComplete()) {
          kernel.setReceiveTimeout(stream, 0); // nothing comes any more but its end
        }
        count = kernel.recvmsg(stream, chunk, fds);
      }
      if (count < 0) {
        throw new RefusedException(
            CheckpointCode.SESSION_SILENT,
            Errno.ETIMEDOUT,
            "an API session says nothing, and is not whole, for " + patienceMs + " ms",
            "Look at the guest's session host, and end the session if it stays so.");
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
