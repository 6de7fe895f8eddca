package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.opencl.Commands.Result;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Sessions in another process than the memory of their applications, and the death of that. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FarHostTest {
  private static final String PAUSE_MS = "2";
  private static final int MINUTES = 5;

  private Path directory;
  private OpenClEnvironment environment;
  private AllowedDifferences differences;
  private HostProcess far;
  private int test;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    this.directory = directory;
    environment = OpenClEnvironment.create(directory);
    differences = AllowedDifferences.read();
  }

  @AfterAll
  void stop() throws Exception {
    if (environment != null) {
      environment.close();
    }
  }

  @BeforeEach
  void startFar() throws Exception {
    test++;
    far = environment.host("far" + test, List.of(PAUSE_MS, "far", socket()));
  }

  @AfterEach
  void stopFar() throws Exception {
    far.close();
  }

  private String socket() {
    return directory.resolve("mirrors" + test).toString();
  }

  private HostProcess near(String mode) throws IOException {
    return environment.host(mode + test, List.of(PAUSE_MS, mode, socket()));
  }

  /** A program that runs until its session ends, and has its session there when this returns. */
  private CompletableFuture<Result> endless(HostProcess near) {
    CompletableFuture<Result> result =
        CompletableFuture.supplyAsync(() -> {
          try {
            return environment.remoted(List.of(environment.program("flood")), near);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    until(RelayShuttle.COME);
    return result;
  }

  private void until(String word) {
    await()
        .atMost(Duration.ofMinutes(MINUTES))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> far.log().contains(word));
  }

  private void endsWithItsDevice(CompletableFuture<Result> program) throws Exception {
    Result result = program.get(MINUTES, TimeUnit.MINUTES);

    assertThat(result.code()).as(result::errors).isNotZero();
    assertThat(result.output()).noneMatch(line -> line.startsWith("WRONG"));
  }

  private void goesOn(HostProcess near) throws Exception {
    String program = environment.program("walsh");
    Result there = environment.natively(List.of(program));
    Result here = environment.remoted(List.of(program), near);

    assertThat(differences.printed("walsh", here.output()))
        .as(() -> here.errors() + near.log())
        .isNotEmpty()
        .containsExactlyElementsOf(differences.expected("walsh", there.output()));
  }

  @Test
  void session_thatComesAndGoesBetweenProcesses_isWhatItIsNatively() throws Exception {
    String program = environment.program("long_lived");
    try (HostProcess near = near("shuttle")) {
      Result there = environment.natively(List.of(program));
      Result here = environment.remoted(List.of(program), near);
      near.close();

      assertThat(here.output())
          .as(() -> here.errors() + near.log() + far.log())
          .containsExactlyElementsOf(there.output());
      assertThat(near.moves()).isGreaterThan(1);
      assertThat(far.log()).contains(RelayShuttle.GONE);
    }
  }

  @Test
  void farProcess_thatIsKilled_endsItsSessionsAlone() throws Exception {
    try (HostProcess near = near("away")) {
      CompletableFuture<Result> program = endless(near);

      far.signal("KILL");

      endsWithItsDevice(program);
      goesOn(near);
    }
  }

  @Test
  @Tag("long")
  @TakesLong("a host is silent for 30 s before it is given up")
  void farProcess_thatIsStopped_endsItsSessionsAlone() throws Exception {
    try (HostProcess near = near("away")) {
      CompletableFuture<Result> program = endless(near);

      far.signal("STOP");

      endsWithItsDevice(program);
      far.signal("CONT");
      until(RelayShuttle.GONE);
      goesOn(near);
    }
  }

  @Test
  void nearProcess_thatIsKilled_leavesNothing() throws Exception {
    try (HostProcess near = near("away")) {
      CompletableFuture<Result> program = endless(near);

      near.signal("KILL");

      endsWithItsDevice(program);
      until(RelayShuttle.GONE);
    }
  }
}
