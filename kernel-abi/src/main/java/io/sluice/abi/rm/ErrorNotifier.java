package io.sluice.abi.rm;

import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NvNotification}: a record of a channel's error notifier, in memory the driver writes.
 *
 * <p>16 bytes. Source: nvtypes.h, NvNotification.
 */
public final class ErrorNotifier {
  /** {@link #STATUS}: the channel has ended. */
  public static final int STATUS_ERROR = 0xffff;

  private static final Struct S = Struct.aligned("NvNotification");
  public static final U32 INFO32 =
      S.unused64("timeStampNs", "GPU time").u32("info32", "number of the Xid");
  public static final U16 INFO16 = S.u16("info16", "engine type");
  public static final U16 STATUS = S.u16("status", "STATUS_ERROR once there is one");
  public static final StructLayout LAYOUT = S.layout();

  private ErrorNotifier() {}
}
