package io.sluice.migrate.session;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.vdevice.dma.GuestRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.TreeSet;

/**
 * The messages about a machine's sessions, little-endian.
 *
 * <pre>
 *   description: u32 2; u32 sessions there are; the machine's own
 *   answer: u32 n, an address of so many bytes, 0 where there can be no sessions; the machine's own
 *   device, last part: u32 n; u32 handle of each session that goes on
 *   word before a stream: u32 1 a session, or 2 memory of one; u32 handle; u32 API, or segment;
 * X *   answer to a word: u32 errno
 * </pre>
 *
 * A description that begins with 1 is the machine's own: sessions do not come.
 */
public final class SessionMessages {
  private static final int WORD_HEAD_BYTES = 4 * Integer.BYTES;
  private static final int RANGE_BYTES = 2 * Long.BYTES;

  /** Bytes of a word. */
  public static final int WORD_BYTES = WORD_HEAD_BYTES + GuestAbi.MAX_EXTENTS * RANGE_BYTES;

  /** Bytes of an answer to a word. */
  public static final int ANSWER_BYTES = 4;

  /** A session; its stream follows. */
  public static final int SESSION = 1;

  /** Memory of a session. */
  public static final int SEGMENT = 2;

  /** The near end of a session, which stays; its stream follows. */
  public static final int NEAR_END = 3;

  /** Bytes of the place at which a session stays. */
  static final int PLACE_BYTES = 512;

  private static final int VERSION = 2;
  private static final int MAX_ADDRESS_BYTES = 64;

  private SessionMessages() {}

  /**
   * A word before a stream.
   *
   * @param kind {@link #SESSION}, {@link #SEGMENT} or {@link #NEAR_END}
   * @param number of the API, or of the segment
   * @param ranges of guest memory
   * @param place where a session stays: HOST:PORT; else empty
   */
  public record Word(
      int kind, int handle, int number, ImmutableList<GuestRange> ranges, String place) {
    /** One of what moves. */
    public Word(int kind, int handle, int number, ImmutableList<GuestRange> ranges) {
      this(kind, handle, number, ranges, "");
    }
  }

  /** A description, of a source that can move sessions. */
  record Described(int sessions, ByteBuffer machine) {}

  /** An answer. */
  record Answered(ByteBuffer address, ByteBuffer machine) {}

  static ByteBuffer description(int sessions, ByteBuffer machine) {
    return ByteBuffer.wrap(new FieldWriter().bits(VERSION).bits(sessions).raw(machine).toBytes());
  }

  static boolean isOfSessions(ByteBuffer description) {
    return description.remaining() >= Integer.BYTES
        && description.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt() == VERSION;
  }

  static Described described(ByteBuffer description) {
    FieldReader in = reader(description);
    in.require(in.bits() == VERSION, "its version");
    int sessions = in.bits();
    in.require(sessions >= 0 && sessions <= GuestAbi.MAX_API_SESSIONS, "its sessions");
    return new Described(sessions, in.rest());
  }

  static ByteBuffer answer(ByteBuffer address, ByteBuffer machine) {
    return ByteBuffer.wrap(
        new FieldWriter().bits(address.remaining()).raw(address).raw(machine).toBytes());
  }

  static Answered answered(ByteBuffer answer) {
    FieldReader in = reader(answer);
    int bytes = in.bits();
    in.require(bytes >= 0 && bytes <= MAX_ADDRESS_BYTES, "its address");
    return new Answered(ByteBuffer.wrap(in.raw(bytes)), in.rest());
  }

  static ByteBuffer handles(Set<Integer> handles) {
    FieldWriter out = new FieldWriter().bits(handles.size());
    handles.forEach(out::bits);
    return ByteBuffer.wrap(out.toBytes());
  }

  static Set<Integer> handles(ByteBuffer part) {
    FieldReader in = reader(part);
    int count = in.count(GuestAbi.MAX_API_SESSIONS, Integer.BYTES);
    Set<Integer> handles = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      handles.add(in.bits());
    }
    in.end();
    return handles;
  }

  /** As it is sent. */
  public static byte[] word(Word word) {
    FieldWriter out =
        new FieldWriter()
            .bits(word.kind())
            .bits(word.handle())
            .bits(word.number())
            .bits(word.ranges().size());
    for (GuestRange range : word.ranges()) {
      out.u64(range.address().value()).u64(range.bytes());
    }
    byte[] bytes = java.util.Arrays.copyOf(out.toBytes(), bytesOf(word.kind()));
    byte[] place = word.place().getBytes(UTF_8);
    if (place.length > bytes.length - WORD_BYTES) {
      throw refused("its place");
    }
    System.arraycopy(place, 0, bytes, WORD_BYTES, place.length);
    return bytes;
  }

  private static int bytesOf(int kind) {
    return kind == NEAR_END ? WORD_BYTES + PLACE_BYTES : WORD_BYTES;
  }

  /** Bytes that follow the first {@link #WORD_BYTES} of a word. */
  static int bytesMore(byte[] word) {
    return bytesOf(reader(ByteBuffer.wrap(word)).bits()) - WORD_BYTES;
  }

  /** Bytes of a word without the zeros at its end. */
  public static int bytes(Word word) {
    return WORD_HEAD_BYTES + word.ranges().size() * RANGE_BYTES;
  }

  /** EINVAL, EPROTO for what is none. */
  public static Word word(byte[] bytes) {
    FieldReader in = reader(ByteBuffer.wrap(bytes));
    int kind = in.bits();
    in.require(kind == SESSION || kind == SEGMENT || kind == NEAR_END, "its kind");
    in.require(bytes.length == bytesOf(kind), "its length");
    int handle = in.bits();
    int number = in.bits();
    int count = in.bits();
    in.require(count >= 1 && count <= GuestAbi.MAX_EXTENTS, "its ranges");
    ImmutableList.Builder<GuestRange> ranges = ImmutableList.builder();
    for (int i = 0; i < count; i++) {
      ranges.add(GuestRange.checked(new Iova(in.u64()), in.u64()));
    }
    return new Word(kind, handle, number, ranges.build(), place(bytes));
  }

  private static String place(byte[] word) {
    return new String(word, WORD_BYTES, word.length - WORD_BYTES, UTF_8).replace("\0", "");
  }

  private static FieldReader reader(ByteBuffer message) {
    return new FieldReader(message, (_, what) -> refused(what));
  }

  private static RefusedException refused(String what) {
    return new RefusedException(
        MigrationCode.MACHINE_MESSAGE,
        Errno.EPROTO,
        "what the other side says of a machine's sessions is not to be understood, wrong is "
            + what,
        "Migrate between daemons of the same or neighbouring versions.");
  }
}
