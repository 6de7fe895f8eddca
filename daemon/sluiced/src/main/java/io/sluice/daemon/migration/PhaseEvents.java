package io.sluice.daemon.migration;

import com.google.common.collect.ImmutableMap;
import io.sluice.daemon.runtime.DaemonEvent;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.NotificationTypes;

/** The events that tell operators of phases. */
public final class PhaseEvents {
  private PhaseEvents() {}

  public static DaemonEvent of(PhaseChange change) {
    return new DaemonEvent(
        type(change),
        change.guest() + " " + change.phase() + ": " + change.reason(),
        ImmutableMap.of(
            "guest",
            change.guest(),
            "id",
            change.id(),
            "phase",
            change.phase(),
            "reason",
            change.reason()));
  }

  private static String type(PhaseChange change) {
    return switch (change.kind()) {
      case MigrationStatusView.CHECKPOINT -> NotificationTypes.CHECKPOINT_PHASE;
      case MigrationStatusView.RESTORE -> NotificationTypes.RESTORE_PHASE;
      default ->
          change.phase().equals(LeftMachines.UNDECIDED)
              ? NotificationTypes.MIGRATION_UNDECIDED
              : NotificationTypes.MIGRATION_PHASE;
    };
  }
}
