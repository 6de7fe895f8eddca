package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV2080_CTRL_CE_GET_CAPS_V2_PARAMS}: block of CE_GET_CAPS_V2.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  ceEngineType              in: {@link RmEngine}
 * 0x04      2  capsTbl[2]                out: bits
 * </pre>
 *
 * <p>8 bytes. Source: ctrl2080ce.h.
 */
public final class CeCaps {
  /** Bit of byte 0: one that graphics channels use. */
  public static final int CAPS_GRCE = 1;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("ceEngineType"),
              MemoryLayout.sequenceLayout(2, Layouts.U8).withName("capsTbl"),
              MemoryLayout.paddingLayout(2).withName("pad0"))
          .withName("NV2080_CTRL_CE_GET_CAPS_V2_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ENGINE_TYPE =
      LAYOUT.varHandle(PathElement.groupElement("ceEngineType"));

  private static final VarHandle CAPS =
      LAYOUT.varHandle(PathElement.groupElement("capsTbl"), PathElement.sequenceElement());

  private CeCaps() {}

  /** {@code ceEngineType}, in: {@link RmEngine}. */
  public static int engineType(MemorySegment segment) {
    return (int) ENGINE_TYPE.get(segment, 0L);
  }

  /** Sets {@link #engineType}. */
  public static void engineType(MemorySegment segment, int value) {
    ENGINE_TYPE.set(segment, 0L, value);
  }

  /** {@code capsTbl[index]}, out: bits. */
  public static byte caps(MemorySegment segment, int index) {
    return (byte) CAPS.get(segment, 0L, (long) index);
  }

  /** Sets {@link #caps}. */
  public static void caps(MemorySegment segment, int index, byte value) {
    CAPS.set(segment, 0L, (long) index, value);
  }
}
