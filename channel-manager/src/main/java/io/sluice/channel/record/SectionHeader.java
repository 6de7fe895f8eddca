package io.sluice.channel.record;

import io.sluice.abi.Errno;
import io.sluice.abi.ErrorEntry;
import io.sluice.abi.RefusedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The head of a section, the one format of everything Sluice stores or sends.
 *
 * <pre>
 *  0        4         8        12        16            16 + length
 * +--------+---------+--------+---------+-----------------+
 * |   id   | version | length | CRC32C  |     payload     |
 * +--------+---------+--------+---------+-----------------+
 * </pre>
 *
 * <p>All words are little-endian. The checksum covers the first twelve bytes and the payload, so
 * that no section passes for another, and a length is known to be right before it is believed to
 * separate sections. Neither id nor version is ever 0.
 *
 * @param id kind of the section
 * @param version of its payload's layout
 * @param length bytes of payload, at most {@link #MAX_PAYLOAD_BYTES}
 * @param checksum CRC32C
 */
public record SectionHeader(int id, int version, int length, int checksum) {
  /** Bytes of a head. */
  public static final int BYTES = 16;

  /** Most bytes of payload: what a reader must be ready to hold. */
  public static final int MAX_PAYLOAD_BYTES = 1 << 20;

  private static final int CHECKED_BYTES = 12;

  /** Refuses what no section has. */
  public SectionHeader {
    if (id == 0 || version == 0) {
      throw refused(RecordCode.NAMELESS, "a section is nameless, id=" + id + " version=" + version);
    }
    if (length < 0 || length > MAX_PAYLOAD_BYTES) {
      throw refused(
          RecordCode.TOO_LONG,
          "a section is too long, id="
              + Integer.toUnsignedString(id)
              + " bytes="
              + Integer.toUnsignedString(length)
              + " limit="
              + MAX_PAYLOAD_BYTES);
    }
  }

  /** The head of a payload. */
  static SectionHeader of(int id, int version, byte[] payload) {
    return new SectionHeader(
        id, version, payload.length, checksum(id, version, payload.length, payload));
  }

  /**
   * Takes a head from a buffer.
   *
   * @throws RefusedException when there are too few bytes, or no section has such a head
   */
  public static SectionHeader read(ByteBuffer from) {
    if (from.remaining() < BYTES) {
      throw refused(
          RecordCode.CUT_OFF,
          "a section ends in its head, bytes=" + from.remaining() + " of " + BYTES);
    }
    ByteBuffer words = from.slice(from.position(), BYTES).order(ByteOrder.LITTLE_ENDIAN);
    from.position(from.position() + BYTES);
    return new SectionHeader(words.getInt(), words.getInt(), words.getInt(), words.getInt());
  }

  /** Puts the head into a buffer. */
  void write(ByteBuffer into) {
    ByteBuffer words = into.slice(into.position(), BYTES).order(ByteOrder.LITTLE_ENDIAN);
    words.putInt(id).putInt(version).putInt(length).putInt(checksum);
    into.position(into.position() + BYTES);
  }

  /** Refuses a payload that is not the one this head was made for. */
  void verify(byte[] payload) {
    if (payload.length != length || checksum(id, version, length, payload) != checksum) {
      throw refused(
          RecordCode.DAMAGED,
          "a section is damaged, id=" + Integer.toUnsignedString(id) + " bytes=" + payload.length);
    }
  }

  static RefusedException refused(ErrorEntry code, String what) {
    return new RefusedException(code, Errno.EPROTO, what, "");
  }

  private static int checksum(int id, int version, int length, byte[] payload) {
    ByteBuffer head = ByteBuffer.allocate(CHECKED_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    head.putInt(id).putInt(version).putInt(length).flip();
    CRC32C crc = new CRC32C();
    crc.update(head);
    crc.update(payload);
    return (int) crc.getValue();
  }
}
