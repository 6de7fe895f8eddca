package io.sluice.testbed.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.attack.AttackRun.Outcome;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.machine.MachineEnvironment;
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
 * The short form with machines: one is a victim too, of attacks that take what its guest shares; in
 * the other one an unprivileged program attacks both victims.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class MachineVictimTest {
  private static final int SECONDS = 2;

  private AttackRun run;
  private Waits quiet = new Waits(0, 0, 0, 0, 0, 0);

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    Optional<MachineEnvironment> environment = MachineEnvironment.find();
    assumeTrue(environment.isPresent(), MachineEnvironment.absence());
    run = new AttackRun(directory, "true", environment);
    quiet = run.quiet(SECONDS);
  }

  @AfterAll
  void stop() throws Exception {
    if (run != null) {
      run.close();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CALLS", "CHANNELS", "PROGRAMS", "UNMAP_OF_EXTENTS"})
  void attack_besideAMachine_costsItNothing(Attack attack) throws Exception {
    long seed = Long.getLong("sluice.seed", new Random().nextLong());
    Outcome outcome = run.attack(attack, seed, SECONDS);
    System.out.println("MachineVictimTest: -Dsluice.seed=" + seed + " " + outcome.text(quiet));
    assertThat(outcome.wrong()).as("-Dsluice.seed=%d, %s", seed, attack.label()).isEmpty();
  }

  /** Two machines that boot and work at once: minutes on a slow host. */
  @Tag("long")
  @ParameterizedTest
  @EnumSource
  void attack_inAnotherMachine_costsNobodyAnything(Intrusion intrusion) throws Exception {
    long seed = Long.getLong("sluice.seed", new Random().nextLong());
    Outcome outcome = run.attack(intrusion, seed, SECONDS);
    System.out.println("MachineVictimTest: -Dsluice.seed=" + seed + " " + outcome.text(quiet));
    assertThat(outcome.wrong()).as("-Dsluice.seed=%d, %s", seed, intrusion.label()).isEmpty();
  }
}
