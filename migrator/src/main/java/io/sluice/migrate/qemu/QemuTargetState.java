package io.sluice.migrate.qemu;

import io.sluice.migrate.phase.StateMachine;
import io.sluice.migrate.qmp.PciAddress;
import java.util.OptionalLong;

/** The states of a {@link QemuTarget}, each with what it must know. */
sealed interface QemuTargetState extends StateMachine.State<QemuTargetStage> {
  /** {@link QemuTargetStage#OPEN}. */
  record Open() implements QemuTargetState {}

  /** {@link QemuTargetStage#EXPECTING}. */
  record Expecting() implements QemuTargetState {}

  /**
   * {@link QemuTargetStage#RECEIVING}.
   *
   * @param address of the source's function
   * @param configuration where the source's configuration space is, if it says
   */
  record Receiving(PciAddress address, OptionalLong configuration) implements QemuTargetState {}

  /** {@link QemuTargetStage#RESTORING}. */
  record Restoring() implements QemuTargetState {}

  /** {@link QemuTargetStage#RESTORED}. */
  record Restored() implements QemuTargetState {}

  /** {@link QemuTargetStage#RUNNING}. */
  record Running() implements QemuTargetState {}

  /**
   * {@link QemuTargetStage#FAILED}.
   *
   * @param why with the remedy
   */
  record Failed(String why) implements QemuTargetState {}

  /**
   * {@link QemuTargetStage#ENDING}.
   *
   * @param thread that ends it
   */
  record Ending(Thread thread) implements QemuTargetState {}

  @Override
  default QemuTargetStage stage() {
    return switch (this) {
      case Open _ -> QemuTargetStage.OPEN;
      case Expecting _ -> QemuTargetStage.EXPECTING;
      case Receiving _ -> QemuTargetStage.RECEIVING;
      case Restoring _ -> QemuTargetStage.RESTORING;
      case Restored _ -> QemuTargetStage.RESTORED;
      case Running _ -> QemuTargetStage.RUNNING;
      case Failed _ -> QemuTargetStage.FAILED;
      case Ending _ -> QemuTargetStage.ENDING;
    };
  }
}
