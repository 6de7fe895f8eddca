package io.sluice.testbed.machine.move.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.testbed.machine.move.HeldDaemon;
import io.sluice.testbed.machine.move.Moment;
import io.sluice.testbed.machine.support.CPrograms;
import io.sluice.testbed.machine.support.Daemons;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process whose channels wait for each other, and for work that it has yet to submit, moves: the
 * drain waits for nothing that only the guest can give. {@code MachineMigrationTest} does the same
 * with a machine.
 */
final class CrossWaitTest {
  @TempDir private Path directory;

  @Test
  void start_releaseSubmittedInAndAfterTheDrain_allWaitsEnd() throws Exception {
    CPrograms programs = CPrograms.build(directory, "cross");
    try (ProcessSide source = side("a");
        ProcessSide target = side("b")) {
      for (Moment moment : new Moment[] {Moment.DRAIN, Moment.FINAL_COPY, Moment.DONE}) {
        source.ensure();
        target.ensure();
        Path told = directory.resolve(moment.name());
        try (CPrograms.Running program =
            programs.start(source.daemon().socket(ProcessSide.GUEST), "cross", told.toString())) {
          program.await("cross: waiting");
          source.stop().arm(moment.phase());
          source.migrations().start(ProcessSide.GUEST, target.address(), Map.of());
          assertThat(source.stop().await(HeldDaemon.PATIENCE)).as("%s", moment).isTrue();
          Files.createFile(told);
          program.await("cross: released");
          source.stop().release();
          await().atMost(HeldDaemon.PATIENCE).until(() -> source.view().over());
          assertThat(source.view().phase()).as(source.view().reason()).isEqualTo("done");
          assertThat(program.end()).as(program.said()).isZero();
        }
        Daemons.awaitGone(target.daemon(), ProcessSide.GUEST);
        Daemons.awaitGone(source.daemon(), ProcessSide.GUEST);
      }
    }
  }

  private ProcessSide side(String name) throws Exception {
    return new ProcessSide(Files.createDirectory(directory.resolve(name)));
  }
}
