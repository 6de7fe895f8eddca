package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV_HOPPER_USERMODE_A_PARAMS}: block of HOPPER_USERMODE_A; may be left out.
 *
 * <pre>
 * offset  size  field
 * 0x00      1  bBar1Mapping              in: 1 lets the GPU itself map it
 * 0x01      1  bPriv                     in: 0
 * </pre>
 *
 * <p>2 bytes. Source: clc661.h.
 */
public final class UsermodeAlloc {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U8.withName("bBar1Mapping"), Layouts.U8.withName("bPriv"))
          .withName("NV_HOPPER_USERMODE_A_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle BAR1_MAPPING =
      LAYOUT.varHandle(PathElement.groupElement("bBar1Mapping"));

  private static final VarHandle PRIVILEGED = LAYOUT.varHandle(PathElement.groupElement("bPriv"));

  private UsermodeAlloc() {}

  /** {@code bBar1Mapping}, in: 1 lets the GPU itself map it. */
  public static byte bar1Mapping(MemorySegment segment) {
    return (byte) BAR1_MAPPING.get(segment, 0L);
  }

  /** Sets {@link #bar1Mapping}. */
  public static void bar1Mapping(MemorySegment segment, byte value) {
    BAR1_MAPPING.set(segment, 0L, value);
  }

  /** {@code bPriv}, in: 0. */
  public static byte privileged(MemorySegment segment) {
    return (byte) PRIVILEGED.get(segment, 0L);
  }

  /** Sets {@link #privileged}. */
  public static void privileged(MemorySegment segment, byte value) {
    PRIVILEGED.set(segment, 0L, value);
  }
}
