package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.migrate.phase.Tables;
import org.junit.jupiter.api.Test;

/** The table of saving. */
final class SavingStageTest {
  @Test
  void canBecome_allPairs_oneWayOnly() {
    Tables.requireEqual(
        SourceState.SavingStage.class,
        ImmutableSetMultimap.of("NOT_BEGUN", "HOLDING_STILL", "HOLDING_STILL", "TAKEN"));
  }
}
