package io.sluice.migrate.checkpoint;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.channel.record.Section;
import io.sluice.migrate.session.SessionMessages;
import io.sluice.migrate.session.SessionMessages.Word;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sessions of a machine in a checkpoint, found while the file is verified. Not all that were
 * begun are wanted: some ended while the file was written, and their streams with them.
 *
 * <pre>
 *  section 0x1f4 version 1: u32 stream, from 1 and ascending; a word without its zeros
 *  section 0x1f5 version 1: u32 stream; bytes of the session's state
 * </pre>
 */
final class StoredSessions {
  static final int WORD_SECTION = 0x1f4;
  static final int BYTES_SECTION = 0x1f5;

  /** Words in a file, of which each has up to 4 KiB. */
  static final int MOST_WORDS = 16_384;

  /**
   * A session that is whole.
   *
   * @param stream its number
   * @param words of the session, and then of its other memory
   */
  record Stored(int stream, ImmutableList<Word> words) {
    int handle() {
      return words.getFirst().handle();
    }
  }

  private static final class Stream {
    private final int number;
    private final List<byte[]> words = new ArrayList<>(); // as they are in the file: small
    private final SessionFrames frames = new SessionFrames();

    Stream(int number) {
      this.number = number;
    }
  }

  private final Map<Integer, Stream> streams = new TreeMap<>(); // by number
  private final Map<Integer, Stream> latest = new TreeMap<>(); // by handle
  private int last; // number of a stream
  private int words;

  static Section section(int stream, Word word) {
    byte[] all = SessionMessages.word(word);
    FieldWriter out = new FieldWriter().bits(stream);
    return new Section(
        WORD_SECTION, 1, out.raw(ByteBuffer.wrap(all, 0, SessionMessages.bytes(word))).toBytes());
  }

  static Section section(int stream, ByteBuffer bytes) {
    return new Section(BYTES_SECTION, 1, new FieldWriter().bits(stream).raw(bytes).toBytes());
  }

  static boolean isOfSessions(Section section) {
    return section.id() == WORD_SECTION || section.id() == BYTES_SECTION;
  }

  /** The stream that a section is of; its bytes are what then remains of the payload. */
  static int stream(ByteBuffer payload) {
    require(payload.remaining() > Integer.BYTES, "a part without bytes");
    return payload.order(ByteOrder.LITTLE_ENDIAN).getInt();
  }

  /**
   * Takes a section of sessions.
   *
   * @throws RefusedException when there can be none such
   */
  void take(Section section) {
    require(section.version() == 1, "a part of an unknown version");
    ByteBuffer payload = section.payload();
    int number = stream(payload);
    if (section.id() == WORD_SECTION) {
      byte[] bytes = new byte[payload.remaining()];
      payload.get(bytes);
      takeWord(number, bytes);
    } else {
      Stream stream = streams.get(number);
      if (stream == null) {
        throw refused("bytes of no session");
      }
      while (payload.hasRemaining()) {
        boolean _ = stream.frames.take(payload);
      }
    }
  }

  private void takeWord(int number, byte[] bytes) {
    words++;
    require(words <= MOST_WORDS, "too many words");
    Word word = word(bytes);
    Stream stream = streams.get(number);
    if (word.kind() == SessionMessages.SESSION) {
      require(stream == null && number > last, "a session that was there before");
      last = number;
      stream = new Stream(number);
      streams.put(number, stream);
      latest.put(word.handle(), stream);
    } else if (stream == null || latest.get(word.handle()) != stream) {
      throw refused("memory of no session");
    }
    stream.words.add(bytes);
  }

  private static Word word(byte[] bytes) {
    require(bytes.length <= SessionMessages.WORD_BYTES, "a word that is too long");
    Word word = SessionMessages.word(Arrays.copyOf(bytes, SessionMessages.WORD_BYTES));
    require(bytes.length == SessionMessages.bytes(word), "a word of another length");
    return word;
  }

  /** Those that are whole, of each handle the last one. */
  ImmutableList<Stored> whole() {
    return latest.values().stream()
        .filter(stream -> stream.frames.isComplete())
        .map(stream ->
            new Stored(
                stream.number,
                stream.words.stream()
                    .map(StoredSessions::word)
                    .collect(ImmutableList.toImmutableList())))
        .collect(ImmutableList.toImmutableList());
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw refused(what);
    }
  }

  private static RefusedException refused(String what) {
    return new RefusedException(
        CheckpointCode.SESSION, Errno.EPROTO, "the checkpoint has, of API sessions, " + what, "");
  }
}
