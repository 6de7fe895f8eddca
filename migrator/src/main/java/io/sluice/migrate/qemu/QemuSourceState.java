package io.sluice.migrate.qemu;

import io.sluice.migrate.phase.StateMachine;

/** The states of a {@link QemuSource}, each with what it must know. */
sealed interface QemuSourceState extends StateMachine.State<QemuSourceStage> {
  /** {@link QemuSourceStage#OPEN}. */
  record Open() implements QemuSourceState {}

  /**
   * {@link QemuSourceStage#COPYING}.
   *
   * @param heldBack whether it sends next to nothing for now
   */
  record Copying(boolean heldBack) implements QemuSourceState {}

  /**
   * {@link QemuSourceStage#GIVEN_UP}.
   *
   * @param why in QEMU's words
   */
  record GivenUp(String why) implements QemuSourceState {}

  /**
   * {@link QemuSourceStage#FAILED}.
   *
   * @param why with the remedy
   */
  record Failed(String why) implements QemuSourceState {}

  /**
   * {@link QemuSourceStage#UNDOING}.
   *
   * @param thread that does it
   */
  record Undoing(Thread thread) implements QemuSourceState {}

  /**
   * {@link QemuSourceStage#SETTLED}.
   *
   * @param thread that has it go on
   */
  record Settled(Thread thread) implements QemuSourceState {}

  /** {@link QemuSourceStage#WENT_ON}. */
  record WentOn() implements QemuSourceState {}

  @Override
  default QemuSourceStage stage() {
    return switch (this) {
      case Open _ -> QemuSourceStage.OPEN;
      case Copying _ -> QemuSourceStage.COPYING;
      case GivenUp _ -> QemuSourceStage.GIVEN_UP;
      case Failed _ -> QemuSourceStage.FAILED;
      case Undoing _ -> QemuSourceStage.UNDOING;
      case Settled _ -> QemuSourceStage.SETTLED;
      case WentOn _ -> QemuSourceStage.WENT_ON;
    };
  }
}
