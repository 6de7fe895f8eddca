package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_device_feature_migration}: data of the feature MIGRATION.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  flags               what the device can
 * </pre>
 *
 * <p>8 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class MigrationFeature {
  /** STOP, STOP_COPY and RESUMING. */
  public static final int STOP_COPY = 1;

  /** RUNNING_P2P. */
  public static final int P2P = 2;

  /** PRE_COPY. */
  public static final int PRE_COPY = 4;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.WIRE_U64.withName("flags"))
          .withName("vfio_device_feature_migration");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private MigrationFeature() {}

  /** {@code flags}: what the device can. */
  public static long flags(MemorySegment segment, long offset) {
    return (long) FLAGS.get(segment, offset);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, long offset, long value) {
    FLAGS.set(segment, offset, value);
  }
}
