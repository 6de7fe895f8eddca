package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
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
  public static final U32 H_TARGET_CLIENT = S.u32("hTargetClient", "in: 0");
  public static final U32 H_TARGET_DEVICE = S.u32("hTargetDevice", "in: 0");
  public static final U32 FLAGS = S.u32("flags", "in: 0");
  public static final U64 VA_SPACE_SIZE = S.u64("vaSpaceSize", "in: 0");
  public static final U64 VA_START_INTERNAL = S.u64("vaStartInternal", "in: 0");
  public static final U64 VA_LIMIT_INTERNAL = S.u64("vaLimitInternal", "in: 0");
  public static final U32 VA_MODE = S.u32("vaMode", "in");
  public static final StructLayout LAYOUT = S.layout();

  private Nv0080Alloc() {}
}
