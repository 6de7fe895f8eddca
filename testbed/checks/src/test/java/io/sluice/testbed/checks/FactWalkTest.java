package io.sluice.testbed.checks;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FactWalkTest {
  private enum Door {
    OPEN,
    SHUT,
    GONE
  }

  /** It opens and shuts, and stays as it is; by the number of its turns, which is its facts. */
  private static final FactWalk<Door> WALK =
      FactWalk.of(0, turns -> List.of(turns, (turns + 1) % 4), turns -> Door.values()[turns % 2]);

  private static boolean turns(Door from, Door to) {
    return from != to && from != Door.GONE && to != Door.GONE;
  }

  @Test
  void requireChanges_theTableHasThoseOfTheEvents_isContent() {
    assertThatCode(() -> WALK.requireChanges(Door.class, FactWalkTest::turns))
        .doesNotThrowAnyException();
  }

  @Test
  void requireSteps_theTableLacksThatAStateStays_isFound() {
    assertThatThrownBy(() -> WALK.requireSteps(Door.class, FactWalkTest::turns))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("[SHUT, SHUT]");
  }

  @Test
  void requireChanges_theTableHasOneMore_isFound() {
    assertThatThrownBy(() ->
            WALK.requireChanges(
                Door.class, (from, to) -> turns(from, to) || to == Door.GONE && from == Door.SHUT))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("only in the table: [[SHUT, GONE]]");
  }

  @Test
  void requireChanges_theTableLacksOne_isFound() {
    assertThatThrownBy(() ->
            WALK.requireChanges(Door.class, (from, to) -> from == Door.OPEN && to == Door.SHUT))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("not in it: [[SHUT, OPEN]]");
  }
}
