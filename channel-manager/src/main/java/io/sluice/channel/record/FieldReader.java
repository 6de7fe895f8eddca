package io.sluice.channel.record;

import static io.sluice.channel.record.Check.check;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** Reads what {@link FieldWriter} wrote; refuses what is too short, too long or out of range. */
final class FieldReader {
  private final ByteBuffer in;

  FieldReader(ByteBuffer payload) {
    in = payload;
  }

  int u32() {
    need(Integer.BYTES);
    return in.getInt();
  }

  long u64() {
    need(Long.BYTES);
    return in.getLong();
  }

  boolean flag() {
    int value = u32();
    check(value == 0 || value == 1, "a flag is 0 or 1");
    return value == 1;
  }

  OptionalLong optional() {
    long value = u64();
    return value == FieldWriter.ABSENT ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /** How many elements follow; each has at least so many bytes, so they are there. */
  int count(int limit, int elementBytes) {
    int count = u32();
    check(count >= 0 && count <= limit, "a list has at most " + limit + " elements");
    need(count * (long) elementBytes);
    return count;
  }

  byte[] bytes(int limit) {
    byte[] value = new byte[count(limit, 1)];
    in.get(value);
    return value;
  }

  String text(int limit) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(limit))).toString();
    } catch (CharacterCodingException e) {
      throw SectionHeader.refused("SLU-REC-005", "a text is not UTF-8");
    }
  }

  /** Refuses a payload that goes on. */
  void end() {
    if (in.hasRemaining()) {
      throw SectionHeader.refused(
          "SLU-REC-007", "a record is longer than its layout, bytes=" + in.remaining());
    }
  }

  private void need(long bytes) {
    if (in.remaining() < bytes) {
      throw SectionHeader.refused(
          "SLU-REC-006",
          "a record is shorter than its layout, bytes=" + in.remaining() + " of " + bytes);
    }
  }
}
