package io.sluice.remoting.relay;

import java.util.EnumSet;
import java.util.Set;

/**
 * The states of a session at a {@link MachineGate}.
 *
 * <pre>
 *  COPYING ──► HELD ──► STANDING ──► OVERRULED
 *     └──┬──────┘           └──► DECIDED ◄┘
 *        ▼
 *     RESUMED
 * </pre>
 */
enum GateState {
  /** Calls are taken. */
  COPYING,
  /** No call is taken. */
  HELD,
  /** It stands until it is decided what becomes of it. */
  STANDING,
  /** It stands all the same, though the other host has had it go on. */
  OVERRULED,
  /** It was decided: it stands no more. */
  DECIDED,
  /** The other host has had it go on before it stood. */
  RESUMED;

  private Set<GateState> next() {
    return switch (this) {
      case COPYING -> EnumSet.of(HELD, RESUMED);
      case HELD -> EnumSet.of(STANDING, RESUMED);
      case STANDING -> EnumSet.of(OVERRULED, DECIDED);
      case OVERRULED -> EnumSet.of(DECIDED);
      case DECIDED, RESUMED -> EnumSet.noneOf(GateState.class);
    };
  }

  /** Whether another state may follow. */
  boolean mayBecome(GateState following) {
    return next().contains(following);
  }

  /** Whether it stands. */
  boolean isStanding() {
    return this == STANDING || this == OVERRULED;
  }
}
