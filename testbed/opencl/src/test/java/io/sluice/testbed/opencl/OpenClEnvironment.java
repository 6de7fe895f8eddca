package io.sluice.testbed.opencl;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.opencl.Commands.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The programs and the driver, built, and the two ways to run a program: natively, and in a session
 * of a host. What this machine lacks skips the test, with the reason.
 */
final class OpenClEnvironment implements AutoCloseable {
  private final Path directory;
  private final OpenClParts parts;
  private final HostProcess host;

  private OpenClEnvironment(Path directory, OpenClParts parts, HostProcess host) {
    this.directory = directory;
    this.parts = parts;
    this.host = host;
  }

  /**
   * Builds everything and starts a session host.
   *
   * @param directory an empty one
   */
  static OpenClEnvironment create(Path directory) throws IOException, InterruptedException {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    OpenClParts parts = OpenClParts.build(directory);
    Path _ = Files.createDirectories(directory.resolve("work"));
    return new OpenClEnvironment(directory, parts, HostProcess.start(directory));
  }

  /** The path of a program that was built. */
  String program(String name) {
    return parts.program(name).toString();
  }

  /** The path of our driver. */
  String driver() {
    return parts.driver().toString();
  }

  /** A directory for what programs read and write. */
  Path work() {
    return directory.resolve("work");
  }

  /** Empties that directory. */
  void empty() throws IOException {
    try (Stream<Path> files = Files.walk(work())) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(work())) {
          Files.delete(file);
        }
      }
    }
  }

  /** Runs a command with the implementations of this machine. */
  Result natively(List<String> command) throws IOException, InterruptedException {
    return parts.natively(work(), command);
  }

  /** Runs a command with the guest's driver, in a session of its own. */
  Result remoted(List<String> command) throws IOException, InterruptedException {
    return remoted(command, host);
  }

  /** Runs a command with the guest's driver, in a session of another host. */
  Result remoted(List<String> command, HostProcess other) throws IOException, InterruptedException {
    return Commands.run(work(), variables(other), command);
  }

  /** What an application needs in its environment to have a session of a host. */
  Map<String, String> variables(HostProcess other) {
    return Map.of(
        "OCL_ICD_VENDORS",
        parts.vendors().toString(),
        "SLUICE_API_SOCKET",
        other.socket().toString());
  }

  /** Starts another session host. */
  HostProcess host(String name, List<String> arguments) throws IOException {
    return HostProcess.start(directory, name, arguments);
  }

  /** What the session host said, for a test that fails. */
  String hostLog() {
    return host.log();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    host.close();
  }
}
