package io.sluice.testbed.opencl;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.opencl.Commands.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The programs and the driver, built, and the two ways to run a program: natively, and in a session
 * of a host. What this machine lacks skips the test, with the reason.
 */
final class OpenClEnvironment implements AutoCloseable {
  /** Where Debian's loader finds the implementations of this machine. */
  static final Path NATIVE_VENDORS = Path.of("/etc/OpenCL/vendors");

  private static final Path HEADER = Path.of("/usr/include/CL/cl.h");

  private final Path directory;
  private final Path programs;
  private final Path vendors;
  private final HostProcess host;

  private OpenClEnvironment(Path directory, Path programs, Path vendors, HostProcess host) {
    this.directory = directory;
    this.programs = programs;
    this.vendors = vendors;
    this.host = host;
  }

  /**
   * Builds everything and starts a session host.
   *
   * @param directory an empty one
   */
  static OpenClEnvironment create(Path directory) throws IOException, InterruptedException {
    assumeTrue(
        Files.exists(NATIVE_VENDORS.resolve("pocl.icd")), "pocl-opencl-icd is not installed");
    assumeTrue(Files.exists(HEADER), "opencl-headers is not installed");
    Path programs = Files.createDirectories(directory.resolve("programs"));
    make(Tree.programs(), "OUT=" + programs);
    Path driver = Files.createDirectories(directory.resolve("driver"));
    make(Tree.driver(), "OUT=" + driver, "GENERATED=" + Tree.generated());
    Path vendors = Files.createDirectories(directory.resolve("vendors"));
    Path _ =
        Files.writeString(
            vendors.resolve("sluice.icd"), driver.resolve("libsluice-opencl.so") + "\n");
    Path _ = Files.createDirectories(directory.resolve("work"));
    return new OpenClEnvironment(directory, programs, vendors, HostProcess.start(directory));
  }

  /** Runs make there. */
  static void make(Path place, String... variables) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("make", "-s", "-C", place.toString()));
    command.addAll(List.of(variables));
    Result result;
    try {
      result = Commands.run(place, Map.of(), command);
    } catch (IOException missing) {
      assumeTrue(false, "no make: " + missing.getMessage());
      return;
    }
    if (result.code() != 0) {
      throw new AssertionError(String.join(" ", command) + "\n" + result.errors());
    }
  }

  /** The path of a program that was built. */
  String program(String name) {
    return programs.resolve(name).toString();
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
    return Commands.run(work(), Map.of("OCL_ICD_VENDORS", NATIVE_VENDORS.toString()), command);
  }

  /** Runs a command with the guest's driver, in a session of its own. */
  Result remoted(List<String> command) throws IOException, InterruptedException {
    Map<String, String> environment =
        Map.of(
            "OCL_ICD_VENDORS", vendors.toString(), "SLUICE_API_SOCKET", host.socket().toString());
    return Commands.run(work(), environment, command);
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
