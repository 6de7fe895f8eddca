package io.sluice.testbed.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A checking program of the guest's side (guest-driver-stubs), built for this host, with sanitizers
 * where the compiler has them. Without a compiler its tests are skipped, with the reason.
 */
public final class SanitizedProgram {
  private static final int TIMEOUT_SECONDS = 300;

  private final Path program;

  private SanitizedProgram(Path program) {
    this.program = program;
  }

  /**
   * The end of a run, and its output.
   *
   * @param status exit status
   * @param text both streams
   */
  public record Result(int status, String text) {}

  /**
   * @param program where it is put
   * @param arguments of the compiler: sources and options beside those of all
   */
  public static SanitizedProgram build(Path program, List<String> arguments)
      throws IOException, InterruptedException {
    assumeTrue(hasCompiler(), "no C compiler here: cc is not on the PATH");
    List<String> command = new ArrayList<>(List.of("cc"));
    Collections.addAll(command, "-fsanitize=address,undefined", "-fno-sanitize-recover=all");
    List<String> plain =
        new ArrayList<>(List.of("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g", "-O1"));
    Collections.addAll(plain, "-o", program.toString());
    plain.addAll(arguments);
    command.addAll(plain);
    if (run(command).status() != 0) {
      System.err.println(program.getFileName() + ": runs without sanitizers, cc has none");
      plain.addFirst("cc");
      Result result = run(plain);
      assertEquals(0, result.status(), result.text());
    }
    return new SanitizedProgram(program);
  }

  /** The sources of the guest's side, from wherever in the tree the tests are started. */
  public static Path stubs() {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path stubs = at.resolve("guest-driver-stubs");
      if (Files.exists(stubs.resolve("lib/cubin.c"))) {
        return stubs;
      }
    }
    throw new AssertionError("no guest-driver-stubs above the working directory");
  }

  /** Runs it to its end. */
  public Result run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    Collections.addAll(command, arguments);
    return run(command);
  }

  /** Starts it, for the caller to talk to; what it prints on both streams is one. */
  public Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    Collections.addAll(command, arguments);
    return new ProcessBuilder(command).redirectErrorStream(true).start();
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
    assertTrue(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS), "ends in time");
    return new Result(process.exitValue(), text);
  }
}
