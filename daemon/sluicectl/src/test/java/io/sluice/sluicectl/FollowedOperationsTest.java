package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.local.LocalConnectorServer;
import io.sluice.management.local.PeerPolicy;
import io.sluice.sluicectl.Ctl.Run;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
