package io.sluice.migrate.phase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableSet;
import org.junit.jupiter.api.Test;

final class StateMachineTest {
  private enum Door implements Stage<Door> {
    OPEN,
    SHUT,
    WALLED_UP;

    @Override
    public ImmutableSet<Door> next() {
      return switch (this) {
        case OPEN -> ImmutableSet.of(SHUT);
        case SHUT -> ImmutableSet.of(OPEN, WALLED_UP);
        case WALLED_UP -> ImmutableSet.of();
      };
    }
  }

  private record At(Door stage, int visitors) implements StateMachine.State<Door> {}

  private final StateMachine<Door, At> door = new StateMachine<>("door", new At(Door.OPEN, 0));

  @Test
  void enter_inTheTable_hasTheNewStatesData() {
    door.enter(new At(Door.SHUT, 3), "it is late");
    assertThat(door.stage()).isEqualTo(Door.SHUT);
    assertThat(door.state().visitors()).isEqualTo(3);
  }

  @Test
  void enter_notInTheTable_isABugAndChangesNothing() {
    At wall = new At(Door.WALLED_UP, 1);
    assertThatThrownBy(() -> door.enter(wall, "")).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> door.enter(new At(Door.OPEN, 9), ""))
        .isInstanceOf(AssertionError.class);
    assertThat(door.state()).isEqualTo(new At(Door.OPEN, 0));
  }

  @Test
  void enterIfLegal_notInTheTable_saysSoAndChangesNothing() {
    assertThat(door.enterIfLegal(new At(Door.WALLED_UP, 1), "")).isFalse();
    assertThat(door.stage()).isEqualTo(Door.OPEN);
    assertThat(door.enterIfLegal(new At(Door.SHUT, 1), "")).isTrue();
    assertThat(door.stage()).isEqualTo(Door.SHUT);
  }
}
