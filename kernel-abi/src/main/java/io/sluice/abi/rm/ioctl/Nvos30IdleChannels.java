package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS30_PARAMETERS}: argument of RM_IDLE_CHANNELS.
 *
 * <p>56 bytes. Source: nvos.h; what the time 0 means was measured.
 */
public final class Nvos30IdleChannels {
  /** {@link #FLAGS}: looks again and again until the time is over. */
  public static final int FLAGS_BEHAVIOR_SPIN = 0;

  /** {@link #FLAGS}: the one channel, in place of lists. */
  public static final int FLAGS_CHANNEL_SINGLE = 1 << 4;

  /** {@link #FLAGS}: nothing is left to fetch. */
  public static final int FLAGS_IDLE_PUSH_BUFFER = 1 << 8;

  /** {@link #FLAGS}: nothing that was fetched is left to execute. */
  public static final int FLAGS_IDLE_CACHE1 = 1 << 9;

  private static final Struct S = Struct.aligned("NVOS30_PARAMETERS");
  public static final U32 H_CLIENT = S.u32("hClient", "in: client");
  public static final U32 H_DEVICE = S.u32("hDevice", "in: device");
  public static final U32 H_CHANNEL = S.u32("hChannel", "in: channel, of one");
  public static final U32 NUM_CHANNELS = S.u32("numChannels", "in: channels of the lists");
  public static final U32 FLAGS =
      S.unused64("phClients", "in: list, or 0")
          .unused64("phDevices", "in: list, or 0")
          .unused64("phChannels", "in: list, or 0")
          .u32("flags", "in");
  public static final U32 TIMEOUT = S.u32("timeout", "in: microseconds; 0 for 4 seconds");
  public static final U32 STATUS = S.u32("status", "out");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos30IdleChannels() {}
}
