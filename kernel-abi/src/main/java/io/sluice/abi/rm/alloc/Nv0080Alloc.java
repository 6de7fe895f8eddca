package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV0080_ALLOC_PARAMETERS}: block of NV01_DEVICE_0.
 *
 * <p>56 bytes. Source: alloc/alloc_channel.h, cl0080.h.
 */
public final class Nv0080Alloc {
  /** {@link #VA_MODE}: address spaces are made one by one, none with the device. */
  public static final int VA_MODE_MULTIPLE_VASPACES = 2;

  private static final Struct S = Struct.aligned("NV0080_ALLOC_PARAMETERS");
  public static final U32 DEVICE_ID = S.u32("deviceId", "in: device instance");
  public static final U32 H_CLIENT_SHARE = S.u32("hClientShare", "in: client");
  public static final U32 VA_MODE =
      S.unused32("hTargetClient", "in: 0")
          .unused32("hTargetDevice", "in: 0")
          .unused32("flags", "in: 0")
          .unused64("vaSpaceSize", "in: 0")
          .unused64("vaStartInternal", "in: 0")
          .unused64("vaLimitInternal", "in: 0")
          .u32("vaMode", "in");
  public static final StructLayout LAYOUT = S.layout();

  private Nv0080Alloc() {}
}
