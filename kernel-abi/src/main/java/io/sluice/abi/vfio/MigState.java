package io.sluice.abi.vfio;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code struct vfio_device_feature_mig_state}: data of the feature MIG_DEVICE_STATE.
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

  /** Runs; its state is read. */
  public static final int PRE_COPY = 6;

  /** PRE_COPY and RUNNING_P2P. */
  public static final int PRE_COPY_P2P = 7;

  private static final Struct S = Struct.packed("vfio_device_feature_mig_state");
  public static final U32 DEVICE_STATE = S.u32("device_state", "one of the states");
  public static final U32 DATA_FD =
      S.u32("data_fd", "-1: MIG_DATA_READ and MIG_DATA_WRITE carry the data");
  public static final StructLayout LAYOUT = S.layout();
  public static final long SIZE = LAYOUT.byteSize();

  private MigState() {}
}
