package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_device_feature_migration}: data of the feature MIGRATION.
 *
 * <p>8 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class MigrationFeature {
  /** STOP, STOP_COPY and RESUMING. */
  public static final int STOP_COPY = 1;

  /** PRE_COPY. */
  public static final int PRE_COPY = 4;

  private static final Struct S = Struct.packed("vfio_device_feature_migration");
  public static final U64 FLAGS = S.u64("flags", "what the device can");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private MigrationFeature() {}
}
