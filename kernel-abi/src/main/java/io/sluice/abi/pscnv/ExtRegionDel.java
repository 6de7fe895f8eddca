package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_region_del}: argument of REGION_DEL. Access is gone when it returns.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  region              in
 *  0x04      4  channels_ended      out: channels that used it and ended
 * </pre>
 *
 * <p>8 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtRegionDel {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("region"), Layouts.U32.withName("channels_ended"))
          .withName("sluice_ext_region_del");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle REGION = LAYOUT.varHandle(PathElement.groupElement("region"));
  private static final VarHandle CHANNELS_ENDED =
      LAYOUT.varHandle(PathElement.groupElement("channels_ended"));

  private ExtRegionDel() {}

  /** {@code region}, in. */
  public static int region(MemorySegment segment) {
    return (int) REGION.get(segment, 0L);
  }

  /** Sets {@link #region}. */
  public static void region(MemorySegment segment, int value) {
    REGION.set(segment, 0L, value);
  }

  /** {@code channels_ended}, out: channels that used it and ended. */
  public static int channelsEnded(MemorySegment segment) {
    return (int) CHANNELS_ENDED.get(segment, 0L);
  }

  /** Sets {@link #channelsEnded}. */
  public static void channelsEnded(MemorySegment segment, int value) {
    CHANNELS_ENDED.set(segment, 0L, value);
  }
}
