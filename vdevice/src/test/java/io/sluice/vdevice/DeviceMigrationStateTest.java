package io.sluice.vdevice;

import static io.sluice.vdevice.DeviceMigrationState.ERROR;
import static io.sluice.vdevice.DeviceMigrationState.PRE_COPY;
import static io.sluice.vdevice.DeviceMigrationState.RESUMING;
import static io.sluice.vdevice.DeviceMigrationState.RUNNING;
import static io.sluice.vdevice.DeviceMigrationState.STOP;
import static io.sluice.vdevice.DeviceMigrationState.STOP_COPY;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table against the specification's words: its direct arcs, and the rule by which others are
 * made of them, searched breadth first.
 */
final class DeviceMigrationStateTest {
  /** QEMU's docs/interop/vfio-user.rst, "Direct State Transitions". */
  private static final Map<DeviceMigrationState, Set<DeviceMigrationState>> ARCS =
      Map.of(
          RUNNING, Set.of(STOP, PRE_COPY),
          STOP_COPY, Set.of(STOP),
          RESUMING, Set.of(STOP),
          PRE_COPY, Set.of(RUNNING, STOP_COPY),
          STOP, Set.of(RUNNING, STOP_COPY, RESUMING),
          ERROR, Set.of());

  private static final Set<DeviceMigrationState> SAVING_GROUP = Set.of(PRE_COPY, STOP_COPY);

  /** Every pair of states. */
  static Stream<Arguments> pairs() {
    return Stream.of(DeviceMigrationState.values())
        .flatMap(
            from -> Stream.of(DeviceMigrationState.values()).map(to -> Arguments.of(from, to)));
  }

  /** Every shortest way by the rule; none when there is none, or it is forbidden by name. */
  private static List<List<DeviceMigrationState>> oracle(
      DeviceMigrationState from, DeviceMigrationState to) {
    if (from == STOP_COPY && to == PRE_COPY || to == ERROR) {
      return List.of();
    }
    List<List<DeviceMigrationState>> shortest = new ArrayList<>();
    Deque<List<DeviceMigrationState>> open = new ArrayDeque<>();
    open.add(List.of(from));
    int found = Integer.MAX_VALUE;
    while (!open.isEmpty()) {
      List<DeviceMigrationState> way = open.remove();
      DeviceMigrationState last = way.getLast();
      if (way.size() > found || way.size() > ARCS.size()) {
        continue;
      }
      if (last == to) {
        found = way.size();
        shortest.add(way);
      } else if (way.size() == 1 || !SAVING_GROUP.contains(last)) {
        for (DeviceMigrationState next : ARCS.getOrDefault(last, Set.of())) {
          List<DeviceMigrationState> longer = new ArrayList<>(way);
          longer.add(next);
          open.add(longer);
        }
      }
    }
    return shortest;
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void next_everyPair_goesTheOneWayOfTheSpecification(
      DeviceMigrationState from, DeviceMigrationState to) {
    List<DeviceMigrationState> way = new ArrayList<>();
    way.add(from);
    DeviceMigrationState at = from;
    while (at != to && way.size() <= ARCS.size()) {
      at = at.next(to);
      if (at == null) {
        break;
      }
      way.add(at);
    }
    List<List<DeviceMigrationState>> expected = oracle(from, to);
    if (from == to) {
      assertThat(from.next(to)).isNull();
    } else if (expected.isEmpty()) {
      assertThat(from.next(to)).isNull();
    } else {
      assertThat(expected).hasSize(1); // so that "shortest" leaves no choice
      assertThat(way).isEqualTo(expected.getFirst());
    }
  }

  @Test
  void of_numbersOfStatesThatAreNotOffered_null() {
    Map<Integer, DeviceMigrationState> found = new java.util.TreeMap<>();
    for (int number = -1; number < 16; number++) {
      DeviceMigrationState state = DeviceMigrationState.of(number);
      if (state != null) {
        found.put(number, state);
      }
    }
    // linux/vfio.h, "enum vfio_device_mig_state"; 5 and 7 are the states with P2P.
    assertThat(found)
        .isEqualTo(Map.of(0, ERROR, 1, STOP, 2, RUNNING, 3, STOP_COPY, 4, RESUMING, 6, PRE_COPY));
  }

  @Test
  void saves_isTheSavingGroup() {
    Map<DeviceMigrationState, Boolean> saves = new EnumMap<>(DeviceMigrationState.class);
    for (DeviceMigrationState state : DeviceMigrationState.values()) {
      saves.put(state, state.saves());
    }
    Map<DeviceMigrationState, Boolean> expected = new EnumMap<>(DeviceMigrationState.class);
    for (DeviceMigrationState state : DeviceMigrationState.values()) {
      expected.put(state, SAVING_GROUP.contains(state));
    }
    assertThat(saves).isEqualTo(Collections.unmodifiableMap(expected));
  }
}
