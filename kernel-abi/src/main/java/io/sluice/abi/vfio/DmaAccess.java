package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_user_dma_region_access}: body of DMA_READ and DMA_WRITE; the bytes follow.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  addr                IOVA
 *  0x08      8  count               bytes
 * </pre>
 *
 * <p>16 bytes. Unsigned, little-endian, at any offset. Source: vfio-user specification,
 * "VFIO_USER_DMA_READ".
 */
public final class DmaAccess {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U64.withName("addr"), Layouts.WIRE_U64.withName("count"))
          .withName("vfio_user_dma_region_access");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ADDR = LAYOUT.varHandle(PathElement.groupElement("addr"));
  private static final VarHandle COUNT = LAYOUT.varHandle(PathElement.groupElement("count"));

  private DmaAccess() {}

  /** {@code addr}: IOVA. */
  public static long addr(MemorySegment segment, long offset) {
    return (long) ADDR.get(segment, offset);
  }

  /** Sets {@link #addr}. */
  public static void addr(MemorySegment segment, long offset, long value) {
    ADDR.set(segment, offset, value);
  }

  /** {@code count}: bytes. */
  public static long count(MemorySegment segment, long offset) {
    return (long) COUNT.get(segment, offset);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, long offset, long value) {
    COUNT.set(segment, offset, value);
  }
}
