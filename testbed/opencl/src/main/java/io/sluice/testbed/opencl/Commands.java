package io.sluice.testbed.opencl;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Processes that tests run to their end. */
public final class Commands {
  private static final int TIMEOUT_MINUTES = 10;

  private Commands() {}

  /**
   * The end of a process, and its output.
   *
   * @param code as {@code waitpid} has it, 128 and the signal for one that was killed
   */
  public record Result(int code, List<String> output, String errors) {}

  /** Runs a command in a directory, with these variables more. */
  public static Result run(Path directory, Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("opencl", ".out");
    Path errors = Files.createTempFile("opencl", ".err");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectOutput(output.toFile())
              .redirectError(errors.toFile());
      builder.environment().putAll(environment);
      Process process = builder.start();
      try {
        if (!process.waitFor(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
          throw new AssertionError(
              String.join(" ", command) + " does not end; it printed\n" + lines(output));
        }
      } finally {
        process.destroyForcibly();
      }
      return new Result(process.exitValue(), lines(output), String.join("\n", lines(errors)));
    } finally {
      Files.deleteIfExists(output);
      Files.deleteIfExists(errors);
    }
  }

  private static List<String> lines(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).lines().toList();
  }
}
