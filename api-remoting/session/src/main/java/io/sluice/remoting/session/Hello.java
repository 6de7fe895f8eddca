package io.sluice.remoting.session;

import io.sluice.abi.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The first message of a link, from the application: 32 bytes, little-endian.
 *
 * <pre>
 * u32 magic 0x53414c53, u16 version 1, u16 api, u64 bytes of segment 0, u64 0, u64 0
 * </pre>
 *
 * @param api the number of the API
 * @param bytes of segment 0
 */
record Hello(int api, long bytes) {
  static final int MAGIC = 0x53414c53;
  static final int VERSION = 1;

  /** Bytes of each message of a link, either way. */
  static final int BYTES = 32;

  /** Least bytes of segment 0: all that {@link RingLayout} names. */
  private static final long LEAST_BYTES = RingLayout.ARENA;

  static Hello read(MemorySegment message) {
    int magic = message.get(ValueLayout.JAVA_INT, 0);
    int version = message.get(ValueLayout.JAVA_SHORT, 4);
    if (magic != MAGIC || version != VERSION) {
      throw new ProtocolException(
          Errno.EPROTO,
          "hello is not of this protocol, magic=0x"
              + Integer.toHexString(magic)
              + ", version="
              + version);
    }
    long bytes = message.get(ValueLayout.JAVA_LONG, 8);
    if (bytes < LEAST_BYTES
        || message.get(ValueLayout.JAVA_LONG, 16) != 0
        || message.get(ValueLayout.JAVA_LONG, 24) != 0) {
      throw new ProtocolException(
          Errno.EINVAL, "hello has too little memory or unknown fields, bytes=" + bytes);
    }
    return new Hello(message.get(ValueLayout.JAVA_SHORT, 6) & 0xffff, bytes);
  }

  /**
   * Writes the answer: {@code u32 magic, u16 version, u16 errno or 0, u64 session, u64 most bytes,
   * u64 0}.
   */
  static void answer(MemorySegment message, int errno, long session, long mostBytes) {
    message.fill((byte) 0);
    message.set(ValueLayout.JAVA_INT, 0, MAGIC);
    message.set(ValueLayout.JAVA_SHORT, 4, (short) VERSION);
    message.set(ValueLayout.JAVA_SHORT, 6, (short) errno);
    message.set(ValueLayout.JAVA_LONG, 8, session);
    message.set(ValueLayout.JAVA_LONG, 16, mostBytes);
  }
}
