package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.management.ObjectNames;
import io.sluice.management.local.LocalConnectorServer;
import io.sluice.management.local.PeerPolicy;
import io.sluice.sluicectl.Ctl.Run;
import io.sluice.sluicectl.terminal.Signals;
import io.sluice.testbed.checks.LeakCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code sluicectl guest run}, with scripts for the launcher. */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GuestRunTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  @TempDir private Path dir;

  @SuppressWarnings("NullAway.Init")
  private Ctl ctl;

  @SuppressWarnings("NullAway.Init")
  private LocalConnectorServer server;

  @BeforeEach
  void serve() throws Exception {
    MBeanServer beans = MBeanServerFactory.newMBeanServer();
    FakeDaemon daemon = new FakeDaemon();
    beans.registerMBean(daemon, ObjectNames.DAEMON);
    beans.registerMBean(new FakePrograms(daemon.asked()), ObjectNames.PROGRAMS);
    Path socket = dir.resolve("control");
    server = LocalConnectorServer.start(socket, PeerPolicy.owner(), beans);
    ctl = new Ctl(socket);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  /** A launcher that is this script; the library is a file of any content. */
  private Path launcher(String script) throws IOException {
    Path launcher = Files.writeString(dir.resolve(CudaFiles.LAUNCHER), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
    return launcher;
  }

  private Path library() throws IOException {
    return Files.writeString(dir.resolve(CudaFiles.LIBRARY), "");
  }

  // ---- refusals ----

  @Test
  void run_unknownGuest_exits4() {
    Run run = ctl.run("guest", "run", "ml-2", "--", "true");

    assertThat(run.code()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(run.err()).contains("no guest \"ml-2\"", "did you mean \"ml-02\"?");
  }

  @Test
  void run_guestWithoutCuda_saysWhatToSet() {
    Run run = ctl.run("guest", "run", "web-01", "--", "true");

    assertThat(run.code()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(run.err())
        .contains("guest \"web-01\" takes no CUDA programs", "[SLU-PROG-001]")
        .contains("cause: its cuda is not set", "fix:   set cuda in its [[guest]]");
  }

  @Test
  void run_noCommand_isMisused() {
    assertThat(ctl.run("guest", "run", "ml-02").code()).isEqualTo(ExitCode.USAGE);
    assertThat(ctl.run("guest", "run", "ml-02", "--").code()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void run_launcherThatIsNotThere_saysWhereItWasLookedFor() throws IOException {
    Path absent = dir.resolve("absent");

    Run run =
        ctl.run(
            "guest",
            "run",
            "ml-02",
            "--library=" + library(),
            "--launcher=" + absent,
            "--",
            "true");

    assertThat(run.code()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(run.err())
        .contains("the launcher of CUDA programs is not here", "[SLU-PROG-005]")
        .contains("looked for " + absent, "./sluice build", "--launcher");
  }

  @Test
  void run_launcherThatIsNotExecutable_isNotFound() throws IOException {
    Path file = Files.writeString(dir.resolve("file"), "");

    assertThat(ctl.run("guest", "run", "ml-02", "--launcher=" + file, "--", "true").err())
        .contains("[SLU-PROG-005]");
  }

  @Test
  void run_libraryThatIsNotThere_saysSo() throws IOException {
    Run run =
        ctl.run(
            "guest",
            "run",
            "ml-02",
            "--launcher=" + launcher("true"),
            "--library=" + dir.resolve("absent"),
            "--",
            "true");

    assertThat(run.err()).contains("the library of CUDA programs is not here", "--library");
  }

  @Test
  void run_launcherWithoutItsInterpreter_cannotBeStarted() throws IOException {
    Path launcher = launcher("");
    Files.writeString(launcher, "#!/nowhere/sh\n");

    Run run = ctl.run(arguments(launcher, "true"));

    assertThat(run.code()).isEqualTo(ExitCode.FAILED);
    assertThat(run.err()).contains("cannot start " + launcher, "[SLU-PROG-006]");
  }

  @Test
  void files_nowhere_areLookedForEverywhere() {
    CudaFiles files =
        CudaFiles.of(
            Map.of("SLUICE_CUDA_DIR", dir + "/mine"), Path.of("/x/target/sluice/lib/ctl.jar"));

    try {
      files.launcher(null);
    } catch (ProblemException e) {
      assertThat(e.problem().cause())
          .isEqualTo(
              "looked for "
                  + dir
                  + "/mine/sluice-cuda-run, /x/target/sluice/cuda/sluice-cuda-run,"
                  + " /usr/lib/sluice/sluice-cuda-run");
      return;
    }
    throw new AssertionError("a launcher was found");
  }

  // ---- what is run ----

  private String[] arguments(Path launcher, String... command) throws IOException {
    List<String> words =
        new ArrayList<>(
            List.of(
                "guest", "run", "ml-02", "--launcher=" + launcher, "--library=" + library(), "--"));
    words.addAll(List.of(command));
    return words.toArray(String[]::new);
  }

  @Test
  void files_besideTheJars_areFound() throws IOException {
    Path cuda = Files.createDirectories(dir.resolve("sluice/cuda"));
    Path library = Files.writeString(cuda.resolve(CudaFiles.LIBRARY), "");

    assertThat(
            CudaFiles.of(Map.of("SLUICE_CUDA_DIR", "/nowhere"), dir.resolve("sluice/lib/ctl.jar"))
                .library(null))
        .isEqualTo(library);
  }

  @Test
  void run_command_reachesTheLauncherWordByWord() throws IOException {
    Path said = dir.resolve("said");
    Path file = Files.writeString(dir.resolve("words"), "not these");

    Run run =
        ctl.run(
            arguments(
                launcher("printf '%s\\n' \"$@\" >" + said),
                "python3",
                "-c",
                "a b",
                "--format",
                "@" + file,
                ""));

    assertThat(run).isEqualTo(new Run(0, "", ""));
    assertThat(Files.readAllLines(said))
        .containsExactly(
            "--socket",
            FakePrograms.SOCKET,
            "--library",
            library().toString(),
            "--",
            "python3",
            "-c",
            "a b",
            "--format",
            "@" + file,
            "");
  }

  @ParameterizedTest
  @CsvSource({"exit 0, 0", "exit 5, 5", "kill -KILL $$, 137"})
  void run_programThatEnds_exitsAsIt(String script, int code) throws IOException {
    assertThat(ctl.run(arguments(launcher(script), "true")).code()).isEqualTo(code);
  }

  /** Of the signals only this one is never ignored from the beginning, as in a background job. */
  @Test
  void run_sigterm_reachesTheProgram() throws Exception {
    Path begun = dir.resolve("begun");
    String[] arguments =
        arguments(
            launcher(
                "trap 'exit 43' TERM\n: >" + begun + "\nfor _ in $(seq 600); do sleep 0.05; done"),
            "true");
    CompletableFuture<Run> run = CompletableFuture.supplyAsync(() -> ctl.run(arguments));
    await().atMost(PATIENCE).until(() -> Files.exists(begun));

    Process kill =
        new ProcessBuilder("/bin/sh", "-c", "kill -s TERM " + ProcessHandle.current().pid())
            .start();

    assertThat(kill.waitFor()).isZero();
    assertThat(run.get().code()).isEqualTo(43);
  }

  @ParameterizedTest
  @CsvSource({
    "1 (a) b) S 7 42 42 34816 42 4194304, true",
    "1 (a) S 7 42 42 34816 99 4194304, false",
    "1 (a) S 7 42 42 0 -1 4194304, false",
  })
  void isForeground_ofAProcess_isWhatTheKernelSays(String stat, boolean foreground) {
    assertThat(Signals.isForeground(stat)).isEqualTo(foreground);
  }
}
