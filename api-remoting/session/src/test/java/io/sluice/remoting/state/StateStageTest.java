package io.sluice.remoting.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** All pairs of stages, against a way that is told in order. */
final class StateStageTest {
  /** One after the other, for a move that is not given up. */
  private static final String WAY = "PREPARE COPY STOP FINISH HAND_OVER DONE";

  private static int place(StateStage stage) {
    return WAY.indexOf(stage.name());
  }

  @Test
  void stages_allPairs_areTheNextOneOrGivenUpBeforeTheOtherIsToldToGoOn() {
    for (StateStage from : StateStage.values()) {
      boolean mayTurnBack = from != StateStage.ABORTED && place(from) < WAY.indexOf("HAND_OVER");
      assertThat(from.mayAbort()).as(from.name()).isEqualTo(mayTurnBack);
      for (StateStage to : StateStage.values()) {
        boolean follows = WAY.contains(from.name() + " " + to.name());
        assertThat(from.mayBecome(to))
            .as("%s to %s", from, to)
            .isEqualTo(to == StateStage.ABORTED ? mayTurnBack : follows);
      }
    }
  }
}
