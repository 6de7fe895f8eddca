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
  record Copying(boolean looked) implements Running {
    @Override
    public StopStage stage() {
      return StopStage.COPYING;
    }
  }

  /** {@link StopStage#STANDING_BY}. */
  record StandingBy(boolean looked) implements Running {
    @Override
    public StopStage stage() {
      return StopStage.STANDING_BY;
    }
  }

  /**
   * {@link StopStage#LOOKING}.
   *
   * @param passesBefore of the machine over its memory: it has looked when there are more
   */
  record Looking(long passesBefore) implements Running {
    @Override
    public StopStage stage() {
      return StopStage.LOOKING;
    }
  }

  /** {@link StopStage#HELD_BACK}. */
  record HeldBack(boolean looked) implements Running {
    @Override
    public StopStage stage() {
      return StopStage.HELD_BACK;
    }
  }

  /** {@link StopStage#ALLOWED}. */
  record Allowed(long allowedNs) implements MayStop {
    @Override
    public StopStage stage() {
      return StopStage.ALLOWED;
    }
  }

  /** {@link StopStage#CAUGHT_UP}. */
  record CaughtUp(long allowedNs) implements MayStop {
    @Override
    public StopStage stage() {
      return StopStage.CAUGHT_UP;
    }
  }

  /** {@link StopStage#FORCED}. */
  record Forced(long allowedNs) implements MayStop {
    @Override
    public StopStage stage() {
      return StopStage.FORCED;
    }
  }
}
