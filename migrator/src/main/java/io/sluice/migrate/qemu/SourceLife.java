package io.sluice.migrate.qemu;

import io.sluice.migrate.phase.StateMachine;

/** The states of a {@link QemuSource}, each with what it must know. */
sealed interface SourceLife extends StateMachine.State<SourceStage> {
  /** {@link SourceStage#OPEN}. */
  record Open() implements SourceLife {}

  /** {@link SourceStage#COPYING}. */
  record Copying() implements SourceLife {}

  /**
   * {@link SourceStage#GIVEN_UP}.
   *
   * @param why in QEMU's words
   */
  record GivenUp(String why) implements SourceLife {}

  /**
   * {@link SourceStage#FAILED}.
   *
   * @param why with the remedy
   */
  record Failed(String why) implements SourceLife {}

  /**
   * {@link SourceStage#UNDOING}.
   *
   * @param thread that does it
   */
  record Undoing(Thread thread) implements SourceLife {}

  /**
   * {@link SourceStage#SETTLED}.
   *
   * @param thread that has it go on
   */
  record Settled(Thread thread) implements SourceLife {}

  /** {@link SourceStage#WENT_ON}. */
  record WentOn() implements SourceLife {}

  @Override
  default SourceStage stage() {
    return switch (this) {
      case Open _ -> SourceStage.OPEN;
      case Copying _ -> SourceStage.COPYING;
      case GivenUp _ -> SourceStage.GIVEN_UP;
      case Failed _ -> SourceStage.FAILED;
      case Undoing _ -> SourceStage.UNDOING;
      case Settled _ -> SourceStage.SETTLED;
      case WentOn _ -> SourceStage.WENT_ON;
    };
  }
}
