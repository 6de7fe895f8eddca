package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS}: block of GPFIFO_SCHEDULE.
 *
 * <pre>
 * offset  size  field
 * 0x00      1  bEnable                   in: 1
 * 0x01      1  bSkipSubmit               in: 0
 * 0x02      1  bSkipEnable               in: 0
 * </pre>
 *
 * <p>3 bytes. Source: ctrla06c.h.
 */
public final class GpfifoSchedule {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U8.withName("bEnable"),
              Layouts.U8.withName("bSkipSubmit"),
              Layouts.U8.withName("bSkipEnable"))
          .withName("NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ENABLE = LAYOUT.varHandle(PathElement.groupElement("bEnable"));

  private static final VarHandle SKIP_SUBMIT =
      LAYOUT.varHandle(PathElement.groupElement("bSkipSubmit"));

  private static final VarHandle SKIP_ENABLE =
      LAYOUT.varHandle(PathElement.groupElement("bSkipEnable"));

  private GpfifoSchedule() {}

  /** {@code bEnable}, in: 1. */
  public static byte enable(MemorySegment segment) {
    return (byte) ENABLE.get(segment, 0L);
  }

  /** Sets {@link #enable}. */
  public static void enable(MemorySegment segment, byte value) {
    ENABLE.set(segment, 0L, value);
  }

  /** {@code bSkipSubmit}, in: 0. */
  public static byte skipSubmit(MemorySegment segment) {
    return (byte) SKIP_SUBMIT.get(segment, 0L);
  }

  /** Sets {@link #skipSubmit}. */
  public static void skipSubmit(MemorySegment segment, byte value) {
    SKIP_SUBMIT.set(segment, 0L, value);
  }

  /** {@code bSkipEnable}, in: 0. */
  public static byte skipEnable(MemorySegment segment) {
    return (byte) SKIP_ENABLE.get(segment, 0L);
  }

  /** Sets {@link #skipEnable}. */
  public static void skipEnable(MemorySegment segment, byte value) {
    SKIP_ENABLE.set(segment, 0L, value);
  }
}
