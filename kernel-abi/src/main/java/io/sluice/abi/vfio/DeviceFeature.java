package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_device_feature}: body of DEVICE_FEATURE; the data of the feature follow.
 *
 * <p>8 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class DeviceFeature {
  /** The bits of the flags that hold the feature. */
  public static final int FEATURE_MASK = 0xffff;

  /** Read the feature. */
  public static final int GET = 1 << 16;

  /** Write the feature. */
  public static final int SET = 1 << 17;

  /** Only ask whether it could be done. */
  public static final int PROBE = 1 << 18;

  /** Feature: MigrationFeature. */
  public static final int MIGRATION = 1;

  /** Feature: MigState. */
  public static final int MIG_DEVICE_STATE = 2;

  /** Feature: DmaLoggingControl. */
  public static final int DMA_LOGGING_START = 6;

  /** Feature without data. */
  public static final int DMA_LOGGING_STOP = 7;

  /** Feature: DmaLoggingReport. */
  public static final int DMA_LOGGING_REPORT = 8;

  private static final Struct S = Struct.packed("vfio_device_feature");
  public static final U32 ARGSZ = S.u32("argsz", "most bytes of the reply");
  public static final U32 FLAGS = S.u32("flags", "feature and what to do with it");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private DeviceFeature() {}
}
