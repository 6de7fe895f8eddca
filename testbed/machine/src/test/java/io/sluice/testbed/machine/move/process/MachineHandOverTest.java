package io.sluice.testbed.machine.move.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.MachineGuest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A machine stays in its QEMU and changes its daemon, each of which ends when it has given the
 * machine away. A program in it copies, computes and waits for interrupts all the while, and looks
 * whether the results are right.
 */
@TakesLong("a machine boots, and four daemons start one after the other")
final class MachineHandOverTest {
  private static final String GUEST = "moved";
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int MOVES = 3;
  private static final int ROUNDS = 3;
  private static final String SAYS = "bystander:";
  private static final Pattern WENT = Pattern.compile(" rounds=(\\d+) wrong=(\\d+) .*");

  @TempDir private Path directory;

  @Test
  void start_toAnotherDaemonOfTheHost_theMachineWorksOnInItsQemu() throws Exception {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(found.isPresent(), MachineEnvironment.absence());
    MachineEnvironment environment = found.get();
    DaemonProcess daemon = daemon(0);
    try (MachineGuest machine =
        MachineGuest.start(
            environment,
            new MachineGuest.Setup(
                environment.image(),
                List.of(daemon.socket(GUEST)),
                "bystander",
                Optional.empty(),
                List.of()),
            _ -> {})) {
      String _ = machine.await(SAYS + " begins", PATIENCE);
      for (int move = 1; move <= MOVES; move++) {
        awaitRounds(machine);
        DaemonProcess next = daemon(move);
        try (DaemonProcess _ = daemon) {
          hand(daemon.connection().migrations(), next);
        } finally {
          daemon = next;
        }
        awaitRounds(machine);
      }
      machine.type("end");
      assertThat(machine.awaitExit(PATIENCE)).as(machine.console()).isZero();
    } finally {
      daemon.close();
    }
  }

  private DaemonProcess daemon(int number) throws Exception {
    // By turns: one is started anew where the last but one was, as at an upgrade there and back.
    Path own = Files.createDirectories(directory.resolve(Integer.toString(number % 2)));
    return DaemonProcess.start(own, List.of(GUEST));
  }

  private static void hand(MigrationsMXBean migrations, DaemonProcess to) throws Exception {
    String place = "unix:" + to.connection().migrations().getSocketPath();
    assertThat(migrations.check(GUEST, place, Map.of()).blockers()).isEmpty();
    migrations.start(GUEST, place, Map.of());
    await().atMost(PATIENCE).until(() -> view(migrations).over());
    assertThat(view(migrations).phase()).as(view(migrations).reason()).isEqualTo("done");
  }

  private static MigrationStatusView view(MigrationsMXBean migrations) {
    return Objects.requireNonNull(migrations.getMigrations().get(GUEST));
  }

  /** It does some rounds of work more, and all were right. */
  private static void awaitRounds(MachineGuest machine) throws Exception {
    long until = rounds(machine) + ROUNDS;
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (rounds(machine) < until) {
      assertThat(System.nanoTime()).as("it works on").isLessThan(end);
    }
  }

  private static long rounds(MachineGuest machine) throws Exception {
    machine.type("tell");
    Matcher went = WENT.matcher(machine.await(SAYS, PATIENCE));
    assertThat(went.matches()).as(machine.console()).isTrue();
    assertThat(went.group(2)).as("wrong").isEqualTo("0");
    return Long.parseLong(went.group(1));
  }
}
