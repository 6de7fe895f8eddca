package io.sluice.testbed.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.attack.AttackRun.Outcome;
import io.sluice.testbed.checks.LeakCheck;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A daemon with few descriptors, as a service manager may start one: who takes all that there are
 * for guests costs only itself.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class LimitedDaemonTest {
  private static final int SECONDS = 2;

  private AttackRun run;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    run = new AttackRun(directory, "ulimit -n 320", Optional.empty());
  }

  @AfterAll
  void stop() throws Exception {
    if (run != null) {
      run.close();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPINGS", "MESSAGES", "LINGER", "SILENT"})
  void attack_onFewDescriptors_costsNobodyElseAnything(Attack attack) throws Exception {
    long seed = Long.getLong("sluice.seed", new Random().nextLong());
    Outcome outcome = run.attack(attack, seed, SECONDS);
    assertThat(outcome.wrong()).as("-Dsluice.seed=%d, %s", seed, attack.label()).isEmpty();
  }
}
