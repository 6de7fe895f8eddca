package io.sluice.testbed.workloads.cubin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The guest library's reader of cubins as a program of this host, with sanitizers where the
 * compiler has them. Without a compiler its tests are skipped, with the reason.
 */
final class CubinReader {
  private static final String SANITIZERS = "-fsanitize=address,undefined";
  private static final int TIMEOUT_SECONDS = 120;

  private final Path program;

  private CubinReader(Path program) {
    this.program = program;
  }

  /**
   * What a run printed and how it ended.
   *
   * @param status exit status
   * @param text both streams
   */
  record Result(int status, String text) {}

  static CubinReader build(Path directory) throws IOException, InterruptedException {
    Path library = library();
    Path program = directory.resolve("cubin_check");
    List<String> command =
        new ArrayList<>(
            List.of(
                "cc",
                "-std=gnu11",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-g",
                "-O1",
                "-o",
                program.toString(),
                library.resolve("cubin.c").toString(),
                library.resolve("test/cubin_check.c").toString()));
    assumeTrue(hasCompiler(), "no C compiler here: cc is not on the PATH");
    List<String> sanitized = new ArrayList<>(command);
    sanitized.addAll(1, List.of(SANITIZERS, "-fno-sanitize-recover=all"));
    if (run(sanitized).status() != 0) {
      System.err.println("cubin reader: this compiler has no sanitizers, the tests run without");
      Result plain = run(command);
      assertThat(plain.status()).as(plain.text()).isZero();
    }
    return new CubinReader(program);
  }

  /** The library's sources, from wherever in the tree the tests are started. */
  private static Path library() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path library = at.resolve("guest-driver-stubs/lib");
      if (Files.exists(library.resolve("cubin.c"))) {
        return library;
      }
    }
    throw new AssertionError("no guest-driver-stubs/lib above the working directory");
  }

  private static boolean hasCompiler() throws InterruptedException {
    try {
      return run(List.of("cc", "--version")).status() == 0;
    } catch (IOException _) {
      return false;
    }
  }

  Result read(Path file) throws IOException, InterruptedException {
    return run(List.of(program.toString(), file.toString()));
  }

  Result fuzz(long seed, int rounds, Path file) throws IOException, InterruptedException {
    return run(
        List.of(
            program.toString(),
            "--fuzz",
            Long.toUnsignedString(seed),
            Integer.toString(rounds),
            file.toString()));
  }

  private static Result run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).as("ends in time").isTrue();
    return new Result(process.exitValue(), text);
  }
}
