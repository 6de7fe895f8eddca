package io.sluice.testbed.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A checking program of the C library (guest-driver-stubs/lib/test), built with the library on this
 * host, with sanitizers where the compiler has them. Without a compiler its tests are skipped, with
 * the reason.
 */
final class LibraryCheck {
  private static final int TIMEOUT_SECONDS = 300;
  private static final String SANITIZERS = "-fsanitize=address,undefined";

  private final Path directory;
  private final Path program;

  private LibraryCheck(Path directory, Path program) {
    this.directory = directory;
    this.program = program;
  }

  /**
   * What a run printed and how it ended.
   *
   * @param status exit status
   * @param text both streams
   */
  record Result(int status, String text) {}

  /**
   * @param directory where the program is put, and what it reads
   * @param name of the program
   */
  static LibraryCheck build(Path directory, String name) throws IOException, InterruptedException {
    Path library = stubs().resolve("lib");
    Path program = directory.resolve(name);
    List<String> command =
        new ArrayList<>(
            List.of("cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-pthread"));
    command.addAll(List.of("-o", program.toString(), library + "/test/" + name + ".c"));
    try (Stream<Path> files = Files.list(library)) {
      files.map(Path::toString).filter(file -> file.endsWith(".c")).forEach(command::add);
    }
    command.add("-lm");
    assumeTrue(hasCompiler(), "no C compiler here: cc is not on the PATH");
    List<String> sanitized = new ArrayList<>(command);
    sanitized.addAll(1, List.of(SANITIZERS, "-fno-sanitize-recover=all"));
    if (run(sanitized).status() != 0) {
      System.err.println(name + ": this compiler has no sanitizers, it runs without");
      Result plain = run(command);
      assertThat(plain.status()).as(plain.text()).isZero();
    }
    return new LibraryCheck(directory, program);
  }

  /** Runs the program with a device, a file that has these bytes, and more arguments. */
  Result run(Path device, byte[] file, String... rest) throws IOException, InterruptedException {
    Path path = Files.write(directory.resolve("module"), file);
    List<String> command =
        new ArrayList<>(List.of(program.toString(), device.toString(), path.toString()));
    command.addAll(List.of(rest));
    return run(command);
  }

  private static Path stubs() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path stubs = at.resolve("guest-driver-stubs");
      if (Files.exists(stubs.resolve("lib/cubin.c"))) {
        return stubs;
      }
    }
    throw new AssertionError("no guest-driver-stubs above the working directory");
  }

  private static boolean hasCompiler() throws InterruptedException {
    try {
      return run(List.of("cc", "--version")).status() == 0;
    } catch (IOException _) {
      return false;
    }
  }

  private static Result run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).as("ends in time").isTrue();
    return new Result(process.exitValue(), text);
  }
}
