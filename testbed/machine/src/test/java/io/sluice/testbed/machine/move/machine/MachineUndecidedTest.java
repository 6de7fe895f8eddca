package io.sluice.testbed.machine.move.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.management.GuestStatus;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Moment;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Both daemons die after a real machine has sent everything and before it was given away. The
 * source's comes back and does not know whose the machine is; it says so, and the operator decides.
 */
@TakesLong("it boots machines and moves one")
final class MachineUndecidedTest {
  @TempDir private Path directory;

  private static MigrationStatusView view(MachineHost host) {
    MigrationStatusView view = host.migrations().getMigrations().get(MachineHost.GUEST);
    return view == null ? host.view() : view;
  }

  @Test
  void resolve_destinationCannotBeAsked_theMachineStandsUntilTheOperatorSaysWhose()
      throws Exception {
    try (MachineRig rig = new MachineRig(directory)) {
      rig.prepare();
      rig.holdIn(Moment.RESTORE, Map.of());
      rig.source.killDaemon();
      rig.target.killDaemon();

      rig.source.ensure();
      MigrationsMXBean migrations = rig.source.migrations();
      await()
          .atMost(MachineHost.PATIENCE)
          .until(() -> migrations.getMigrations().containsKey(MachineHost.GUEST));
      MigrationStatusView found = view(rig.source);
      assertThat(found.undecided()).isTrue();
      assertThat(found.peer()).isEqualTo(rig.target.address());
      assertThat(found.remedy()).contains("sluicectl migration resolve web --here");
      assertThat(rig.source.daemon().connection().guest(MachineHost.GUEST).getState())
          .isEqualTo(GuestStatus.UNDECIDED);
      int said = rig.source.machine().console().length();

      migrations.resolve(MachineHost.GUEST, true);
      rig.checkGoesOnWithoutDevice();
      assertThat(rig.source.machine().console().length()).isGreaterThan(said);
      assertThat(migrations.getMigrations()).isEmpty();
      assertThat(rig.source.daemon().connection().guest(MachineHost.GUEST).getState())
          .isEqualTo(GuestStatus.WAITING);
      assertThat(rig.target.machine().console()).as("it has never run").doesNotContain("once");
    }
  }
}
