package io.sluice.migrate.engine;

import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.StateMachine;
import org.jspecify.annotations.Nullable;

/** The states of a {@link SourceUndo}, each with what it must know. */
sealed interface UndoState extends StateMachine.State<UndoStage> {
  /**
   * A migration that was given up.
   *
   * @param phase in which, and whose steps are taken back
   * @param why it was
   * @param sinceNs when it was
   * @param peer by which the destination may say why it failed there
   */
  record Attempt(Phase phase, Reason why, long sinceNs, @Nullable PeerFailure peer) {
    /** Listens; whether the destination will say nothing more that is waited for. */
    boolean listen(long nowNs) {
      return peer == null || peer.listen(nowNs);
    }

    /** As far as it is known. */
    Reason reason() {
      return peer == null ? why : peer.after(why);
    }
  }

  /** {@link UndoStage#UNWANTED}. */
  record Unwanted() implements UndoState {}

  /** {@link UndoStage#GIVEN_UP}. */
  record GivenUp(Attempt move) implements UndoState {}

  /** {@link UndoStage#TAKING_BACK}. */
  record TakingBack(Attempt move) implements UndoState {}

  /** {@link UndoStage#ATTACHED}. */
  record Attached(Attempt move) implements UndoState {}

  /**
   * {@link UndoStage#WENT_ON}.
   *
   * @param tookNs from giving up until GPU and machine went on
   */
  record WentOn(Attempt move, long tookNs) implements UndoState {}

  @Override
  default UndoStage stage() {
    return switch (this) {
      case Unwanted _ -> UndoStage.UNWANTED;
      case GivenUp _ -> UndoStage.GIVEN_UP;
      case TakingBack _ -> UndoStage.TAKING_BACK;
      case Attached _ -> UndoStage.ATTACHED;
      case WentOn _ -> UndoStage.WENT_ON;
    };
  }
}
