package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVA06F_CTRL_STOP_CHANNEL_PARAMS}: block of STOP_CHANNEL.
 *
 * <pre>
 * offset  size  field
 * 0x00      1  bImmediate                in: 1
 * </pre>
 *
 * <p>1 bytes. Source: ctrla06fgpfifo.h.
 */
public final class StopChannel {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U8.withName("bImmediate"))
          .withName("NVA06F_CTRL_STOP_CHANNEL_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle IMMEDIATE =
      LAYOUT.varHandle(PathElement.groupElement("bImmediate"));

  private StopChannel() {}

  /** {@code bImmediate}, in: 1. */
  public static byte immediate(MemorySegment segment) {
    return (byte) IMMEDIATE.get(segment, 0L);
  }

  /** Sets {@link #immediate}. */
  public static void immediate(MemorySegment segment, byte value) {
    IMMEDIATE.set(segment, 0L, value);
  }
}
