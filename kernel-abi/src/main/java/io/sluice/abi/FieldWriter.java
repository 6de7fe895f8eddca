package io.sluice.abi;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** The writer of records and messages: little-endian fields, one behind the other. */
public final class FieldWriter {
  /** What an absent number of 64 bits is written as; no field has this value. */
  public static final long ABSENT = -1;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

  /** A word of 32 bits as it is. */
  public FieldWriter bits(int value) {
    out.write(word.putInt(0, value).array(), 0, Integer.BYTES);
    return this;
  }

  /** A number of 64 bits. */
  public FieldWriter u64(long value) {
    out.write(word.putLong(0, value).array(), 0, Long.BYTES);
    return this;
  }

  /** A word that is 0 or 1. */
  public FieldWriter flag(boolean value) {
    return bits(value ? 1 : 0);
  }

  /** 64 bits; {@link #ABSENT} for none. */
  public FieldWriter optional(OptionalLong value) {
    return u64(value.orElse(ABSENT));
  }

  /** Bytes behind their number. */
  public FieldWriter bytes(byte[] value) {
    return bits(value.length).raw(ByteBuffer.wrap(value));
  }

  /** UTF-8 behind its number of bytes. */
  public FieldWriter text(String value) {
    return bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  /** Bytes alone; the buffer stays where it is. */
  public FieldWriter raw(ByteBuffer value) {
    byte[] copy = new byte[value.remaining()];
    value.duplicate().get(copy);
    out.writeBytes(copy);
    return this;
  }

  /** All that was written. */
  public byte[] toBytes() {
    return out.toByteArray();
  }
}
