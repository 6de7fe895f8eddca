package io.sluice.testbed.bench.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.migrate.report.MigrationReport;
import io.sluice.migrate.report.MoveContext;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MoveReportTest {
  private static final String TOLD =
      """
      {"schemaVersion":1,"guestBytesRedirtied":8192,
       "detach":{"leftBytes":1,"expectedDrainNs":2,"channels":3,"running":4,"pendingEntries":5},
       "stop":{"idleNs":6,"settleNs":7,"stoodNs":8,"drainPages":9,"settledPages":10,
               "touchedByGuest":true,"parked":0,"ended":0},
       "saving":{"deviceNs":11,"redirtyNs":12,"machineBytesLeft":4096},
       "phases":[
         {"phase":"drain","fromNs":0,"lengthNs":13000000,"pause":false,"reason":""},
         {"phase":"final-copy","fromNs":1,"lengthNs":14567890,"pause":true,"reason":""}],
       "samples":[{"atNs":0,"phase":"prepare","bytesSent":0,"bytesLeft":0}]}
      """;

  @Test
  void of_report_hasItsFields() {
    assertThat(MoveReport.of(TOLD))
        .isEqualTo(
            new MoveReport(
                "channels=3 running=4 pendingEntries=5",
                13_000_000,
                6,
                7,
                8,
                9,
                10,
                8192,
                4096,
                Map.of("final-copy", 14.57)));
  }

  /** A figure that is missing is not 0. */
  @Test
  void of_reportWithoutFigures_isRefused() {
    String empty = new MigrationReport(0, MoveContext.at(Instant.EPOCH)).json();
    assertThatThrownBy(() -> MoveReport.of(empty)).isInstanceOf(IllegalArgumentException.class);
  }
}
