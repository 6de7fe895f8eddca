package io.sluice.testbed.opencl;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A {@link StandAloneHost} as a process of its own. Closing it ends the process. */
final class HostProcess implements AutoCloseable {
  private static final int STOP_SECONDS = 60;

  private final Process process;
  private final Path socket;
  private final Path log;
  private final Path crash;

  private HostProcess(Process process, Path socket, Path log, Path crash) {
    this.process = process;
    this.socket = socket;
    this.log = log;
    this.crash = crash;
  }

  /** Starts one with its socket in the directory, and waits until applications may connect. */
  static HostProcess start(Path directory) throws IOException {
    return start(directory, "guest", List.of());
  }

  /**
   * Starts one of several.
   *
   * @param name of its files
   * @param more arguments
   */
  static HostProcess start(Path directory, String name, List<String> more) throws IOException {
    return start(directory, name, more, Map.of());
  }

  /**
   * Starts one of several.
   *
   * @param variables of its environment that are not as they are for the others
   */
  static HostProcess start(
      Path directory, String name, List<String> more, Map<String, String> variables)
      throws IOException {
    Path socket = directory.resolve(name + ".api");
    Path log = directory.resolve(name + ".log");
    Path crash = directory.resolve(name + ".crash");
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:ErrorFile=" + crash,
            "--illegal-native-access=deny",
            "--enable-native-access=io.sluice.abi,io.sluice.remoting.opencl",
            "--module-path",
            System.getProperty("jdk.module.path", System.getProperty("java.class.path")),
            "--module",
            "io.sluice.testbed.opencl/" + StandAloneHost.class.getName(),
            socket.toString()));
    command.addAll(more);
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
    builder.environment().put("OCL_ICD_VENDORS", OpenClParts.NATIVE_VENDORS.toString());
    // As the daemon's hosts have it: a compiler leaves Java's signals to Java.
    builder
        .environment()
        .put(
            "LD_PRELOAD", Path.of(System.getProperty("java.home"), "lib", "libjsig.so").toString());
    builder.environment().putAll(variables);
    Process process = builder.start();
    BufferedReader output = process.inputReader();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.equals(StandAloneHost.READY)) {
        return new HostProcess(process, socket, log, crash);
      }
    }
    throw new IOException("the session host does not start:\n" + Files.readString(log));
  }

  /** Where applications connect. */
  Path socket() {
    return socket;
  }

  /** How often it moved sessions; after it has ended. */
  int moves() {
    return log()
        .lines()
        .filter(line -> line.startsWith("moves: "))
        .mapToInt(line -> Integer.parseInt(line.substring("moves: ".length())))
        .sum();
  }

  /** Sends it a signal, by its name. */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** Whether it runs. */
  boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Whether it has ended in code that is not Java's: a kernel that reads where nothing is, or a
   * library that gives up.
   */
  boolean hasCrashed() throws IOException {
    return !process.isAlive()
        && Files.exists(crash)
        && Files.readAllLines(crash, StandardCharsets.ISO_8859_1).stream()
            .anyMatch(line -> line.startsWith("# C  ["));
  }

  /** What it wrote to its standard error, for a test that fails. */
  String log() {
    try {
      return (process.isAlive() ? "" : "the host ended with " + process.exitValue() + "\n")
          + Files.readString(log);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
