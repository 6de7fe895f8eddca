package io.sluice.testbed.machine.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Programs of guest-driver-stubs and of testbed, built on this host, as processes that are guests
 * themselves.
 */
public final class CPrograms {
  private static final int PATIENCE_SECONDS = 180;

  private final Path programs;

  private CPrograms(Path programs) {
    this.programs = programs;
  }

  /** Builds the programs as their Makefile says, in a copy; skips the test without a compiler. */
  public static CPrograms build(Path directory, String... names)
      throws IOException, InterruptedException {
    assumeTrue(run(List.of("sh", "-c", "command -v gcc && command -v make")) == 0, "no C compiler");
    Path sources = Path.of(System.getProperty("sluice.home"), "guest-driver-stubs");
    Path copy = Files.createDirectory(directory.resolve("stubs"));
    for (String part : List.of("include", "lib", "linux", "programs")) {
      assertThat(run(List.of("cp", "-r", sources.resolve(part).toString(), copy.toString())))
          .isZero();
    }
    Path programs = copy.resolve("programs");
    Path tests = Path.of(System.getProperty("sluice.home"), "testbed/programs");
    assertThat(run(List.of("cp", "-r", tests + "/.", programs.toString()))).isZero();
    assertThat(run(List.of("make", "-s", "-C", programs.toString(), "clean"))).isZero();
    List<String> make = new ArrayList<>(List.of("make", "-s", "-C", programs.toString()));
    make.addAll(List.of(names));
    assertThat(run(make)).isZero();
    return new CPrograms(programs);
  }

  private static int run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException(command + " did not end within " + PATIENCE_SECONDS + " s");
    }
    return process.exitValue();
  }

  /** A program that runs. */
  public static final class Running implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    private final StringBuilder said = new StringBuilder();

    private Running(Process process) {
      this.process = process;
      out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Waits for a line that begins with a text; returns the rest of it. */
    public String await(String prefix) throws IOException {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        said.append(line).append('\n');
        if (line.startsWith(prefix)) {
          return line.substring(prefix.length());
        }
      }
      throw new IOException("no line \"" + prefix + "\" in:\n" + said);
    }

    /** Waits for its end. */
    public int end() throws IOException, InterruptedException {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        said.append(line).append('\n');
      }
      return process.waitFor();
    }

    /** What it printed so far. */
    public String said() {
      return said.toString();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** Where a program is, static and alone. */
  public Path path(String name) {
    return programs.resolve(name);
  }

  /** Starts a program that uses the device behind a socket. */
  public Running start(Path socket, String name, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(programs.resolve(name).toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SLUICE_DEVICE", socket.toString());
    return new Running(builder.start());
  }
}
