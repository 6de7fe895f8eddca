package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.opencl.Commands.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The programs print what they print natively while their sessions are where their memory is not,
 * and while they come and go.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RelayedProgramsTest {
  private static final String PAUSE_MS = "2";

  /** How many programs ran by each host. */
  private final Map<HostProcess, Integer> ran = new HashMap<>();

  private OpenClEnvironment environment;
  private HostProcess far;
  private HostProcess away;
  private HostProcess shuttle;
  private AllowedDifferences differences;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    environment = OpenClEnvironment.create(directory);
    String mirrors = directory.resolve("mirrors").toString();
    far = host(directory, "far", mirrors);
    away = host(directory, "away", mirrors);
    shuttle = host(directory, "shuttle", mirrors);
    differences = AllowedDifferences.read();
  }

  /** With what it has compiled in a directory of its own: PoCL's is not made for several. */
  private static HostProcess host(Path directory, String mode, String mirrors) throws IOException {
    return HostProcess.start(
        directory,
        mode,
        List.of(PAUSE_MS, mode, mirrors),
        Map.of("POCL_CACHE_DIR", directory.resolve(mode.repeat(5) + ".cache").toString()));
  }

  @AfterAll
  void stop() throws Exception {
    if (environment != null) {
      away.close();
      shuttle.close();
      far.close();
      environment.close();
    }
  }

  /** Every other program. */
  static List<String> some() throws IOException {
    return half(0);
  }

  /** The programs between those. */
  static List<String> others() throws IOException {
    return half(1);
  }

  private static List<String> half(int first) throws IOException {
    List<String> all = ProgramsTest.programs();
    return IntStream.range(0, all.size())
        .filter(number -> number % 2 == first)
        .mapToObj(all::get)
        .toList();
  }

  @Order(1)
  @ParameterizedTest
  @MethodSource("some")
  void program_whoseSessionIsAway_printsWhatItPrintsNatively(String name) throws Exception {
    runs(name, away);
  }

  @Order(1)
  @ParameterizedTest
  @MethodSource("others")
  @Tag("long")
  void otherProgram_whoseSessionIsAway_printsWhatItPrintsNatively(String name) throws Exception {
    runs(name, away);
  }

  @Order(1)
  @ParameterizedTest
  @MethodSource("others")
  void program_whoseSessionComesAndGoes_printsWhatItPrintsNatively(String name) throws Exception {
    runs(name, shuttle);
  }

  @Order(1)
  @ParameterizedTest
  @MethodSource("some")
  @Tag("long")
  void otherProgram_whoseSessionComesAndGoes_printsWhatItPrintsNatively(String name)
      throws Exception {
    runs(name, shuttle);
  }

  private void runs(String name, HostProcess host) throws Exception {
    ran.merge(host, 1, Integer::sum);
    Result there = environment.natively(List.of(environment.program(name)));
    Result here = environment.remoted(List.of(environment.program(name)), host);

    assertThat(differences.printed(name, here.output()))
        .as(() -> name + "\n" + here.errors() + "\n" + host.log())
        .isNotEmpty()
        .containsExactlyElementsOf(differences.expected(name, there.output()));
    assertThat(here.code()).isEqualTo(there.code());
  }

  /** What is compiled elsewhere is longer: its directory has a longer name. */
  @Order(1)
  @Test
  void answer_whoseSizeIsToldBeforeTheSessionMoves_hasThatSize() throws Exception {
    runs("asked_twice", shuttle);
  }

  @Order(2)
  @Test
  void sessions_whileAllTheseRan_movedAndNoneFailed() throws Exception {
    away.close();
    shuttle.close();
    far.close();

    // On a busy machine a short program is over before its session moves.
    assertThat(ran)
        .isNotEmpty()
        .allSatisfy((host, programs) -> assertThat(host.moves()).isGreaterThan(programs / 5));
    // A library may not give back binaries that are not built yet.
    assertThat(logs().lines().filter(line -> line.startsWith("refused: ")))
        .allMatch(line ->
            line.matches("refused: program \\d+: the binaries cannot be had, CL_INVALID_PROGRAM"));
    assertThat(logs()).doesNotContain("Exception", "an item cannot be");
  }

  private String logs() {
    return away.log() + shuttle.log() + far.log();
  }
}
