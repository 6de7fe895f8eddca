package io.sluice.migrate.session;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.session.SessionMessages.Word;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The words about a machine's sessions, as they are said and heard over a stream each. */
public final class SessionWords {
  /** How long the other side may take to answer a word. */
  private static final int ANSWER_MS = 15_000;

  /** How long a word may take. */
  private static final int WORD_MS = 5_000;

  private SessionWords() {}

  /**
   * Says a word, and hears that it is well.
   *
   * @param to where the other side listens
   * @return the stream, on which a session may follow
   * @throws RefusedException when it is not
   */
  public static Fd say(Kernel kernel, Path to, Word word) {
    Fd stream = kernel.connect(to);
    boolean complete = false;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(SessionMessages.WORD_BYTES);
      MemorySegment.copy(
          SessionMessages.word(word), 0, out, ValueLayout.JAVA_BYTE, 0, SessionMessages.WORD_BYTES);
      kernel.sendmsg(stream, out, List.of());
      kernel.setReceiveTimeout(stream, ANSWER_MS);
      MemorySegment answer = arena.allocate(SessionMessages.ANSWER_BYTES);
      if (!receive(kernel, stream, answer)) {
        throw refused(Errno.ENOTCONN, "the destination does not take a session");
      }
      int errno = answer.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
      if (errno != 0) {
        throw refused(
            Errno.of(errno).orElse(Errno.EIO),
            "the destination refuses a session, errno=" + Errno.nameOf(errno));
      }
      kernel.setReceiveTimeout(stream, 0);
      complete = true;
      return stream;
    } finally {
      if (!complete) {
        stream.close();
      }
    }
  }

  /**
   * Hears a word; none when the stream ends, or nothing comes in time.
   *
   * @throws RefusedException when it is none
   */
  public static Optional<Word> hear(Kernel kernel, Fd stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocate(SessionMessages.WORD_BYTES);
      kernel.setReceiveTimeout(stream, WORD_MS);
      if (!receive(kernel, stream, word)) {
        return Optional.empty();
      }
      kernel.setReceiveTimeout(stream, 0);
      return Optional.of(SessionMessages.word(word.toArray(ValueLayout.JAVA_BYTE)));
    }
  }

  /**
   * Answers a word.
   *
   * @param errno 0 when it is well
   */
  public static void answer(Kernel kernel, Fd stream, int errno) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment answer = arena.allocate(SessionMessages.ANSWER_BYTES);
      answer.set(ValueLayout.JAVA_INT_UNALIGNED, 0, errno);
      kernel.sendmsg(stream, answer, List.of());
    }
  }

  /** Receives all of it; false at the end or the time-out. Descriptors are refused. */
  private static boolean receive(Kernel kernel, Fd stream, MemorySegment into) {
    FdList fds = new FdList();
    long got = 0;
    while (got < into.byteSize()) {
      long count = kernel.recvmsg(stream, into.asSlice(got), fds);
      fds.closeAll();
      if (count <= 0) {
        return false;
      }
      got += count;
    }
    return true;
  }

  private static RefusedException refused(Errno errno, String what) {
    return new RefusedException(MigrationCode.SESSIONS, errno, what, "");
  }
}
