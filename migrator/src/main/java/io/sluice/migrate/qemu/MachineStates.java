package io.sluice.migrate.qemu;

import io.sluice.migrate.machine.MachineProgress.State;

/** QEMU's names of a migration's statuses (qapi/migration.json) in our words. */
final class MachineStates {
  private MachineStates() {}

  /** A source's state. */
  static State ofSource(String status) {
    return switch (status) {
      case "pre-switchover" -> State.STOPPED;
      case "device" -> State.SWITCHING;
      case "completed" -> State.COMPLETED;
      case "failing", "failed", "cancelling", "cancelled" -> State.FAILED;
      default -> State.COPYING;
    };
  }

  /** A destination's state. */
  static State ofTarget(String status) {
    return switch (status) {
      case "completed" -> State.COMPLETED;
      case "failing", "failed", "cancelling", "cancelled" -> State.FAILED;
      default -> State.COPYING;
    };
  }
}
