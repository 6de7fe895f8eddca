package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.opencl.Commands.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A session host to which sessions come from one that lies. A program whose session came of lies
 * may end as it likes; the host, and what comes later, go on, but where the lie is a kernel that
 * reads where nothing is: that ends a host on processors, as it ends a process that runs it itself.
 */
final class LyingSourceTest {
  private static final String PAUSE_MS = "2";
  private static final String PROGRAM = "long_lived";
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Changed frames in all, and of one program at most. */
  private static final int ENOUGH = Integer.getInteger("sluice.rounds", 60);

  private static final int OF_ONE = 6;

  /** Of so many lies one may be such a kernel. */
  private static final int LIES_A_CRASH = 20;

  @TempDir private Path directory;
  private final List<String> told = new ArrayList<>();

  @Test
  @TakesLong("a session arrives many times, and each time its source lies in another place")
  void arrival_fromALyingSource_harmsNothingElse() throws Exception {
    long seed = Long.getLong("sluice.seed", new Random().nextLong());
    int crashes = 0;
    try (OpenClEnvironment environment = OpenClEnvironment.create(directory)) {
      while (told.size() < ENOUGH) {
        if (!goesOn(environment, seed + told.size())) {
          crashes++;
        }
      }
    }
    System.out.println(
        "LyingSourceTest: -Dsluice.seed=" + seed + " " + told.size() + ", crashes " + crashes);
    assertThat(crashes).as("of " + told).isLessThanOrEqualTo(1 + told.size() / LIES_A_CRASH);
  }

  /** Lies to a host until that is enough; false when a kernel has ended it before. */
  private boolean goesOn(OpenClEnvironment environment, long seed) throws Exception {
    Path place = Files.createTempDirectory(directory, "hosts");
    String one = place.resolve("one.arrivals").toString();
    String other = place.resolve("other.arrivals").toString();
    Path between = place.resolve("between.arrivals");
    try (HostProcess source =
            HostProcess.start(place, "one", List.of(PAUSE_MS, one, between.toString()));
        HostProcess destination = HostProcess.start(place, "other", List.of(PAUSE_MS, other, one));
        FuzzedLink link = new FuzzedLink(RealKernel.create(), between, Path.of(other), seed)) {
      int before = told.size();
      try {
        while (before + link.lies().size() < ENOUGH) {
          attack(environment, source, link);
          if (source.hasCrashed() || destination.hasCrashed()) {
            return false;
          }
          assertThat(destination.log() + source.log())
              .as(() -> "-Dsluice.seed=" + seed + " " + link.lies())
              .doesNotContain("Exception", "the host ended");
        }
      } finally {
        told.addAll(link.lies());
      }
      link.beHonest();
      Result there = environment.natively(List.of(environment.program(PROGRAM)));
      Result here = environment.remoted(List.of(environment.program(PROGRAM)), source);
      assertThat(here.output())
          .as(() -> here.errors() + "\n" + source.log() + "\n" + destination.log())
          .containsExactlyElementsOf(there.output());
      return true;
    }
  }

  /** A program, until it has ended or enough of its frames were changed. */
  private void attack(OpenClEnvironment environment, HostProcess source, FuzzedLink link)
      throws IOException {
    int before = link.lies().size();
    ProcessBuilder builder =
        new ProcessBuilder(environment.program(PROGRAM))
            .directory(environment.work().toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(environment.variables(source));
    Process program = builder.start();
    try {
      await()
          .atMost(PATIENCE)
          .until(() -> !program.isAlive() || link.lies().size() >= before + OF_ONE);
    } finally {
      program.destroyForcibly().onExit().join();
    }
  }
}
