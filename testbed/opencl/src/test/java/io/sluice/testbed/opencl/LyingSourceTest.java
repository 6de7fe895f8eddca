package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.opencl.Commands.Result;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A session host to which sessions come from one that lies. A program whose session came of lies
 * may end as it likes; the host, and what comes later, go on.
 */
final class LyingSourceTest {
  private static final String PAUSE_MS = "2";
  private static final String PROGRAM = "long_lived";
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Changed frames in all, and of one program at most. */
  private static final int ENOUGH = Integer.getInteger("sluice.rounds", 60);

  private static final int OF_ONE = 6;

  @TempDir private Path directory;

  @Test
  void arrival_fromALyingSource_harmsNothingElse() throws Exception {
    long seed = Long.getLong("sluice.seed", new Random().nextLong());
    try (OpenClEnvironment environment = OpenClEnvironment.create(directory)) {
      String one = directory.resolve("one.arrivals").toString();
      String other = directory.resolve("other.arrivals").toString();
      Path between = directory.resolve("between.arrivals");
      try (HostProcess source =
              environment.host("one", List.of(PAUSE_MS, one, between.toString()));
          HostProcess destination = environment.host("other", List.of(PAUSE_MS, other, one));
          FuzzedLink link = new FuzzedLink(RealKernel.create(), between, Path.of(other), seed)) {
        while (link.lies().size() < ENOUGH) {
          attack(environment, source, link);
          assertThat(destination.log() + source.log())
              .as(() -> "-Dsluice.seed=" + seed + " " + link.lies())
              .doesNotContain("Exception", "the host ended");
        }

        link.beHonest();
        Result there = environment.natively(List.of(environment.program(PROGRAM)));
        Result here = environment.remoted(List.of(environment.program(PROGRAM)), source);
        assertThat(here.output())
            .as(() -> here.errors() + "\n" + source.log() + "\n" + destination.log())
            .containsExactlyElementsOf(there.output());
        System.out.println("LyingSourceTest: -Dsluice.seed=" + seed + " " + link.lies().size());
      }
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
