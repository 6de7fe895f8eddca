package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_getparam}: argument of GETPARAM.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  param               in: an id of PscnvParam; for TP_COUNT_IDX the GPC in the upper half
 *  0x08      8  value               out
 * </pre>
 *
 * <p>16 bytes. Source: pscnv_drm.h.
 */
public final class PscnvGetparam {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U64.withName("param"), Layouts.U64.withName("value"))
          .withName("drm_pscnv_getparam");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle PARAM = LAYOUT.varHandle(PathElement.groupElement("param"));
  private static final VarHandle VALUE = LAYOUT.varHandle(PathElement.groupElement("value"));

  private PscnvGetparam() {}

  /** {@code param}, in: an id of PscnvParam; for TP_COUNT_IDX the GPC in the upper half. */
  public static long param(MemorySegment segment) {
    return (long) PARAM.get(segment, 0L);
  }

  /** Sets {@link #param}. */
  public static void param(MemorySegment segment, long value) {
    PARAM.set(segment, 0L, value);
  }

  /** {@code value}, out. */
  public static long value(MemorySegment segment) {
    return (long) VALUE.get(segment, 0L);
  }

  /** Sets {@link #value}. */
  public static void value(MemorySegment segment, long value) {
    VALUE.set(segment, 0L, value);
  }
}
