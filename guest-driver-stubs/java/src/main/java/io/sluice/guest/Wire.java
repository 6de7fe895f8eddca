package io.sluice.guest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Unaligned little-endian words of vfio-user messages. */
final class Wire {
  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Wire() {}

  static int u16(MemorySegment s, long offset) {
    return Short.toUnsignedInt(s.get(U16, offset));
  }

  static void u16(MemorySegment s, long offset, int value) {
    s.set(U16, offset, (short) value);
  }

  static int u32(MemorySegment s, long offset) {
    return s.get(U32, offset);
  }

  static void u32(MemorySegment s, long offset, int value) {
    s.set(U32, offset, value);
  }

  static long u64(MemorySegment s, long offset) {
    return s.get(U64, offset);
  }

  static void u64(MemorySegment s, long offset, long value) {
    s.set(U64, offset, value);
  }
}
