package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_device_feature_mig_state}: data of the feature MIG_DEVICE_STATE.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  device_state        one of the states
 *  0x04      4  data_fd             -1: MIG_DATA_READ and MIG_DATA_WRITE carry the data
 * </pre>
 *
 * <p>8 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class MigState {
  /** The device failed and is to be reset. */
  public static final int ERROR = 0;

  /** Does nothing. */
  public static final int STOP = 1;

  /** Runs. */
  public static final int RUNNING = 2;

  /** Stopped; its state is read. */
  public static final int STOP_COPY = 3;

  /** Stopped; its state is written. */
  public static final int RESUMING = 4;

  /** Runs, but starts no DMA to other devices. */
  public static final int RUNNING_P2P = 5;

  /** Runs; its state is read. */
  public static final int PRE_COPY = 6;

  /** PRE_COPY and RUNNING_P2P. */
  public static final int PRE_COPY_P2P = 7;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U32.withName("device_state"), Layouts.WIRE_U32.withName("data_fd"))
          .withName("vfio_device_feature_mig_state");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle DEVICE_STATE =
      LAYOUT.varHandle(PathElement.groupElement("device_state"));
  private static final VarHandle DATA_FD = LAYOUT.varHandle(PathElement.groupElement("data_fd"));

  private MigState() {}

  /** {@code device_state}: one of the states. */
  public static int deviceState(MemorySegment segment, long offset) {
    return (int) DEVICE_STATE.get(segment, offset);
  }

  /** Sets {@link #deviceState}. */
  public static void deviceState(MemorySegment segment, long offset, int value) {
    DEVICE_STATE.set(segment, offset, value);
  }

  /** {@code data_fd}: -1: MIG_DATA_READ and MIG_DATA_WRITE carry the data. */
  public static int dataFd(MemorySegment segment, long offset) {
    return (int) DATA_FD.get(segment, offset);
  }

  /** Sets {@link #dataFd}. */
  public static void dataFd(MemorySegment segment, long offset, int value) {
    DATA_FD.set(segment, offset, value);
  }
}
