package io.sluice.migrate.engine;

import io.sluice.migrate.phase.StateMachine;

/** The states of {@link MachineStop}, each with what it must know. */
sealed interface StopState extends StateMachine.State<StopStage> {
  /** It must not stop yet. */
  sealed interface Running extends StopState {}

  /** It may stop. */
  sealed interface MayStop extends StopState {
    /** Since when. */
    long allowedNs();
  }

  /**
   * {@link StopStage#COPYING}.
   *
   * @param looked whether it has looked, since it stood by first, what was written meanwhile
   */
  record Copying(boolean looked) implements Running {}

  /** {@link StopStage#STANDING_BY}. */
  record StandingBy(boolean looked) implements Running {}

  /**
   * {@link StopStage#LOOKING}.
   *
   * @param passesBefore of the machine over its memory: it has looked when there are more
   */
  record Looking(long passesBefore) implements Running {}

  /** {@link StopStage#HELD_BACK}. */
  record HeldBack(boolean looked) implements Running {}

  /** {@link StopStage#ALLOWED}. */
  record Allowed(long allowedNs) implements MayStop {}

  /** {@link StopStage#CAUGHT_UP}. */
  record CaughtUp(long allowedNs) implements MayStop {}

  /** {@link StopStage#FORCED}. */
  record Forced(long allowedNs) implements MayStop {}

  @Override
  default StopStage stage() {
    return switch (this) {
      case Copying _ -> StopStage.COPYING;
      case StandingBy _ -> StopStage.STANDING_BY;
      case Looking _ -> StopStage.LOOKING;
      case HeldBack _ -> StopStage.HELD_BACK;
      case Allowed _ -> StopStage.ALLOWED;
      case CaughtUp _ -> StopStage.CAUGHT_UP;
      case Forced _ -> StopStage.FORCED;
    };
  }
}
