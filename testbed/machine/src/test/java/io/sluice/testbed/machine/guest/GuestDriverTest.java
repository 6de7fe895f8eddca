package io.sluice.testbed.machine.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.fakes.Seeds;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Daemons.Holdings;
import io.sluice.testbed.machine.support.Machines;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The kernel module's user ABI, in real machines. The cases are in the guest's programs, each of
 * which says what failed; a kernel that was hurt makes any of them fail.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(Seeds.class)
final class GuestDriverTest {
  private static final String GUEST = "guest";
  private static final int FUZZ_SECONDS = 90;

  private Machines machines;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    machines = Machines.start(directory, List.of(GUEST));
  }

  @AfterAll
  void stop() throws Exception {
    if (machines != null) {
      machines.close();
    }
  }

  @Test
  void refuse_everyWrongCall_getsItsErrno() throws Exception {
    assertThat(machines.run(GUEST, "refuse && vmaccess")).isZero();
  }

  @Test
  void files_acrossForkExecAndDescriptorsPassedOn_keepWhatTheyMade() throws Exception {
    assertThat(machines.run(GUEST, "inherit")).isZero();
  }

  @Test
  void processes_manyAtOnceHalfOfThemKilled_leaveNothing(RandomGenerator random) throws Exception {
    assertThat(machines.run(GUEST, "many 16 2 " + random.nextInt(1 << 30), "--cpus", "2")).isZero();
  }

  @Test
  void programsOfAnotherUser_attackingAVictim_changeNothingOfIt(RandomGenerator random)
      throws Exception {
    String strangers = "strangers 4 " + random.nextInt(1 << 30) + " && smoke";
    assertThat(machines.run(GUEST, strangers, "--cpus", "2")).isZero();
  }

  @Test
  void smokeTwice_withUnloadBetween_worksAgain() throws Exception {
    String unload = "smoke && rmmod sluice && insmod /lib/modules/sluice.ko && smoke";
    assertThat(machines.run(GUEST, unload)).isZero();
  }

  @Test
  void guest_afterProgramsOfAllKinds_leavesTheDaemonAsItWas() throws Exception {
    Daemons.awaitGone(machines.daemon(), GUEST);
    Holdings before = Holdings.of(machines.daemon().pid());

    assertThat(machines.run(GUEST, "many 8 1 && inherit && rmmod sluice")).isZero();

    Daemons.awaitGone(machines.daemon(), GUEST);
    Daemons.awaitHoldings(machines.daemon(), before);
  }

  @Test
  @Tag("long")
  void fuzz_ofAllCalls_hurtsNeitherKernelNorDaemon(RandomGenerator random) throws Exception {
    String fuzz = "fuzz %d %d && smoke".formatted(FUZZ_SECONDS, random.nextInt(1 << 30));
    assertThat(machines.run(GUEST, fuzz, "--cpus", "2")).isZero();
  }
}
