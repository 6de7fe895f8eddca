package io.sluice.testbed.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.TakesLong;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All jcstress tests of this module, briefly: long enough that a missing fence is found. */
final class OrderingTest {
  private static final List<String> BRIEFLY = List.of("-m", "quick", "-iters", "2", "-time", "100");

  @TempDir private Path directory;

  @Test
  @TakesLong("jcstress runs each of its tests for some seconds, in processes of its own")
  void orderings_betweenThreads_areAsPromised() throws Exception {
    Path output = directory.resolve("output");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add("org.openjdk.jcstress.Main");
    command.addAll(BRIEFLY);
    command.add("-r");
    command.add(directory.resolve("report").toString());
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      process.waitFor();
    } finally {
      process.destroy();
    }
    List<String> lines = Files.readAllLines(output);
    assertThat(process.exitValue()).as(() -> String.join("\n", lines)).isZero();
    assertThat(lines)
        .anyMatch(line -> line.contains("All remaining tests: 3 matching test results"));
  }
}
