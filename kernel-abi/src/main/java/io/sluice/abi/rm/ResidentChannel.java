package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV2080_CTRL_GR_GET_CURRENT_RESIDENT_CHANNEL_PARAMS}: block of
 * GR_GET_CURRENT_RESIDENT_CHANNEL.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  chID                      out: number on its runlist, as in the doorbell's token
 * 0x08      4  grRouteFlags              0
 * 0x10      8  grRoute                   0
 * </pre>
 *
 * <p>24 bytes. Source: ctrl2080gr.h.
 */
public final class ResidentChannel {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("chID"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              Layouts.U32.withName("grRouteFlags"),
              MemoryLayout.paddingLayout(4).withName("pad1"),
              Layouts.U64.withName("grRoute"))
          .withName("NV2080_CTRL_GR_GET_CURRENT_RESIDENT_CHANNEL_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CHANNEL = LAYOUT.varHandle(PathElement.groupElement("chID"));

  private ResidentChannel() {}

  /** {@code chID}, out: number on its runlist, as in the doorbell's token. */
  public static int channel(MemorySegment segment) {
    return (int) CHANNEL.get(segment, 0L);
  }

  /** Sets {@link #channel}. */
  public static void channel(MemorySegment segment, int value) {
    CHANNEL.set(segment, 0L, value);
  }
}
