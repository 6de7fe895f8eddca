package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.migrate.phase.Tables;
import org.junit.jupiter.api.Test;

final class AgreementTest {
  @Test
  void table_everyPair_isAsTheOracleSays() {
    Tables.requireEqual(
        Agreement.class,
        ImmutableSetMultimap.<String, String>builder()
            .put("NONE", "OFFERED")
            .put("OFFERED", "ACCEPTED")
            .put("ACCEPTED", "READY")
            .put("READY", "READY") // said again
            .put("READY", "COMMITTED")
            .put("COMMITTED", "TO_ASK")
            .put("TO_ASK", "TO_ASK") // the new link is lost as well
            .put("TO_ASK", "ASKED")
            .put("ASKED", "TO_ASK") // no answer came
            .build());
  }
}
