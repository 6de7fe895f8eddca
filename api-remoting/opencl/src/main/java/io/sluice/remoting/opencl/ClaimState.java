package io.sluice.remoting.opencl;

import java.util.EnumSet;
import java.util.Set;

/**
 * The states of a session's claim of a device.
 *
 * <pre>
 *  NONE ◄──► WAITING
 *    ▲          │
 *    └──► HELD ◄┘
 * </pre>
 */
enum ClaimState {
  /** It has none and waits for none. */
  NONE,
  /** It waits for the device, and is woken when that may be had. */
  WAITING,
  /** It has the device. */
  HELD;

  private Set<ClaimState> next() {
    return switch (this) {
      case NONE -> EnumSet.of(WAITING, HELD);
      case WAITING -> EnumSet.of(NONE, HELD);
      case HELD -> EnumSet.of(NONE);
    };
  }

  /** Whether another state may follow. */
  boolean mayBecome(ClaimState following) {
    return next().contains(following);
  }
}
