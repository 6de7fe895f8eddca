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
 * A reader of cubins of the guest's side as a program of this host, with sanitizers where the
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

  /** The library's, of sm_20. */
  static CubinReader build(Path directory) throws IOException, InterruptedException {
    return build(
        directory,
        "lib/elf_file.c",
        "lib/cubin.c",
        "lib/cubin_images.c",
        "lib/cubin_link.c",
        "lib/fatbin.c",
        "lib/test/cubin_check.c");
  }

  /** That of the program hopper, of sm_90. */
  static CubinReader buildHopper(Path directory) throws IOException, InterruptedException {
    return build(directory, "programs/gh100/kernel.c", "programs/gh100/test/kernel_check.c");
  }

  private static CubinReader build(Path directory, String... sources)
      throws IOException, InterruptedException {
    Path stubs = stubs();
    Path program = directory.resolve("check");
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
                "-I" + stubs.resolve("lib")));
    for (String source : sources) {
      command.add(stubs.resolve(source).toString());
    }
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

  /** The sources of the guest's side, from wherever in the tree the tests are started. */
  static Path stubs() {
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

  /**
   * @param rest more arguments, as the program wants them
   */
  Result read(Path file, String... rest) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString(), file.toString()));
    command.addAll(List.of(rest));
    return run(command);
  }

  /** Reads a file and loads it to addresses of the program's own. */
  Result link(Path file) throws IOException, InterruptedException {
    return run(List.of(program.toString(), "--link", file.toString()));
  }

  Result fuzz(long seed, int rounds, Path file, String... rest)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                program.toString(),
                "--fuzz",
                Long.toUnsignedString(seed),
                Integer.toString(rounds),
                file.toString()));
    command.addAll(List.of(rest));
    return run(command);
  }

  private static Result run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)).as("ends in time").isTrue();
    return new Result(process.exitValue(), text);
  }
}
