package io.sluice.testbed.attack;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Bytes of messages, little-endian. */
final class Bytes {
  private Bytes() {}

  /** Integer, Long and Short as words, byte[] as it is, one after the other. */
  static byte[] of(Object... parts) {
    int size = Arrays.stream(parts).mapToInt(Bytes::size).sum();
    ByteBuffer buffer = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    for (Object part : parts) {
      switch (part) {
        case Integer word -> buffer.putInt(word);
        case Long word -> buffer.putLong(word);
        case Short half -> buffer.putShort(half);
        case byte[] bytes -> buffer.put(bytes);
        default -> throw new IllegalArgumentException(part.toString());
      }
    }
    return buffer.array();
  }

  private static int size(Object part) {
    return switch (part) {
      case Integer _ -> Integer.BYTES;
      case Long _ -> Long.BYTES;
      case Short _ -> Short.BYTES;
      case byte[] bytes -> bytes.length;
      default -> throw new IllegalArgumentException(part.toString());
    };
  }
}
