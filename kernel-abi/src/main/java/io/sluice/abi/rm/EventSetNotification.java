package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS}: block of EVENT_SET_NOTIFICATION.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  event                     in: index
 * 0x04      4  action                    in
 * 0x08      1  bNotifyState              in: 0
 * 0x0c      4  info32                    in: 0
 * 0x10      2  info16                    in: 0
 * </pre>
 *
 * <p>20 bytes. Source: ctrl2080event.h.
 */
public final class EventSetNotification {
  /** {@link #action}: never. */
  public static final int ACTION_DISABLE = 0;

  /** {@link #action}: each time. */
  public static final int ACTION_REPEAT = 2;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("event"),
              Layouts.U32.withName("action"),
              Layouts.U8.withName("bNotifyState"),
              MemoryLayout.paddingLayout(3).withName("pad0"),
              Layouts.U32.withName("info32"),
              Layouts.U16.withName("info16"),
              MemoryLayout.paddingLayout(2).withName("pad1"))
          .withName("NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle EVENT = LAYOUT.varHandle(PathElement.groupElement("event"));

  private static final VarHandle ACTION = LAYOUT.varHandle(PathElement.groupElement("action"));

  private static final VarHandle NOTIFY_STATE =
      LAYOUT.varHandle(PathElement.groupElement("bNotifyState"));

  private static final VarHandle INFO32 = LAYOUT.varHandle(PathElement.groupElement("info32"));

  private static final VarHandle INFO16 = LAYOUT.varHandle(PathElement.groupElement("info16"));

  private EventSetNotification() {}

  /** {@code event}, in: index. */
  public static int event(MemorySegment segment) {
    return (int) EVENT.get(segment, 0L);
  }

  /** Sets {@link #event}. */
  public static void event(MemorySegment segment, int value) {
    EVENT.set(segment, 0L, value);
  }

  /** {@code action}, in. */
  public static int action(MemorySegment segment) {
    return (int) ACTION.get(segment, 0L);
  }

  /** Sets {@link #action}. */
  public static void action(MemorySegment segment, int value) {
    ACTION.set(segment, 0L, value);
  }

  /** {@code bNotifyState}, in: 0. */
  public static byte notifyState(MemorySegment segment) {
    return (byte) NOTIFY_STATE.get(segment, 0L);
  }

  /** Sets {@link #notifyState}. */
  public static void notifyState(MemorySegment segment, byte value) {
    NOTIFY_STATE.set(segment, 0L, value);
  }

  /** {@code info32}, in: 0. */
  public static int info32(MemorySegment segment) {
    return (int) INFO32.get(segment, 0L);
  }

  /** Sets {@link #info32}. */
  public static void info32(MemorySegment segment, int value) {
    INFO32.set(segment, 0L, value);
  }

  /** {@code info16}, in: 0. */
  public static short info16(MemorySegment segment) {
    return (short) INFO16.get(segment, 0L);
  }

  /** Sets {@link #info16}. */
  public static void info16(MemorySegment segment, short value) {
    INFO16.set(segment, 0L, value);
  }
}
