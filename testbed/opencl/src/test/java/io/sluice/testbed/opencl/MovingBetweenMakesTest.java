package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.opencl.Commands.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs have right results while their sessions move between two makes of OpenCL all the time:
 * this machine's own, and one that it has no application use.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MovingBetweenMakesTest {
  private static final String PAUSE_MS = "5";

  /** Small: one of the makes is an interpreter. Each checks its results against the processor's. */
  private static final List<List<String>> PROGRAMS =
      List.of(
          List.of("frames", "60", "48"),
          List.of("dot", "8192", "40"),
          List.of("convolution", "48", "8"),
          List.of("black_scholes", "4096", "20"),
          List.of("walsh", "4096", "20"));

  private Path directory;
  private OpenClEnvironment environment;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    this.directory = directory;
    environment = OpenClEnvironment.create(directory);
  }

  @AfterAll
  void stop() throws Exception {
    if (environment != null) {
      environment.close();
    }
  }

  static List<OtherMake> makes() {
    return OtherMake.ALL;
  }

  /** Two session hosts that send one another whatever session they have. */
  private record Two(HostProcess own, HostProcess other) implements AutoCloseable {
    @Override
    public void close() throws Exception {
      other.close();
      own.close();
    }

    String log() {
      return own.log() + "\n" + other.log();
    }
  }

  private Two hosts(OtherMake make, String pauseMs) throws Exception {
    Path place = Files.createTempDirectory(directory, make.name());
    String here = place.resolve("here.arrivals").toString();
    String there = place.resolve("there.arrivals").toString();
    Map<String, String> variables = new HashMap<>(make.variables());
    variables.put("OCL_ICD_VENDORS", make.vendors(place).toString());
    HostProcess own = HostProcess.start(place, "here", List.of(pauseMs, here, there), Map.of());
    return new Two(
        own, HostProcess.start(place, "there", List.of(pauseMs, there, here), variables));
  }

  private List<String> command(List<String> program) {
    List<String> command = new ArrayList<>(program);
    command.set(0, environment.program(program.getFirst()));
    return command;
  }

  /** Floating point is rounded as each make likes; the programs say whether it is right. */
  private static List<String> comparable(Result result) {
    return result.output().stream()
        .filter(line -> !line.startsWith("seconds: ") && !line.startsWith("result: "))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("makes")
  void programs_whoseSessionsMoveToAnotherMakeAndBack_haveTheirResults(OtherMake make)
      throws Exception {
    assumeTrue(make.isInstalled(), "not installed here: " + make.debianPackage());
    try (Two two = hosts(make, PAUSE_MS)) {
      for (List<String> program : PROGRAMS) {
        Result natively = environment.natively(command(program));
        for (HostProcess first : List.of(two.own(), two.other())) {
          Result moving = environment.remoted(command(program), first);

          assertThat(comparable(moving))
              .as(() -> program + "\n" + moving.errors() + "\n" + two.log())
              .isNotEmpty()
              .containsExactlyElementsOf(comparable(natively));
          assertThat(moving.code()).isZero();
        }
      }
      two.close();

      assertThat(two.own().moves()).isPositive(); // few on a machine that has other things to do
      assertThat(two.other().moves()).isPositive();
      assertThat(two.log()).doesNotContain("refused: ").doesNotContain("Exception");
    }
  }

  @Test
  void outOfOrderQueue_whereTheOtherMakeHasNone_staysAndIsNamed() throws Exception {
    OtherMake make =
        OtherMake.ALL.stream()
            .filter(each -> each.name().equals("rusticl"))
            .findFirst()
            .orElseThrow();
    assumeTrue(make.isInstalled(), "not installed here: " + make.debianPackage());
    List<String> program = List.of("long_lived");
    try (Two two = hosts(make, PAUSE_MS)) {
      Result natively = environment.natively(command(program));
      // Where it is made while the session is elsewhere, the application is told that there is
      // none.
      Result moving = environment.remoted(command(program), two.own());
      two.close();

      assertThat(natively.output()).containsAll(withoutErrors(moving));
      assertThat(two.log().lines().filter(line -> line.startsWith("refused: ")))
          .allMatch(line -> line.contains("is an out-of-order queue, and the device has none"));
      assertThat(two.own().moves()).isPositive();
      assertThat(two.log()).doesNotContain("Exception");
    }
  }

  private static List<String> withoutErrors(Result result) {
    return result.output().stream()
        .filter(line -> !line.equals("clCreateCommandQueue: needed: CL_INVALID_QUEUE_PROPERTIES"))
        .toList();
  }
}
