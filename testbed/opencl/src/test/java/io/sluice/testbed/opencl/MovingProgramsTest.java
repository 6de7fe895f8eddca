package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.opencl.Commands.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The programs print what they print natively while their sessions move all the time. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class MovingProgramsTest {
  private static final String PAUSE_MS = "2";
  private Path directory;
  private OpenClEnvironment environment;
  private HostProcess host;
  private AllowedDifferences differences;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    this.directory = directory;
    environment = OpenClEnvironment.create(directory);
    host = environment.host("moving", List.of(PAUSE_MS));
    differences = AllowedDifferences.read();
  }

  @AfterAll
  void stop() throws Exception {
    if (environment != null) {
      host.close();
      environment.close();
    }
  }

  static List<String> programs() throws IOException {
    return ProgramsTest.programs();
  }

  @Order(1)
  @ParameterizedTest
  @MethodSource("programs")
  void program_whoseSessionMoves_printsWhatItPrintsNatively(String name) throws Exception {
    Result there = environment.natively(List.of(environment.program(name)));
    Result here = environment.remoted(List.of(environment.program(name)), host);

    assertThat(differences.printed(name, here.output()))
        .as(() -> name + "\n" + here.errors() + "\n" + host.log())
        .isNotEmpty()
        .containsExactlyElementsOf(differences.expected(name, there.output()));
    assertThat(here.code()).isEqualTo(there.code());
  }

  @Order(1)
  @Test
  void program_whoseSessionMovesToAnotherProcessAndBack_printsWhatItPrintsNatively()
      throws Exception {
    String one = directory.resolve("one.arrivals").toString();
    String other = directory.resolve("other.arrivals").toString();
    String program = environment.program("long_lived");
    try (HostProcess first = environment.host("one", List.of(PAUSE_MS, one, other));
        HostProcess second = environment.host("other", List.of(PAUSE_MS, other, one))) {
      Result there = environment.natively(List.of(program));
      Result here = environment.remoted(List.of(program), first);
      second.close();
      first.close();

      assertThat(here.output())
          .as(() -> here.errors() + "\n" + first.log() + "\n" + second.log())
          .containsExactlyElementsOf(there.output());
      assertThat(first.moves()).isPositive();
      assertThat(second.moves()).isPositive();
    }
  }

  @Order(2)
  @Test
  void sessions_whileAllTheseRan_movedAndNoneFailed() throws Exception {
    host.close();

    assertThat(host.moves()).isGreaterThan(programs().size() / 2);
    // A library may not give back binaries that are not built yet.
    assertThat(host.log().lines().filter(line -> line.startsWith("refused: ")))
        .allMatch(line ->
            line.matches("refused: program \\d+: the binaries cannot be had, CL_INVALID_PROGRAM"));
    assertThat(host.log()).doesNotContain("Exception");
  }
}
