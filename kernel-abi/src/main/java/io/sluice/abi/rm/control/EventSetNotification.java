package io.sluice.abi.rm.control;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS}: block of EVENT_SET_NOTIFICATION.
 *
 * <p>20 bytes. Source: ctrl2080event.h.
 */
public final class EventSetNotification {
  /** {@link #ACTION}: each time. */
  public static final int ACTION_REPEAT = 2;

  private static final Struct S = Struct.aligned("NV2080_CTRL_EVENT_SET_NOTIFICATION_PARAMS");
  public static final U32 EVENT = S.u32("event", "in: index");
  public static final U32 ACTION = S.u32("action", "in");
  public static final StructLayout LAYOUT =
      S.unused8("bNotifyState", "in: 0")
          .unused32("info32", "in: 0")
          .unused16("info16", "in: 0")
          .layout();

  private EventSetNotification() {}
}
