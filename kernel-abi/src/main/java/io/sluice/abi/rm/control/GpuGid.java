package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * {@code NV2080_CTRL_GPU_GET_GID_INFO_PARAMS}: block of GPU_GET_GID_INFO.
 *
 * <p>268 bytes. Source: ctrl2080gpu.h.
 */
public final class GpuGid {
  /** {@link #FLAGS}: the id is 16 bytes; otherwise it is a text. */
  public static final int BINARY = 2;

  private static final ValueLayout.OfLong BIG_ENDIAN =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final Struct S =
      Struct.aligned("NV2080_CTRL_GPU_GET_GID_INFO_PARAMS").unused32("index", "in: 0");
  public static final U32 FLAGS = S.u32("flags", "in: form of the id");

  /** Where the id begins. */
  public static final long DATA = 12;

  public static final StructLayout LAYOUT =
      S.unused32("length", "out: bytes of the id")
          .unusedBytes("data", 256, "out: the card's UUID")
          .layout();

  private GpuGid() {}

  /** The UUID whose 16 bytes stand somewhere. */
  public static UUID uuid(MemorySegment block, long at) {
    return new UUID(block.get(BIG_ENDIAN, at), block.get(BIG_ENDIAN, at + Long.BYTES));
  }

  /** Puts them there. */
  public static void uuid(MemorySegment block, long at, UUID id) {
    block.set(BIG_ENDIAN, at, id.getMostSignificantBits());
    block.set(BIG_ENDIAN, at + Long.BYTES, id.getLeastSignificantBits());
  }

  /** The UUID as the driver writes it as a text. */
  public static String text(UUID id) {
    return "GPU-" + id;
  }
}
