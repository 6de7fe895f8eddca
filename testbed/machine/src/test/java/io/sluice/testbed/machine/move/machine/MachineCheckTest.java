package io.sluice.testbed.machine.move.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.DaemonMXBean;
import io.sluice.management.MigrationBlocker;
import io.sluice.management.MigrationCheckView;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.support.Daemons;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.management.OperationsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code migration check} says of real machines between two hosts: each thing that is made to
 * stand in the way, and nothing before a move that comes about.
 */
@TakesLong("it boots machines and moves one")
final class MachineCheckTest {
  private static final long TOO_LITTLE_BYTES = 64 << 10;

  @TempDir private Path directory;

  private static MigrationCheckView check(MachineRig rig, Map<String, String> options)
      throws OperationsException {
    return rig.source.migrations().check(MachineHost.GUEST, rig.target.address(), options);
  }

  /** One thing, and what to do about it. */
  private static void assertBlocked(
      MachineRig rig, Map<String, String> options, String code, String remedy)
      throws OperationsException {
    List<MigrationBlocker> blockers = check(rig, options).blockers();
    assertThat(blockers).extracting(MigrationBlocker::code).containsExactly(code);
    assertThat(blockers.getFirst().remedy()).contains(remedy);
  }

  @Test
  void check_realMachines_namesWhatBlocksUntilNothingDoesAndTheMoveComesAbout() throws Exception {
    try (MachineRig rig = new MachineRig(directory)) {
      rig.prepare();
      MigrationCheckView tooLong = check(rig, Map.of("downtime", "1ms"));
      assertThat(tooLong.blockers()).as("an estimate blocks nothing").isEmpty();
      assertThat(tooLong.leastDowntimeNs()).isGreaterThan(tooLong.downtimeLimitNs());

      Path monitor = rig.source.monitor();
      Path aside = monitor.resolveSibling("aside");
      Path _ = Files.move(monitor, aside);
      assertBlocked(rig, Map.of(), "SLU-QMP-001", "-qmp unix:");
      Path _ = Files.move(aside, monitor);

      DaemonMXBean target = rig.target.daemon().connection().daemon();
      target.setQuota(MachineHost.GUEST, null, null, TOO_LITTLE_BYTES, null, null);
      assertBlocked(rig, Map.of(), "SLU-MIG-034", "limit at the destination");
      target.resetQuota(MachineHost.GUEST);

      rig.target.dropMachine();
      Daemons.awaitGone(rig.target.daemon(), MachineHost.GUEST);
      assertBlocked(rig, Map.of(), "SLU-MIG-061", "-incoming defer");

      rig.bootNotWaiting();
      assertBlocked(rig, Map.of(), "SLU-QMP-009", "-incoming defer");
      assertThat(rig.target.machine().isAlive()).isTrue();

      // Who has not asked is told the same, and the machine that is there is left alone.
      rig.source.migrations().start(MachineHost.GUEST, rig.target.address(), Map.of());
      assertThat(rig.awaitOver().reason()).contains("does not wait for another one");
      assertThat(rig.target.machine().isAlive()).isTrue();
      rig.target.dropMachine();

      rig.prepare();
      MigrationCheckView found = check(rig, Map.of());
      assertThat(found.blockers()).isEmpty();
      assertThat(found.memoryBytes()).isPositive();
      assertThat(found.bytesPerSecond()).isPositive();
      rig.source.migrations().start(MachineHost.GUEST, rig.target.address(), Map.of());
      assertThat(rig.awaitOver().phase()).as(rig.source.view().reason()).isEqualTo("done");
      rig.checkArrived();
    }
  }
}
