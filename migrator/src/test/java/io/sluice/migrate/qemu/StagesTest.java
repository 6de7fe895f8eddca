package io.sluice.migrate.qemu;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.migrate.phase.Tables;
import org.junit.jupiter.api.Test;

/** The tables of both sides of a machine, and of what is asked of its guest. */
final class StagesTest {
  private static ImmutableSetMultimap.Builder<String, String> way(String... stages) {
    ImmutableSetMultimap.Builder<String, String> way = ImmutableSetMultimap.builder();
    for (int i = 1; i < stages.length; i++) {
      way.put(stages[i - 1], stages[i]);
    }
    return way;
  }

  /** Given up from anywhere, it settles and goes on; QEMU's word gives way to our own reason. */
  @Test
  void source_everyPair_isAsTheOracleSays() {
    ImmutableSetMultimap.Builder<String, String> oracle =
        way("OPEN", "COPYING", "GIVEN_UP", "FAILED", "UNDOING", "SETTLED", "WENT_ON");
    oracle.put("COPYING", "COPYING"); // held back, and not
    oracle.put("COPYING", "FAILED");
    for (String left : new String[] {"OPEN", "COPYING", "GIVEN_UP"}) {
      oracle.put(left, "UNDOING");
    }
    Tables.requireEqual(QemuSourceStage.class, oracle.build());
  }

  /** It ends from anywhere before it has run, and fails only by a step of its own. */
  @Test
  void target_everyPair_isAsTheOracleSays() {
    ImmutableSetMultimap.Builder<String, String> oracle =
        way("OPEN", "EXPECTING", "RECEIVING", "RESTORING", "RESTORED", "RUNNING");
    oracle.put("RECEIVING", "RECEIVING"); // it is told more
    for (String step : new String[] {"RESTORING", "RESTORED"}) {
      oracle.put(step, "FAILED");
    }
    for (String left :
        new String[] {"OPEN", "EXPECTING", "RECEIVING", "RESTORING", "RESTORED", "FAILED"}) {
      oracle.put(left, "ENDING");
    }
    Tables.requireEqual(QemuTargetStage.class, oracle.build());
  }

  /** It may be wanted again at any time. */
  @Test
  void touch_everyPair_isAsTheOracleSays() {
    ImmutableSetMultimap.Builder<String, String> oracle =
        way("UNASKED", "WANTED", "ASKED", "TOUCHED");
    oracle.put("WANTED", "IMPOSSIBLE");
    for (TouchStage stage : TouchStage.values()) {
      oracle.put(stage.name(), "WANTED");
    }
    Tables.requireEqual(TouchStage.class, oracle.build());
  }
}
