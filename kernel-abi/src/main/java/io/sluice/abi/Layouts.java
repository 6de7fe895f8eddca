package io.sluice.abi;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The value layouts of all structures: order and alignment are spelled here and nowhere else.
 *
 * <p>{@code U16} to {@code U64} are naturally aligned, for structures in shared memory and
 * arguments of ioctls; they allow atomic access. {@code WIRE_*} are unaligned, for messages that
 * stand at any offset of a receive buffer; they allow plain access only.
 */
public final class Layouts {
  /** 8 bits. */
  public static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;

  /** 16 bits, naturally aligned. */
  public static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** 32 bits, naturally aligned. */
  public static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** 64 bits, naturally aligned. */
  public static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** 16 bits at any offset. */
  public static final ValueLayout.OfShort WIRE_U16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** 32 bits at any offset. */
  public static final ValueLayout.OfInt WIRE_U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** 64 bits at any offset. */
  public static final ValueLayout.OfLong WIRE_U64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Layouts() {}
}
