package io.sluice.vdevice;

import static com.google.common.collect.Maps.immutableEnumMap;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.vfio.MigState;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a device in VFIO's migration protocol (linux/vfio.h, "enum vfio_device_mig_state";
 * QEMU's docs/interop/vfio-user.rst, "Direct State Transitions").
 *
 * <pre>
 *            ┌─────────────► PRE_COPY ────────────┐
 *            │                  │                 ▼
 *  reset ► RUNNING ◄────────────┘             STOP_COPY
 *            ▲ │                                ▲ │
 *            │ ▼                                │ ▼
 *            └───────────────► STOP ◄─────────────┘
 *                              ▲ │
 *                              │ ▼
 *                            RESUMING ──► ERROR (leaving it with bad data)
 * </pre>
 *
 * <p>A client may ask for any state; what is not an arc is done as the shortest way of arcs that
 * does not pass through a state that saves. RUNNING_P2P and PRE_COPY_P2P are not offered: vfio-user
 * does not use them.
 */
enum DeviceMigrationState {
  /** What was received is no device: only a reset leads out. */
  ERROR(MigState.ERROR),
  /** Nothing runs and nothing changes. */
  STOP(MigState.STOP),
  /** As ever. */
  RUNNING(MigState.RUNNING),
  /** As STOP, and the state can be read to its end. */
  STOP_COPY(MigState.STOP_COPY),
  /** Stopped, and becoming another device. */
  RESUMING(MigState.RESUMING),
  /** As RUNNING, and memory can be read before the rest. */
  PRE_COPY(MigState.PRE_COPY);

  /** The next arc of the way from a state to another; none where there is no way. */
  private static final ImmutableMap<
          DeviceMigrationState, ImmutableMap<DeviceMigrationState, DeviceMigrationState>>
      NEXT =
          immutableEnumMap(
              Map.of(
                  STOP,
                  immutableEnumMap(
                      Map.of(
                          RUNNING, RUNNING,
                          PRE_COPY, RUNNING,
                          STOP_COPY, STOP_COPY,
                          RESUMING, RESUMING)),
                  RUNNING,
                  immutableEnumMap(
                      Map.of(
                          STOP, STOP,
                          PRE_COPY, PRE_COPY,
                          STOP_COPY, STOP,
                          RESUMING, STOP)),
                  PRE_COPY,
                  immutableEnumMap(
                      Map.of(
                          STOP, RUNNING,
                          RUNNING, RUNNING,
                          STOP_COPY, STOP_COPY,
                          RESUMING, RUNNING)),
                  STOP_COPY,
                  immutableEnumMap(
                      Map.of(
                          STOP, STOP,
                          RUNNING, STOP,
                          RESUMING, STOP)),
                  RESUMING,
                  immutableEnumMap(
                      Map.of(
                          STOP, STOP,
                          RUNNING, STOP,
                          PRE_COPY, STOP,
                          STOP_COPY, STOP))));

  private final int number;

  DeviceMigrationState(int number) {
    this.number = number;
  }

  /** VFIO_DEVICE_STATE_*. */
  int number() {
    return number;
  }

  /** The state of a number; null when none is, or it is not offered. */
  static @Nullable DeviceMigrationState of(int number) {
    for (DeviceMigrationState state : values()) {
      if (state.number == number) {
        return state;
      }
    }
    return null;
  }

  /**
   * The next arc on the way to another state.
   *
   * @return null when there is no way, or this is the state already
   */
  @Nullable DeviceMigrationState next(DeviceMigrationState wanted) {
    ImmutableMap<DeviceMigrationState, DeviceMigrationState> row = NEXT.get(this);
    return row == null ? null : row.get(wanted);
  }

  /** Whether MIG_DATA_READ is allowed. */
  boolean saves() {
    return this == PRE_COPY || this == STOP_COPY;
  }
}
