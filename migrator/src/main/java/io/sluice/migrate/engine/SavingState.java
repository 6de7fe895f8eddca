package io.sluice.migrate.engine;

import io.sluice.migrate.phase.StateMachine;

/** The states of a {@link SourceState}, each with what it must know. */
sealed interface SavingState extends StateMachine.State<SavingStage> {
  /** {@link SavingStage#NOT_BEGUN}. */
  record NotBegun() implements SavingState {}

  /** {@link SavingStage#HOLDING_STILL}. */
  record HoldingStill(long sinceNs) implements SavingState {}

  /**
   * {@link SavingStage#TAKEN}.
   *
   * @param begunNs when the machine was asked to hold still
   * @param atNs when it was taken
   */
  record Taken(long begunNs, long atNs) implements SavingState {}

  @Override
  default SavingStage stage() {
    return switch (this) {
      case NotBegun _ -> SavingStage.NOT_BEGUN;
      case HoldingStill _ -> SavingStage.HOLDING_STILL;
      case Taken _ -> SavingStage.TAKEN;
    };
  }
}
