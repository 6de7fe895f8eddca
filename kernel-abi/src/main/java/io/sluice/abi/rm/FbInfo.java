package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV2080_CTRL_FB_GET_INFO_V2_PARAMS}: block of FB_GET_INFO_V2: pairs of index and value.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  fbInfoListSize            in: pairs
 * 0x04   1024  fbInfoList[256]           in: index; out: value behind it
 * </pre>
 *
 * <p>1028 bytes. Source: ctrl2080fb.h.
 */
public final class FbInfo {
  /** Index: KiB of video memory. */
  public static final int RAM_SIZE = 7;

  /** Index: KiB of it that can be allocated. */
  public static final int HEAP_SIZE = 9;

  /** Index: KiB of that which are free. */
  public static final int HEAP_FREE = 0x16;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("fbInfoListSize"),
              MemoryLayout.sequenceLayout(256, Layouts.U32).withName("fbInfoList"))
          .withName("NV2080_CTRL_FB_GET_INFO_V2_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle COUNT =
      LAYOUT.varHandle(PathElement.groupElement("fbInfoListSize"));

  private static final VarHandle LIST =
      LAYOUT.varHandle(PathElement.groupElement("fbInfoList"), PathElement.sequenceElement());

  private FbInfo() {}

  /** {@code fbInfoListSize}, in: pairs. */
  public static int count(MemorySegment segment) {
    return (int) COUNT.get(segment, 0L);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, int value) {
    COUNT.set(segment, 0L, value);
  }

  /** {@code fbInfoList[index]}, in: index; out: value behind it. */
  public static int list(MemorySegment segment, int index) {
    return (int) LIST.get(segment, 0L, (long) index);
  }

  /** Sets {@link #list}. */
  public static void list(MemorySegment segment, int index, int value) {
    LIST.set(segment, 0L, (long) index, value);
  }
}
