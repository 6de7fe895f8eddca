package io.sluice.testbed.bench.sessions;

import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.machine.DaemonProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The programs of testbed/opencl, built, and the ways to run one: natively, in a session of a
 * daemon's guest, with the driver that {@code ./sluice opencl} builds, and by another remoting, if
 * one is named.
 */
final class OpenClPrograms implements AutoCloseable {
  /** The guest that has sessions. */
  static final String GUEST = "bench";

  /** The other session host of that guest, of the same OpenCL. */
  static final String OTHER_HOST = "vendors";

  private static final Path NATIVE_VENDORS = Path.of("/etc/OpenCL", OTHER_HOST);
  private static final int RUN_MINUTES = 10;

  private final Path directory;
  private final Path driver;
  private final Optional<Path> peer;
  private final DaemonProcess daemon;

  private OpenClPrograms(Path directory, Path driver, Optional<Path> peer, DaemonProcess daemon) {
    this.directory = directory;
    this.driver = driver;
    this.peer = peer;
    this.daemon = daemon;
  }

  /** Whether the launcher has found OpenCL here, and has built the driver. */
  static boolean areThere(BenchContext context) {
    boolean there = !driver().isEmpty();
    if (!there) {
      context.log().println("bench: left out, there is no OpenCL here");
    }
    return there;
  }

  private static String driver() {
    return System.getProperty("sluice.opencl.driver", "");
  }

  /** Builds the programs and starts a daemon. */
  static OpenClPrograms build(BenchContext context) throws IOException, InterruptedException {
    Path directory = Files.createDirectories(context.directory().resolve("programs"));
    Path sources =
        Path.of(System.getProperty("sluice.home", ".")).resolve("testbed/opencl/programs");
    List<String> _ =
        run(Map.of(), List.of("make", "-s", "-C", sources.toString(), "OUT=" + directory));
    Path state = Files.createDirectories(context.directory().resolve("daemon"));
    return new OpenClPrograms(
        directory,
        Path.of(driver()),
        context.peer(),
        DaemonProcess.startWithOpenCl(state, List.of(GUEST), sessions(context.devices())));
  }

  /** What the daemon's configuration says of session hosts. */
  private static String sessions(String devices) {
    String implementations = "implementations = \"" + NATIVE_VENDORS + "\"\n";
    return devices.isEmpty()
        ? implementations
        : implementations + "devices = \"" + devices + "\"\n";
  }

  /** The environment of a program that uses the OpenCL of this host. */
  static Map<String, String> natively() {
    return Map.of("OCL_ICD_VENDORS", NATIVE_VENDORS.toString());
  }

  /** The environment of a program in a session. */
  Map<String, String> remoted() {
    return Map.of(
        "OCL_ICD_VENDORS", driver.toString(), "SLUICE_API_SOCKET", daemon.socket(GUEST) + ".api");
  }

  /** The lines that a program prints with the OpenCL of this host. */
  List<String> natively(String program, String... arguments)
      throws IOException, InterruptedException {
    return run(natively(), command(program, arguments));
  }

  /** The lines that it prints in a session. */
  List<String> remoted(String program, String... arguments)
      throws IOException, InterruptedException {
    return run(remoted(), command(program, arguments));
  }

  /** Whether another remoting is named. */
  boolean hasPeer() {
    return peer.isPresent();
  }

  /** The lines that it prints by the other remoting. */
  List<String> byPeer(String program, String... arguments)
      throws IOException, InterruptedException {
    return run(PeerRemoting.environment(peer.orElseThrow()), command(program, arguments));
  }

  /** The sessions of the daemon. */
  SessionsMXBean sessions() {
    return daemon.connection().sessions();
  }

  /** A program and its arguments. */
  List<String> command(String program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(directory.resolve(program).toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  private static List<String> run(Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(RUN_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new IOException(String.join(" ", command) + " failed:\n" + output);
      }
      return output.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    daemon.close();
  }
}
