package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVA06C_CTRL_PREEMPT_PARAMS}: block of PREEMPT.
 *
 * <pre>
 * offset  size  field
 * 0x00      1  bWait                     in: 1 returns when it is done
 * 0x01      1  bManualTimeout            in: 1 uses the time-out
 * 0x04      4  timeoutUs                 in: microseconds
 * </pre>
 *
 * <p>8 bytes. Source: ctrla06c.h.
 */
public final class Preempt {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U8.withName("bWait"),
              Layouts.U8.withName("bManualTimeout"),
              MemoryLayout.paddingLayout(2).withName("pad0"),
              Layouts.U32.withName("timeoutUs"))
          .withName("NVA06C_CTRL_PREEMPT_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle WAIT = LAYOUT.varHandle(PathElement.groupElement("bWait"));

  private static final VarHandle MANUAL_TIMEOUT =
      LAYOUT.varHandle(PathElement.groupElement("bManualTimeout"));

  private static final VarHandle TIMEOUT_US =
      LAYOUT.varHandle(PathElement.groupElement("timeoutUs"));

  private Preempt() {}

  /** {@code bWait}, in: 1 returns when it is done. */
  public static byte wait(MemorySegment segment) {
    return (byte) WAIT.get(segment, 0L);
  }

  /** Sets {@link #wait}. */
  public static void wait(MemorySegment segment, byte value) {
    WAIT.set(segment, 0L, value);
  }

  /** {@code bManualTimeout}, in: 1 uses the time-out. */
  public static byte manualTimeout(MemorySegment segment) {
    return (byte) MANUAL_TIMEOUT.get(segment, 0L);
  }

  /** Sets {@link #manualTimeout}. */
  public static void manualTimeout(MemorySegment segment, byte value) {
    MANUAL_TIMEOUT.set(segment, 0L, value);
  }

  /** {@code timeoutUs}, in: microseconds. */
  public static int timeoutUs(MemorySegment segment) {
    return (int) TIMEOUT_US.get(segment, 0L);
  }

  /** Sets {@link #timeoutUs}. */
  public static void timeoutUs(MemorySegment segment, int value) {
    TIMEOUT_US.set(segment, 0L, value);
  }
}
