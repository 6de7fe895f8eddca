package io.sluice.testbed.machine.move.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Moment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A machine that moves between two hosts with nothing in common but a link: separate network and
 * mount namespaces, 100 MB/s, 1 ms. What {@link MachineFaultTest} does in all phases is done in two
 * of them, so that every run of the tests has seen it.
 */
@TakesLong("each boots machines and moves them")
final class MachineMigrationTest {
  private static final Map<String, String> BLIND = Map.of("exact", "off");

  /** So that much of the machine is left to copy for seconds. */
  private static final Map<String, String> SLOWLY = Map.of("detach", "first", "bandwidth", "20MiB");

  private static final long LINK_BYTES_PER_SECOND = 100_000_000;

  /**
   * A program on each of two processors; and one whose channels wait for each other, until it
   * submits what begins their turns, when the line is typed.
   */
  private static final String TWO =
      "while :; do rm -f /tmp/end; taskset 1 once --until /tmp/end 100000 & p=$!;"
          + " taskset 2 once --until /tmp/end 100000 & q=$!; taskset 2 cross /tmp/end & r=$!;"
          + " read x; touch /tmp/end; wait $p; s=$?; wait $q; s=$((s+$?)); wait $r;"
          + " echo once-status $((s+$?)); done";

  @TempDir private Path directory;

  @Test
  void start_afterACancelAndADestinationThatDied_nothingIsLostNothingRunsTwice() throws Exception {
    try (MachineRig rig = new MachineRig(directory)) {
      rig.prepare();
      rig.holdIn(Moment.DRAIN, Map.of());
      rig.source.migrations().abort(MachineHost.GUEST);
      rig.release();
      assertThat(rig.awaitOver().phase()).isEqualTo("aborted");
      rig.checkStays();

      rig.prepare();
      rig.holdIn(Moment.FINAL_COPY, Map.of());
      rig.target.machine().kill();
      rig.release();
      assertThat(rig.awaitOver().phase()).isEqualTo("aborted");
      rig.checkStays();

      rig.prepare();
      rig.source.host().limit(LINK_BYTES_PER_SECOND);
      rig.source.migrations().start(MachineHost.GUEST, rig.target.address(), Map.of());
      assertThat(rig.awaitOver().phase()).as(rig.source.view().reason()).isEqualTo("done");
      rig.checkArrived();
    }
  }

  /**
   * As where the GPU does not tell what it wrote of the machine's memory: the guest's processors
   * write to all that it may have, and nothing is left to be touched while the machine stands
   * still.
   */
  @Test
  void start_gpuDoesNotTell_theGuestTouchesItsPagesBeforeItStops() throws Exception {
    try (MachineRig rig = new MachineRig(directory)) {
      rig.prepare();
      rig.source.migrations().start(MachineHost.GUEST, rig.target.address(), BLIND);
      assertThat(rig.awaitOver().phase()).as(rig.source.view().reason()).isEqualTo("done");
      String report = rig.source.migrations().report(MachineHost.GUEST, "json");
      assertThat(report).contains("\"touchedByGuest\":true").contains("\"guestBytesRedirtied\":0,");
      rig.checkArrived();
    }
  }

  @Test
  @Tag("long")
  void start_twoProcessorsAndAWaitForWhatIsYetToBeSubmitted_allGoesOn() throws Exception {
    try (MachineRig rig = new MachineRig(directory, TWO, List.of("--cpus", "2"))) {
      rig.prepare();
      rig.source.machine().await("cross: waiting", MachineHost.PATIENCE);
      // While much is left: with its engine held nobody holds the machine back from its stop.
      rig.holdIn(Moment.DRAIN, SLOWLY);
      rig.source.machine().type("");
      rig.source.machine().await("cross: released", MachineHost.PATIENCE);
      rig.release();
      assertThat(rig.awaitOver().phase()).as(rig.source.view().reason()).isEqualTo("done");
      assertThat(rig.target.machine().await("once-status ", MachineHost.PATIENCE))
          .as(rig.target.machine().console())
          .isEqualTo("0");
      rig.checkArrived();
    }
  }
}
