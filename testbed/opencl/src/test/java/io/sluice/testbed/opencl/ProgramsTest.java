package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.opencl.Commands.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs that print what each call answers: natively and remoted they print the same. Together
 * they call every function of {@code cl.h}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ProgramsTest {
  private static final Pattern FUNCTION = Pattern.compile("\\b(cl[A-Z]\\w+)\\(");

  private OpenClEnvironment environment;
  private AllowedDifferences differences;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    environment = OpenClEnvironment.create(directory);
    differences = AllowedDifferences.read();
  }

  @AfterAll
  void stop() throws Exception {
    if (environment != null) {
      environment.close();
    }
  }

  static List<String> programs() throws IOException {
    return OpenClParts.programs();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void program_nativelyAndRemoted_printsTheSame(String name) throws Exception {
    Result there = environment.natively(List.of(environment.program(name)));
    Result here = environment.remoted(List.of(environment.program(name)));

    assertThat(differences.printed(name, here.output()))
        .as(() -> name + "\n" + here.errors() + "\n" + environment.hostLog())
        .isNotEmpty()
        .containsExactlyElementsOf(differences.expected(name, there.output()));
    assertThat(here.code()).isEqualTo(there.code());
  }

  @Test
  void refusals_remoted_areWhatTheSpecificationSays() throws Exception {
    Result result = environment.remoted(List.of(environment.program("refusals")));

    assertThat(result.output())
        .as(() -> result.errors() + "\n" + environment.hostLog())
        .contains("failures: 0")
        .noneMatch(line -> line.startsWith("FAILED"));
    assertThat(result.code()).isZero();
  }

  @Test
  void driver_closedByACallbackAndOpenedAgain_goesOn() throws Exception {
    Result result =
        environment.remoted(List.of(environment.program("closing"), environment.driver()));

    assertThat(result.output())
        .as(() -> result.errors() + "\n" + environment.hostLog())
        .containsExactly(
            "right: yes",
            "closed by the callback: yes",
            "right: yes",
            "closed here: 0",
            "right: yes");
    assertThat(result.code()).isZero();
  }

  /** Who waited for it may release it at once. */
  @Test
  void userEvent_releasedBeforeTheCallThatSetsItReturns_setsNoOther() throws Exception {
    Result result = environment.remoted(List.of(environment.program("setting")));

    assertThat(result.output())
        .as(() -> result.errors() + "\n" + environment.hostLog())
        .startsWith("stopped behind the message: yes", "set by nobody: 0");
    assertThat(result.code()).isZero();
  }

  @Test
  void devices_shownAsGpus_areFoundByProgramsThatWantNothingElse() throws Exception {
    String variable = "SLUICE_OPENCL_AS_GPU=1";
    Result found = environment.remoted(List.of("env", variable, environment.program("devices")));
    Result said = environment.remoted(List.of("env", variable, "clinfo", "--raw"));

    assertThat(found.output())
        .as(() -> found.errors() + "\n" + environment.hostLog())
        .contains("clGetDeviceIDs: GPU: CL_SUCCESS", "clGetDeviceIDs: CPU: CL_DEVICE_NOT_FOUND");
    assertThat(said.output())
        .filteredOn(line -> line.contains(" CL_DEVICE_TYPE "))
        .isNotEmpty()
        .allMatch(line -> line.endsWith(" CL_DEVICE_TYPE_GPU"));
  }

  @Test
  void functions_ofTheHeader_areEachCalledBySomeProgram() throws IOException {
    Set<String> missing = functions(Path.of("/usr/include/CL/cl.h"));
    for (String directory : List.of("programs", "refusals")) {
      try (Stream<Path> files = Files.list(Tree.module(directory))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".c")).toList()) {
          missing.removeAll(functions(file));
        }
      }
    }

    assertThat(missing).isEmpty();
  }

  private static Set<String> functions(Path file) throws IOException {
    Set<String> names = new TreeSet<>();
    FUNCTION.matcher(Files.readString(file)).results().forEach(match -> names.add(match.group(1)));
    return names;
  }
}
