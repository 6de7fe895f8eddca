package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.migrate.phase.Tables;
import org.junit.jupiter.api.Test;

/** The table of taking back. */
final class UndoStageTest {
  @Test
  void canBecome_allPairs_oneWayOnly() {
    Tables.requireEqual(
        UndoStage.class,
        ImmutableSetMultimap.of(
            "UNWANTED", "GIVEN_UP",
            "GIVEN_UP", "TAKING_BACK",
            "TAKING_BACK", "ATTACHED",
            "ATTACHED", "WENT_ON"));
  }
}
