package io.sluice.channel.record;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** Writes the fields of a record, little-endian, one behind the other. */
final class FieldWriter {
  /** What an absent u64 is written as; no field has this value. */
  static final long ABSENT = -1;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

  FieldWriter u32(int value) {
    out.write(word.putInt(0, value).array(), 0, Integer.BYTES);
    return this;
  }

  FieldWriter u64(long value) {
    out.write(word.putLong(0, value).array(), 0, Long.BYTES);
    return this;
  }

  FieldWriter flag(boolean value) {
    return u32(value ? 1 : 0);
  }

  FieldWriter optional(OptionalLong value) {
    return u64(value.orElse(ABSENT));
  }

  FieldWriter bytes(byte[] value) {
    u32(value.length);
    out.writeBytes(value);
    return this;
  }

  FieldWriter text(String value) {
    return bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  byte[] toBytes() {
    return out.toByteArray();
  }
}
