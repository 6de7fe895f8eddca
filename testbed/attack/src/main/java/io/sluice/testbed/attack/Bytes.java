package io.sluice.testbed.attack;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Bytes of messages, little-endian. */
final class Bytes {
  private static final int MOST = 1 << 20;

  private Bytes() {}

  /** Integer, Long and Short as words, byte[] as it is, one after the other. */
  static byte[] of(Object... parts) {
    ByteBuffer buffer = ByteBuffer.allocate(MOST).order(ByteOrder.LITTLE_ENDIAN);
    for (Object part : parts) {
      switch (part) {
        case Integer word -> buffer.putInt(word);
        case Long word -> buffer.putLong(word);
        case Short half -> buffer.putShort(half);
        case byte[] bytes -> buffer.put(bytes);
        default -> throw new IllegalArgumentException(part.toString());
      }
    }
    byte[] bytes = new byte[buffer.position()];
    buffer.flip().get(bytes);
    return bytes;
  }
}
