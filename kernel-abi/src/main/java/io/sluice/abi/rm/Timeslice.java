package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVA06C_CTRL_TIMESLICE_PARAMS}: block of SET_TIMESLICE and GET_TIMESLICE.
 *
 * <pre>
 * offset  size  field
 * 0x00      8  timesliceUs               in or out
 * </pre>
 *
 * <p>8 bytes. Source: ctrla06c.h.
 */
public final class Timeslice {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U64.withName("timesliceUs"))
          .withName("NVA06C_CTRL_TIMESLICE_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle MICROSECONDS =
      LAYOUT.varHandle(PathElement.groupElement("timesliceUs"));

  private Timeslice() {}

  /** {@code timesliceUs}, in or out. */
  public static long microseconds(MemorySegment segment) {
    return (long) MICROSECONDS.get(segment, 0L);
  }

  /** Sets {@link #microseconds}. */
  public static void microseconds(MemorySegment segment, long value) {
    MICROSECONDS.set(segment, 0L, value);
  }
}
