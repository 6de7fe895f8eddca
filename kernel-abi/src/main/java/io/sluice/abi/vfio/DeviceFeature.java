package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_device_feature}: body of DEVICE_FEATURE; the data of the feature follow.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  argsz               most bytes of the reply
 *  0x04      4  flags               feature and what to do with it
 * </pre>
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

  /** Feature: bytes that STOP_COPY will give, 64 bits. */
  public static final int MIG_DATA_SIZE = 9;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("argsz"), Layouts.WIRE_U32.withName("flags"))
          .withName("vfio_device_feature");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ARGSZ = LAYOUT.varHandle(PathElement.groupElement("argsz"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private DeviceFeature() {}

  /** {@code argsz}: most bytes of the reply. */
  public static int argsz(MemorySegment segment, long offset) {
    return (int) ARGSZ.get(segment, offset);
  }

  /** Sets {@link #argsz}. */
  public static void argsz(MemorySegment segment, long offset, int value) {
    ARGSZ.set(segment, offset, value);
  }

  /** {@code flags}: feature and what to do with it. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }
}
