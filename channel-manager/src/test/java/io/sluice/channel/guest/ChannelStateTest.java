package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableSet;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.table.TransitionCounters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * The transition table against an oracle that knows no table: a channel as five plain facts, the
 * operations that change them, and the state that the facts amount to. Every state that operations
 * can reach is walked, and each step gives one legal transition.
 */
final class ChannelStateTest {
  /** The facts. Suspends above two tell nothing new. */
  private record Facts(
      boolean ring, int suspends, boolean cut, boolean unfinished, boolean ended, boolean gone) {
    ChannelState state() {
      if (gone) {
        return ChannelState.FREED;
      }
      if (ended) {
        return ChannelState.DEAD;
      }
      if (!ring) {
        return ChannelState.NEW;
      }
      if (cut) {
        return unfinished ? ChannelState.DRAINING : ChannelState.DETACHED;
      }
      return suspends > 0 ? ChannelState.SUSPENDED : ChannelState.RUNNING;
    }
  }

  private static final Facts BORN = new Facts(false, 0, false, false, false, false);

  private static List<UnaryOperator<Facts>> operations() {
    return List.of(
        f -> alive(f) && !f.ring ? new Facts(true, f.suspends, false, false, false, false) : f,
        f -> alive(f) && !f.ring ? new Facts(true, 1, false, false, false, false) : f, // restore
        f -> alive(f) && f.suspends < 2 ? with(f, f.suspends + 1, f.cut, f.unfinished) : f,
        f -> alive(f) && f.suspends > 0 ? with(f, f.suspends - 1, f.cut, f.unfinished) : f,
        f -> alive(f) && f.ring && !f.cut && f.suspends == 0 ? with(f, 0, true, true) : f,
        f -> alive(f) && f.cut ? with(f, f.suspends, true, false) : f, // drained
        f -> alive(f) && f.cut ? with(f, f.suspends, false, false) : f, // attach
        f -> alive(f) ? new Facts(f.ring, f.suspends, f.cut, f.unfinished, true, false) : f,
        f -> f.gone ? f : new Facts(f.ring, f.suspends, f.cut, f.unfinished, f.ended, true));
  }

  private static boolean alive(Facts f) {
    return !f.ended && !f.gone;
  }

  private static Facts with(Facts f, int suspends, boolean cut, boolean unfinished) {
    return new Facts(f.ring, suspends, cut, unfinished, f.ended, f.gone);
  }

  private static Set<List<ChannelState>> reachablePairs() {
    Set<List<ChannelState>> pairs = new HashSet<>();
    Set<Facts> seen = new HashSet<>();
    ArrayDeque<Facts> open = new ArrayDeque<>(List.of(BORN));
    while (!open.isEmpty()) {
      Facts from = open.remove();
      for (UnaryOperator<Facts> operation : operations()) {
        Facts to = operation.apply(from);
        if (to.state() != from.state()) {
          pairs.add(List.of(from.state(), to.state()));
        }
        if (seen.add(to)) {
          open.add(to);
        }
      }
    }
    return pairs;
  }

  @Test
  void canBecome_everyPair_asTheOracleSays() {
    Set<List<ChannelState>> legal = reachablePairs();
    for (ChannelState from : ChannelState.values()) {
      for (ChannelState to : ChannelState.values()) {
        assertThat(from.canBecome(to))
            .as("%s to %s", from, to)
            .isEqualTo(legal.contains(List.of(from, to)));
      }
    }
  }

  @Test
  void code_everyState_isWhatTheGuestSees() {
    assertThat(ChannelState.values())
        .extracting(ChannelState::code)
        .containsExactly(1, 2, 3, 4, 4, 5, 0);
  }

  @Test
  void of_everyCode_isTheStateThatHasIt() {
    for (ChannelState state : ChannelState.values()) {
      if (state != ChannelState.FREED) {
        boolean drained = state == ChannelState.DETACHED;
        assertThat(ChannelState.of(state.code(), drained)).isEqualTo(state);
      }
    }
    for (int code : new int[] {-1, 0, 6}) {
      assertThatThrownBy(() -> ChannelState.of(code, true))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void transition_everyPair_isRefusedOrCountedAndTold() {
    for (ChannelState from : ChannelState.values()) {
      for (ChannelState to : ChannelState.values()) {
        List<String> told = new ArrayList<>();
        TransitionCounters counters = new TransitionCounters();
        ChannelTransitions life = lifeIn(from, counters, told);
        told.clear();
        long before = counters.get(from, to);
        if (from.canBecome(to)) {
          life.transition(to, "test");
          assertThat(life.state()).isEqualTo(to);
          assertThat(told).containsExactly(from + " " + to);
          assertThat(counters.get(from, to)).isEqualTo(before + 1);
        } else {
          assertThatThrownBy(() -> life.transition(to, "test")).isInstanceOf(AssertionError.class);
          assertThat(life.state()).isEqualTo(from);
          assertThat(told).isEmpty();
          assertThat(counters.get(from, to)).isEqualTo(before);
        }
      }
    }
  }

  private static ChannelTransitions lifeIn(
      ChannelState wanted, TransitionCounters counters, List<String> told) {
    ChannelTransitions life =
        new ChannelTransitions("guest", 1, counters, (from, to) -> told.add(from + " " + to));
    for (ChannelState step : pathTo(wanted)) {
      life.transition(step, "set-up");
    }
    return life;
  }

  private static ImmutableSet<ChannelState> pathTo(ChannelState wanted) {
    return switch (wanted) {
      case NEW -> ImmutableSet.of();
      case RUNNING -> ImmutableSet.of(ChannelState.RUNNING);
      case SUSPENDED -> ImmutableSet.of(ChannelState.SUSPENDED);
      case DRAINING -> ImmutableSet.of(ChannelState.RUNNING, ChannelState.DRAINING);
      case DETACHED ->
          ImmutableSet.of(ChannelState.RUNNING, ChannelState.DRAINING, ChannelState.DETACHED);
      case DEAD -> ImmutableSet.of(ChannelState.DEAD);
      case FREED -> ImmutableSet.of(ChannelState.FREED);
    };
  }
}
