package io.sluice.migrate.qemu;

import io.sluice.migrate.phase.StateMachine;
import io.sluice.vdevice.machine.PciAddress;
import java.util.OptionalLong;

/** The states of a {@link QemuTarget}, each with what it must know. */
sealed interface TargetLife extends StateMachine.State<TargetStage> {
  /** {@link TargetStage#OPEN}. */
  record Open() implements TargetLife {}

  /** {@link TargetStage#EXPECTING}. */
  record Expecting() implements TargetLife {}

  /**
   * {@link TargetStage#RECEIVING}.
   *
   * @param address of the source's function
   * @param configuration where the source's configuration space is, if it says
   */
  record Receiving(PciAddress address, OptionalLong configuration) implements TargetLife {}

  /** {@link TargetStage#RESTORING}. */
  record Restoring() implements TargetLife {}

  /** {@link TargetStage#RESTORED}. */
  record Restored() implements TargetLife {}

  /** {@link TargetStage#RUNNING}. */
  record Running() implements TargetLife {}

  /**
   * {@link TargetStage#FAILED}.
   *
   * @param why with the remedy
   */
  record Failed(String why) implements TargetLife {}

  /**
   * {@link TargetStage#ENDING}.
   *
   * @param thread that ends it
   */
  record Ending(Thread thread) implements TargetLife {}

  @Override
  default TargetStage stage() {
    return switch (this) {
      case Open _ -> TargetStage.OPEN;
      case Expecting _ -> TargetStage.EXPECTING;
      case Receiving _ -> TargetStage.RECEIVING;
      case Restoring _ -> TargetStage.RESTORING;
      case Restored _ -> TargetStage.RESTORED;
      case Running _ -> TargetStage.RUNNING;
      case Failed _ -> TargetStage.FAILED;
      case Ending _ -> TargetStage.ENDING;
    };
  }
}
