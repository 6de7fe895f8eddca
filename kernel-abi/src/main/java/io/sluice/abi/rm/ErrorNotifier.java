package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NvNotification}: a record of a channel's error notifier, in memory the driver writes.
 *
 * <pre>
 * offset  size  field
 * 0x00      8  timeStampNs               GPU time
 * 0x08      4  info32                    number of the Xid
 * 0x0c      2  info16                    engine type
 * 0x0e      2  status                    STATUS_ERROR once there is one
 * </pre>
 *
 * <p>16 bytes. Source: nvtypes.h, NvNotification.
 */
public final class ErrorNotifier {
  /** {@link #status}: the channel has ended. */
  public static final short STATUS_ERROR = (short) 0xffff;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U64.withName("timeStampNs"),
              Layouts.U32.withName("info32"),
              Layouts.U16.withName("info16"),
              Layouts.U16.withName("status"))
          .withName("NvNotification");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle TIME_NS =
      LAYOUT.varHandle(PathElement.groupElement("timeStampNs"));

  private static final VarHandle INFO32 = LAYOUT.varHandle(PathElement.groupElement("info32"));

  private static final VarHandle INFO16 = LAYOUT.varHandle(PathElement.groupElement("info16"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private ErrorNotifier() {}

  /** {@code timeStampNs}, GPU time. */
  public static long timeNs(MemorySegment segment) {
    return (long) TIME_NS.get(segment, 0L);
  }

  /** Sets {@link #timeNs}. */
  public static void timeNs(MemorySegment segment, long value) {
    TIME_NS.set(segment, 0L, value);
  }

  /** {@code info32}, number of the Xid. */
  public static int info32(MemorySegment segment) {
    return (int) INFO32.get(segment, 0L);
  }

  /** Sets {@link #info32}. */
  public static void info32(MemorySegment segment, int value) {
    INFO32.set(segment, 0L, value);
  }

  /** {@code info16}, engine type. */
  public static short info16(MemorySegment segment) {
    return (short) INFO16.get(segment, 0L);
  }

  /** Sets {@link #info16}. */
  public static void info16(MemorySegment segment, short value) {
    INFO16.set(segment, 0L, value);
  }

  /** {@code status}, STATUS_ERROR once there is one. */
  public static short status(MemorySegment segment) {
    return (short) STATUS.get(segment, 0L);
  }

  /** Sets {@link #status}. */
  public static void status(MemorySegment segment, short value) {
    STATUS.set(segment, 0L, value);
  }
}
