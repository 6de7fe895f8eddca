package io.sluice.migrate.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.migrate.phase.Tables;
import io.sluice.migrate.phase.TargetPhase;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class IncomingStageTest {
  private static final List<String> WAY =
      List.of(
          "WAITING",
          "OFFERED",
          "ADMITTED",
          "RECEIVING",
          "RESTORING",
          "READY",
          "COMMITTING",
          "DECIDED",
          "RUNNING");

  /** There is a durable record from here on. */
  private static final int DECIDED = WAY.indexOf("DECIDED");

  /** In these it learns more without getting further. */
  private static final Set<String> LEARNING =
      Set.of("WAITING", "OFFERED", "RECEIVING", "RESTORING");

  @Test
  void table_everyPair_isAsTheOracleSays() {
    ImmutableSetMultimap.Builder<String, String> oracle = ImmutableSetMultimap.builder();
    for (int i = 0; i + 1 < WAY.size(); i++) {
      oracle.put(WAY.get(i), WAY.get(i + 1));
    }
    WAY.subList(0, DECIDED).forEach(stage -> oracle.put(stage, "DISCARDED"));
    LEARNING.forEach(stage -> oracle.put(stage, stage));
    Tables.requireEqual(IncomingStage.class, oracle.build());
  }

  @Test
  void table_recordIsDurable_nothingLeadsToDiscarded() {
    Set<IncomingStage> seen = EnumSet.of(IncomingStage.DECIDED);
    Deque<IncomingStage> left = new ArrayDeque<>(seen);
    while (!left.isEmpty()) {
      left.remove().next().stream().filter(seen::add).forEach(left::add);
    }
    assertThat(seen).containsExactlyInAnyOrder(IncomingStage.DECIDED, IncomingStage.RUNNING);
  }

  /** The phase that operators see changes as its own table says, and in no other way. */
  @Test
  void phase_everyLegalPair_staysOrIsLegalToo() {
    for (IncomingStage from : IncomingStage.values()) {
      for (IncomingStage to : from.next()) {
        assertThat(from.phase() == to.phase() || from.phase().canBecome(to.phase()))
            .as("%s to %s", from, to)
            .isTrue();
      }
    }
    assertThat(IncomingStage.values())
        .extracting(IncomingStage::phase)
        .containsOnly(TargetPhase.values());
  }
}
