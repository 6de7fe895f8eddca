package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.opencl.Commands.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs of Debian, unchanged: natively and remoted they come to the same results. */
@Tag("opencl-programs")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RealProgramsTest {
  private OpenClEnvironment environment;
  private Path clients;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    environment = OpenClEnvironment.create(directory);
    clients = Files.createDirectories(directory.resolve("clients"));
  }

  @AfterAll
  void stop() throws Exception {
    if (environment != null) {
      environment.close();
    }
  }

  List<RealProgram> small() {
    return RealPrograms.small(clients);
  }

  List<RealProgram> large() {
    return RealPrograms.large();
  }

  @ParameterizedTest
  @TakesLong("programs are built and their kernels compiled twice")
  @MethodSource("small")
  void program_nativelyAndRemoted_comesToTheSameResults(RealProgram program) throws Exception {
    compare(program);
  }

  @ParameterizedTest
  @TakesLong("programs are built and their kernels compiled twice")
  @MethodSource("large")
  @Tag("long")
  void largeProgram_nativelyAndRemoted_comesToTheSameResults(RealProgram program) throws Exception {
    compare(program);
  }

  private void compare(RealProgram program) throws Exception {
    assumeTrue(program.isReady(clients), program.packages() + " is not installed");

    Result there = environment.natively(program.command());
    assertThat(there.code()).as(() -> "natively: " + there.errors()).isZero();
    List<String> expected = program.results(environment.work(), there);
    environment.empty();
    Result here = environment.remoted(program.command());

    assertThat(here.code()).as(() -> here.errors() + "\n" + environment.hostLog()).isZero();
    assertThat(program.results(environment.work(), here))
        .as(() -> here.errors() + "\n" + environment.hostLog())
        .isNotEmpty()
        .containsExactlyElementsOf(expected);
    environment.empty();
  }
}
