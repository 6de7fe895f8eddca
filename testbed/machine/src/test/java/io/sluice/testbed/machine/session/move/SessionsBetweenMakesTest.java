package io.sluice.testbed.machine.session.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.opencl.Commands;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import io.sluice.testbed.opencl.OtherMake;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sessions that move between the session hosts of two makes of OpenCL, in the sandbox, by a daemon.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class SessionsBetweenMakesTest {
  private static final String GUEST = "guest";
  private static final String DEFAULT = "default";
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final long AT_WORK = 50;
  private static final int MOVES = 6;
  private static final int MANY = 1_000_000;

  private OtherMake make;
  private OpenClParts parts;
  private Path work;
  private DaemonProcess daemon;
  private SessionsMXBean sessions;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    make = OtherMake.ALL.getFirst();
    assumeTrue(make.isInstalled(), "not installed here: " + make.debianPackage());
    parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    work = Files.createDirectory(directory.resolve("work"));
    daemon =
        DaemonProcess.startWithOpenCl(
            Files.createDirectory(directory.resolve("daemon")),
            List.of(GUEST),
            "implementations = \"" + make.vendors(directory) + "\"\n");
    sessions = daemon.connection().sessions();
  }

  @AfterAll
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  @BeforeEach
  void awaitNoSession() {
    await().atMost(PATIENCE).until(() -> sessions.list(GUEST).isEmpty());
  }

  private Map<String, String> environment() {
    return Map.of(
        "OCL_ICD_VENDORS",
        parts.vendors().toString(),
        "SLUICE_API_SOCKET",
        daemon.socket(GUEST) + ".api");
  }

  private CompletableFuture<Result> run(String program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(parts.program(program).toString()));
    command.addAll(List.of(arguments));
    return CompletableFuture.supplyAsync(() -> {
      try {
        return Commands.run(work, environment(), command);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    });
  }

  private SessionStatus awaitAtWork() {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                sessions.list(GUEST).stream()
                    .filter(each -> each.calls() > AT_WORK)
                    .findFirst()
                    .orElse(null),
            each -> each != null);
  }

  @Test
  void filterOfAFilm_whoseSessionMovesToAnotherMakeAndBack_hasEachFrameRight() throws Exception {
    Path end = work.resolve("end");
    CompletableFuture<Result> running =
        run("frames", String.valueOf(MANY), "48", String.valueOf(end));
    SessionStatus session = awaitAtWork();
    assertThat(sessions.move(GUEST, session.number(), make.name(), true).obstacles()).isEmpty();

    for (int i = 0; i < MOVES; i++) {
      String to = i % 2 == 0 ? make.name() : DEFAULT;
      SessionMove move = sessions.move(GUEST, session.number(), to, false);
      System.out.printf(
          "moved to %s: rounds %d, sent %d bytes, stopped %d us%n",
          to, move.rounds(), move.sentBytes(), move.stoppedNs() / 1000);
    }

    Files.createFile(end);
    Result result = running.get();
    assertThat(result.code()).as(result.output() + result.errors()).isZero();
    List<String> lines = result.output();
    assertThat(lines)
        .anyMatch(line ->
            line.startsWith("frames: ")
                && lines.contains("right" + line.substring("frames".length())));
  }

  @Test
  void programOfBinaries_checkedForAnotherMake_isNamedAndGoesOn() throws Exception {
    ProcessBuilder builder = new ProcessBuilder(parts.program("binary").toString());
    builder.environment().putAll(environment());
    Process program = builder.directory(work.toFile()).redirectErrorStream(true).start();
    try {
      SessionStatus session = awaitAtWork();
      SessionMove check = sessions.move(GUEST, session.number(), make.name(), true);
      assertThat(check.obstacles())
          .anyMatch(why ->
              why.startsWith("program ")
                  && why.endsWith(" is made of binaries of another implementation"));

      program.getOutputStream().close();
      assertThat(program.inputReader().lines()).containsExactly("before: right", "after: right");
      assertThat(program.waitFor()).isZero();
    } finally {
      program.destroyForcibly().onExit().join();
    }
  }
}
