package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.opencl.Commands.Result;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random histories of calls: of one seed they print the same natively and remoted. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HistoriesTest {
  private static final int STEPS = 1000;
  private static final int MANY_STEPS = 4000;
  private static final int MANY_SEEDS = 40;

  private final long seed = Long.getLong("sluice.seed", new Random().nextLong());
  private OpenClEnvironment environment;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    environment = OpenClEnvironment.create(directory);
  }

  @AfterAll
  void stop() throws Exception {
    if (environment != null) {
      environment.close();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {115, 310, 2026})
  void history_nativelyAndRemoted_printsTheSame(long ofSeed) throws Exception {
    compare(ofSeed, STEPS);
  }

  @Test
  void history_ofAFreshSeed_printsTheSame() throws Exception {
    System.out.println("HistoriesTest: -Dsluice.seed=" + seed);

    compare(seed, STEPS);
  }

  @Tag("long")
  @TakesLong("many histories, and long ones")
  @Test
  void histories_ofManySeeds_printTheSame() throws Exception {
    System.out.println("HistoriesTest: -Dsluice.seed=" + seed);

    for (int i = 0; i < MANY_SEEDS; i++) {
      compare(seed + i, MANY_STEPS);
    }
  }

  private void compare(long ofSeed, int steps) throws Exception {
    List<String> history =
        List.of(environment.program("histories"), Long.toString(ofSeed), Integer.toString(steps));
    Result there = environment.natively(history);
    Result here = environment.remoted(history);

    assertThat(here.output())
        .as(() -> "seed " + ofSeed + "\n" + here.errors() + "\n" + environment.hostLog())
        .isNotEmpty()
        .containsExactlyElementsOf(there.output());
    assertThat(here.code()).isEqualTo(there.code()).isZero();
  }
}
