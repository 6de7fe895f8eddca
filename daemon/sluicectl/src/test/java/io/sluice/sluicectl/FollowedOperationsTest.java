package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.MigrationBlocker;
import io.sluice.management.MigrationCheckView;
import io.sluice.management.local.LocalConnectorServer;
import io.sluice.management.local.PeerPolicy;
import io.sluice.sluicectl.Ctl.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Migrations, checkpoints and restores, which the program follows to their end, and reports. */
final class FollowedOperationsTest extends ServedDaemon {
  @ParameterizedTest
  @CsvSource({"MOVED, 0", "GIVEN_UP, 7"})
  void migration_over_exitCodeSaysWhereTheGuestIs(FakeMigrations.End end, int code) {
    migrations.endsWith(end);

    Run run = ctl.run("migration", "start", "web-01", "--to", "kvm-b:7443");

    assertThat(run.code()).isEqualTo(code);
    assertThat(run.out()).isEqualTo("the report\n"); // progress is for terminals, not for pipes
    assertThat(run.err()).isEmpty();
    assertThat(ctl.run("migration", "watch", "web-01").code()).isEqualTo(code);
  }

  private static final MigrationBlocker FULL =
      new MigrationBlocker("SLU-MIG-065", "the destination is full", "Choose another.");

  private Run check(long leastNs, long limitNs, MigrationBlocker... blockers) {
    migrations.checksAs(
        new MigrationCheckView(
            List.of(blockers), 64 << 20, 200_000, 100 << 20, leastNs, 900_000_000, limitNs));
    return ctl.run("migration", "check", "web-01", "--to", "kvm-b:7443");
  }

  /** It is a guess, which a busy host changes from one moment to the next. */
  @ParameterizedTest
  @CsvSource({"503, true", "301, true", "300, false", "20, false"})
  void check_estimate_isAWarningAtMost(long leastMs, boolean warns) {
    Run run = check(leastMs * 1_000_000, 300_000_000);

    assertThat(run.code()).as(run.out()).isEqualTo(ExitCode.OK);
    assertThat(run.out())
        .startsWith("nothing stands in the way\n")
        .contains("for its GPU for " + leastMs + ".0 ms, up to 900.0 ms if it writes all");
    assertThat(run.out().contains("warning: that is longer than --downtime 300.0 ms allows"))
        .isEqualTo(warns);
    assertThat(run.out().contains("  fix:   ")).isEqualTo(warns);
  }

  @Test
  void check_nothingEstimated_warnsOfNothing() {
    Run run = check(MigrationCheckView.UNKNOWN, 1);

    assertThat(run.code()).isEqualTo(ExitCode.OK);
    assertThat(run.out()).isEqualTo("nothing stands in the way\n");
  }

  @Test
  void check_somethingInTheWay_exits1AlsoWithAWarning() {
    Run run = check(503_000_000, 300_000_000, FULL);

    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.out())
        .startsWith("blocked: the destination is full  [SLU-MIG-065]\n  fix:   choose another\n")
        .contains("warning: that is longer")
        .doesNotContain("nothing stands");
  }

  @Test
  void checkpoint_written_isFollowedAndSaysWhereItIs() {
    migrations.endsWith(FakeMigrations.End.WRITTEN);

    Run run = ctl.run("guest", "checkpoint", "web-01", "/srv/web");

    assertThat(run.code()).isZero();
    assertThat(run.out())
        .startsWith("guest \"web-01\" is in /srv/web, 1.0 MiB")
        .doesNotContain("the report");
  }

  /** The daemon goes on with it, and so does who waits for it. */
  @Test
  void checkpoint_connectionBreaks_isFollowedOverAnother() throws Exception {
    migrations.endsWith(FakeMigrations.End.WRITTEN);
    migrations.hold(true);
    FutureTask<Run> running =
        new FutureTask<>(() -> ctl.run("guest", "checkpoint", "web-01", "/srv/web"));
    Thread.ofPlatform().start(running);
    migrations.awaitLook();

    server.close();
    server = LocalConnectorServer.start(dir.resolve("control"), PeerPolicy.owner(), beans);
    migrations.hold(false);

    assertThat(running.get().code()).as(running.get().err()).isZero();
    assertThat(running.get().out()).contains("guest \"web-01\" is in /srv/web");
  }

  @Test
  void checkpoint_failed_exits1WithTheReason() {
    migrations.endsWith(FakeMigrations.End.NOT_WRITTEN);

    Run run = ctl.run("guest", "checkpoint", "web-01", "/srv/web");

    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err())
        .startsWith("error: no checkpoint of guest \"web-01\" ")
        .contains("[SLU-MIG-057]")
        .contains("cause: no space left on device\n  fix:   see to the room on that disk\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "guest checkpoint web-01 /srv/web --detached",
        "guest restore web-01 /srv/web --detached",
        "migration start web-01 --to kvm-b:7443 --detached"
      })
  void longOperation_detached_printsItsId(String command) {
    assertThat(ctl.run(command.split(" "))).isEqualTo(new Run(0, FakeMigrations.ID + "\n", ""));
  }

  @Test
  void longOperation_byTheBeginningOfItsId_isWatchedAndGivenUp() {
    assertThat(ctl.run("migration", "watch", "5f2c").code()).isZero();
    assertThat(ctl.run("migration", "watch", "5f2d").code()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(ctl.run("migration", "abort", "5f2c1a77").code()).isZero();
    assertThat(ctl.run("migration", "abort", "web-01").code()).isZero();
    assertThat(migrations.aborted()).containsExactly("web-01 " + FakeMigrations.ID, "web-01");
  }

  @Test
  void migration_undecidedAllTheTime_exits8AndSaysWhatToDo() {
    migrations.endsWith(FakeMigrations.End.UNDECIDED);

    Run run = ctl.run("migration", "watch", "web-01");

    assertThat(run.code()).isEqualTo(8);
    assertThat(run.err())
        .contains("nobody knows whether guest \"web-01\" has moved", "[SLU-CTL-010]")
        .contains("its destination, kvm-b:7443,", "resolve");
  }

  @Test
  void reportHtml_diskFull_isNotTheDaemonsFault() {
    Run run = ctl.run("migration", "report", "web-01", "--html", "/dev/full");

    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err())
        .contains("the report cannot be written to /dev/full", "[SLU-CTL-011]")
        .contains("No space left on device");
  }

  @Test
  void reportHtml_symbolicLink_staysOneAndItsFileIsWritten() throws IOException {
    Path file = Files.writeString(dir.resolve("report.html"), "the former one");
    Path link = Files.createSymbolicLink(dir.resolve("latest.html"), file);

    assertThat(ctl.run("migration", "report", "web-01", "--html", link.toString()))
        .isEqualTo(new Run(0, "", ""));

    assertThat(link).isSymbolicLink();
    assertThat(file).hasContent("the report");
  }

  @Test
  void reportHtml_cannotBeWritten_theFormerOneStays() throws IOException {
    Path file = dir.resolve("report.html");
    assertThat(ctl.run("migration", "report", "web-01", "--html", file.toString()))
        .isEqualTo(new Run(0, "", ""));
    assertThat(file).hasContent("the report");
    Files.writeString(file, "the former one");
    Path inTheWay = Files.createDirectory(dir.resolve("report.html.partial"));
    Files.writeString(inTheWay.resolve("file"), "");

    Run run = ctl.run("migration", "report", "web-01", "--html", file.toString());

    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(file).hasContent("the former one");
  }
}
