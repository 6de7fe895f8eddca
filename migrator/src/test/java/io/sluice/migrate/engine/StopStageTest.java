package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.phase.Tables;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The table of a machine's stop, and the machine's stop in every order of what can happen. */
final class StopStageTest {
  private static final int LONGEST = 4;

  @Test
  void table_everyPair_isAsTheOracleSays() {
    Tables.requireEqual(
        StopStage.class,
        ImmutableSetMultimap.<String, String>builder()
            .putAll("COPYING", "STANDING_BY", "LOOKING", "HELD_BACK", "ALLOWED")
            .putAll("STANDING_BY", "LOOKING", "HELD_BACK", "ALLOWED")
            .putAll("LOOKING", "COPYING", "ALLOWED")
            .putAll("HELD_BACK", "COPYING", "ALLOWED")
            .putAll("ALLOWED", "CAUGHT_UP", "FORCED")
            .putAll("CAUGHT_UP", "FORCED")
            .build());
  }

  /** A machine, its stop, and the time. */
  private static final class Scene {
    final AskedMachine machine = new AskedMachine();
    final MachineStop stop = new MachineStop(machine);
    long nowNs = 1;
  }

  private static final List<Consumer<Scene>> EVENTS =
      List.of(
          scene -> scene.machine.has(Long.MAX_VALUE),
          scene -> scene.machine.has(MachineStop.STAND_BY_BYTES),
          scene -> scene.machine.has(MachineStop.TAKEN_BYTES - 1),
          scene -> scene.machine.passes++,
          scene -> scene.machine.standsBy = true,
          scene -> scene.machine.state = State.STOPPED,
          scene -> scene.stop.works(true),
          scene -> scene.stop.works(false),
          scene -> scene.stop.drained(scene.nowNs++, false, false),
          scene -> scene.stop.drained(scene.nowNs += MachineStop.SETTLE_NS * 3, false, false),
          scene -> scene.stop.drained(scene.nowNs++, true, false),
          scene -> scene.stop.drained(scene.nowNs++, false, true));

  /** Once it may stop, it is never held back again, and is asked each thing once. */
  @Test
  void stop_everyOrderOfEvents_staysWithinTheTable() {
    Set<StopStage> seen = EnumSet.noneOf(StopStage.class);
    int[] chosen = new int[LONGEST + 2];
    int orders = (int) Math.pow(EVENTS.size(), LONGEST);
    for (int order = 0; order < orders; order++) {
      Scene scene = new Scene();
      chosen[0] = 4; // it can stand by
      chosen[1] = 1; // with what it has
      int rest = order;
      for (int i = 2; i < chosen.length; i++) {
        chosen[i] = rest % EVENTS.size();
        rest /= EVENTS.size();
      }
      for (int event : chosen) {
        EVENTS.get(event).accept(scene);
        seen.add(scene.stop.stage());
      }
      List<String> asked = scene.machine.asked;
      int allowed = asked.indexOf("allowShortStop 0");
      if (allowed >= 0) {
        assertThat(asked.subList(allowed + 1, asked.size()))
            .as("%s", asked)
            .doesNotHaveDuplicates()
            .isSubsetOf("allowStop", "forceStop");
      }
    }
    assertThat(seen).containsExactlyInAnyOrder(StopStage.values());
  }
}
