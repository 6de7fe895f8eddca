package io.sluice.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class WorkInFlightTest {
  @Test
  void of_report_isThatOfTheMomentAccessWasTaken() {
    assertThat(
            WorkInFlight.of(
                """
                {"phases":[],"detach":{"leftBytes":868352,"expectedDrainNs":125000000,"channels":2,\
                "running":2,"pendingEntries":48},"stop":{"idleNs":3}}\
                """))
        .hasValueSatisfying(work -> {
          assertThat(work).isEqualTo(new WorkInFlight(2, 48));
          assertThat(work).hasToString("2 channels, 48 submissions");
        });
  }

  @Test
  void of_reportOfAMoveThatWasGivenUpBefore_isNone() {
    assertThat(WorkInFlight.of("{\"phases\":[],\"stop\":{\"channels\":2}}")).isEmpty();
  }
}
