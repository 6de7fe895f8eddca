package io.sluice.migrate.checkpoint;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.migrate.phase.Tables;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FileStageTest {
  /** The way to a file; it may fail on all of it, and is not given up once it is wanted. */
  @Test
  void table_everyPair_isAsTheOracleSays() {
    List<String> way = List.of("TAKING", "ENDING", "WHOLE", "COMMITTED", "COMPLETE");
    ImmutableSetMultimap.Builder<String, String> oracle = ImmutableSetMultimap.builder();
    for (int i = 0; i + 1 < way.size(); i++) {
      oracle.put(way.get(i), way.get(i + 1));
      oracle.put(way.get(i), "FAILED");
      if (!way.get(i).equals("COMMITTED")) {
        oracle.put(way.get(i), "GONE");
      }
    }
    Tables.requireEqual(FileStage.class, oracle.put("FAILED", "GONE").build());
  }
}
