package io.sluice.remoting.state;

import java.util.EnumSet;
import java.util.Set;

/**
 * The stages of a session's move, at the source.
 *
 * <pre>
 *  PREPARE → COPY → STOP → FINISH → HAND_OVER → DONE
 *     └───────┴──────┴────────┘         ┊ the other is told to go on: no way back
 *                ABORTED
 * </pre>
 *
 * The source takes messages in PREPARE and COPY, nobody does in STOP, FINISH and HAND_OVER, the
 * destination does in DONE. In ABORTED the source goes on.
 */
public enum StateStage {
  /** The destination makes the objects; the application runs. */
  PREPARE,
  /** Contents are sent; the application runs. */
  COPY,
  /** No message is taken; what was taken comes to its end. */
  STOP,
  /** What has changed is sent; the destination makes itself ready. */
  FINISH,
  /** The destination has been told to go on. */
  HAND_OVER,
  /** The session is the destination's; nothing is left here. */
  DONE,
  /** The session goes on here. */
  ABORTED;

  private Set<StateStage> next() {
    return switch (this) {
      case PREPARE -> EnumSet.of(COPY, ABORTED);
      case COPY -> EnumSet.of(STOP, ABORTED);
      case STOP -> EnumSet.of(FINISH, ABORTED);
      case FINISH -> EnumSet.of(HAND_OVER, ABORTED);
      case HAND_OVER -> EnumSet.of(DONE);
      case DONE, ABORTED -> EnumSet.noneOf(StateStage.class);
    };
  }

  /** Whether another stage may follow. */
  public boolean mayBecome(StateStage following) {
    return next().contains(following);
  }

  /** Whether giving up is possible. */
  public boolean mayAbort() {
    return mayBecome(ABORTED);
  }
}
