package io.sluice.testbed.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
 * The short form of the attack suite: each attack for some seconds, beside a victim. How long the
 * victim had to wait is told and not asserted.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class AttackTest {
  private static final int SECONDS = 2;

  private AttackRun run;
  private Waits quiet = new Waits(0, 0, 0, 0, 0, 0);

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    run = new AttackRun(directory);
    quiet = run.quiet(SECONDS);
  }

  @AfterAll
  void stop() throws Exception {
    if (run != null) {
      run.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void attack_besideAVictim_costsNobodyAnything(Attack attack) throws Exception {
    Optional<String> obstacle = attack.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
    long seed = Long.getLong("sluice.seed", new Random().nextLong());
    Outcome outcome = run.attack(attack, seed, SECONDS);
    System.out.println("AttackTest: -Dsluice.seed=" + seed + " " + outcome.text(quiet));
    assertThat(outcome.wrong()).as("-Dsluice.seed=%d, %s", seed, attack.label()).isEmpty();
  }
}
