package io.sluice.migrate.session;

import com.google.common.primitives.Bytes;
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

/**
 * The words about a machine's sessions, as they are said and heard over a stream each. They are
 * waited for in looks of at most a tenth of a second, whose number is limited whatever each of them
 * brings: who sends byte after byte gets no more time than who sends nothing.
 */
public final class SessionWords {
  private static final int LOOK_MS = 100;

  /** How long the other side may take to answer a word: 15 s. */
  private static final int ANSWER_LOOKS = 150;

  /** As long, where a place and a way to a session that stays are looked for: 90 s. */
  private static final int PLACE_LOOKS = 900;

  /** How long a word may take: 5 s. One that is sent at once comes in a few pieces. */
  static final int WORD_LOOKS = 50;

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
      byte[] bytes = SessionMessages.word(word);
      MemorySegment out = arena.allocate(bytes.length);
      MemorySegment.copy(bytes, 0, out, ValueLayout.JAVA_BYTE, 0, bytes.length);
      kernel.sendmsg(stream, out, List.of());
      MemorySegment answer = arena.allocate(SessionMessages.ANSWER_BYTES);
      boolean stays = word.kind() == SessionMessages.NEAR_END;
      if (!receive(kernel, stream, answer, stays ? PLACE_LOOKS : ANSWER_LOOKS)) {
        throw refused(Errno.ENOTCONN, "the destination does not take a session");
      }
      int errno = answer.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
      if (errno != 0 && stays) {
        throw new RefusedException(
            MigrationCode.SESSIONS,
            Errno.of(errno).orElse(Errno.EIO),
            "the destination does not reach a session that stays, at="
                + word.place()
                + ", errno="
                + Errno.nameOf(errno),
            "Name the destination in sessions.accept-from there; the destination's log says why.");
      }
      if (errno != 0) {
        throw refused(
            Errno.of(errno).orElse(Errno.EIO),
            "the destination refuses a session, errno=" + Errno.nameOf(errno));
      }
      complete = true;
      return stream;
    } finally {
      if (!complete) {
        stream.close();
      }
    }
  }

  /**
   * Hears a word; none when the stream ends, or it is not whole in time.
   *
   * @throws RefusedException when it is none
   */
  public static Optional<Word> hear(Kernel kernel, Fd stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocate(SessionMessages.WORD_BYTES);
      if (!receive(kernel, stream, word, WORD_LOOKS)) {
        return Optional.empty();
      }
      byte[] first = word.toArray(ValueLayout.JAVA_BYTE);
      MemorySegment more = arena.allocate(SessionMessages.bytesMore(first));
      if (more.byteSize() > 0 && !receive(kernel, stream, more, WORD_LOOKS)) {
        return Optional.empty();
      }
      return Optional.of(
          SessionMessages.word(Bytes.concat(first, more.toArray(ValueLayout.JAVA_BYTE))));
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

  /** Receives all of it; false at the end, or after so many looks. Descriptors are refused. */
  private static boolean receive(Kernel kernel, Fd stream, MemorySegment into, int looks) {
    FdList fds = new FdList();
    kernel.setReceiveTimeout(stream, LOOK_MS);
    long got = 0;
    for (int look = 0; look < looks && got < into.byteSize(); look++) {
      long count = kernel.recvmsg(stream, into.asSlice(got), fds);
      fds.closeAll();
      if (count == 0) {
        return false;
      }
      got += Math.max(count, 0); // nothing came within this look
    }
    kernel.setReceiveTimeout(stream, 0);
    return got == into.byteSize();
  }

  private static RefusedException refused(Errno errno, String what) {
    return new RefusedException(MigrationCode.SESSIONS, errno, what, "");
  }
}
