package io.sluice.testbed.machine;

import io.sluice.management.GuestCounters;
import io.sluice.management.local.LocalConnectException;
import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real sluiced, as a process of its own with a directory of its own, and the connection that
 * sluicectl would make to it. Closing it stops the daemon in order.
 */
public final class DaemonProcess implements AutoCloseable {
  /** What the daemon's JVM is always started with: the launcher's, and the service's. */
  public static final List<String> JVM_OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "--illegal-native-access=deny",
          "--enable-native-access=io.sluice.abi,com.github.luben.zstd_jni,io.netty.common,io.netty.tcnative.classes.openssl");

  private static final String OPENCL_GUEST = "[[guest]]\nopencl = true\n";
  private static final Duration START = Duration.ofMinutes(10);
  private static final int STOP_SECONDS = 60;
  private static final int POLL_MS = 20;

  static {
    // Tests count descriptors: RMI shall keep the one of an idle connection for 1 s, not for 15.
    System.setProperty("sun.rmi.transport.connectionTimeout", "1000");
  }

  private final Process process;
  private final Path directory;
  private final Path control;
  private final Path log;
  private final LocalConnection connection;

  private DaemonProcess(
      Process process, Path directory, Path control, Path log, LocalConnection connection) {
    this.process = process;
    this.directory = directory;
    this.control = control;
    this.log = log;
    this.connection = connection;
  }

  /**
   * Starts a daemon with the embedded GPU and waits until it can be asked.
   *
   * @param directory an empty directory for its sockets, state, configuration and log
   * @param guests names of the guests it shall have
   * @throws IOException with the daemon's log, when it does not come up
   */
  public static DaemonProcess start(Path directory, List<String> guests)
      throws IOException, InterruptedException {
    return start(directory, guests, List.of());
  }

  /**
   * As {@link #start(Path, List)}; its guests have sessions of OpenCL.
   *
   * @param sessions keys of the section of sessions, a line each
   */
  public static DaemonProcess startWithOpenCl(Path directory, List<String> guests, String sessions)
      throws IOException, InterruptedException {
    String configuration = config(directory, guests).replace("[[guest]]\n", OPENCL_GUEST);
    return start(
        directory,
        directory.resolve("control"),
        configuration + "[sessions]\nsandbox = \"best-effort\"\n" + sessions,
        command(List.of(), directory.resolve("sluice.toml")));
  }

  /**
   * As {@link #start(Path, List)}, with options for its JVM.
   *
   * @param jvmOptions such as {@code -XX:AOTCache=FILE}
   */
  public static DaemonProcess start(Path directory, List<String> guests, List<String> jvmOptions)
      throws IOException, InterruptedException {
    List<String> command = command(jvmOptions, directory.resolve("sluice.toml"));
    return start(directory, directory.resolve("control"), config(directory, guests), command);
  }

  /**
   * As {@link #start(Path, List, List)}, within limits of the process.
   *
   * @param limits a command of the shell, such as {@code ulimit -n 256}
   */
  public static DaemonProcess startWithin(
      Path directory, List<String> guests, List<String> jvmOptions, String limits)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("/bin/sh", "-c", limits + "; exec \"$@\"", "sh"));
    command.addAll(command(jvmOptions, directory.resolve("sluice.toml")));
    return start(directory, directory.resolve("control"), config(directory, guests), command);
  }

  /**
   * A daemon on a host of its own.
   *
   * @param more further sections of its configuration
   */
  public static DaemonProcess start(TestHost host, List<String> guests, String more)
      throws IOException, InterruptedException {
    return start(host, guests, more, List.of());
  }

  /** As the other, with OpenCL for its guests. */
  public static DaemonProcess startWithOpenCl(
      TestHost host, List<String> guests, String more, String sessions, List<String> jvmOptions)
      throws IOException, InterruptedException {
    return start(
        host,
        config(host.directory(), guests).replace("[[guest]]\n", OPENCL_GUEST),
        more + "[sessions]\nsandbox = \"best-effort\"\n" + sessions,
        jvmOptions);
  }

  /** As the other, with options for its JVM. */
  public static DaemonProcess start(
      TestHost host, List<String> guests, String more, List<String> jvmOptions)
      throws IOException, InterruptedException {
    return start(host, config(host.directory(), guests), more, jvmOptions);
  }

  private static DaemonProcess start(
      TestHost host, String config, String more, List<String> jvmOptions)
      throws IOException, InterruptedException {
    Path inside = host.directory();
    List<String> command = command(jvmOptions, inside.resolve("sluice.toml"));
    // Our own way in: the daemon's path of it is part of what it answers.
    Path control = inside.resolveSibling("control-" + host.address());
    String configuration =
        config.replace("[daemon]\n", "[daemon]\ncontrol-socket = \"" + control + "\"\n");
    return start(host.seen(inside), control, configuration + more, host.enter(command));
  }

  private static List<String> command(List<String> jvmOptions, Path config) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(JVM_OPTIONS);
    command.addAll(JavaProgram.of("io.sluice.daemon", "io.sluice.daemon.Sluiced"));
    command.addAll(List.of("--config", config.toString()));
    return command;
  }

  /**
   * @param directory as we see it
   */
  private static DaemonProcess start(
      Path directory, Path control, String configuration, List<String> command)
      throws IOException, InterruptedException {
    Path _ = Files.writeString(directory.resolve("sluice.toml"), configuration);
    Path log = Files.createTempFile("sluiced", ".log");
    log.toFile().deleteOnExit();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      return new DaemonProcess(process, directory, control, log, connect(process, control, log));
    } catch (IOException | InterruptedException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static String config(Path directory, List<String> guests) {
    StringBuilder text = new StringBuilder();
    text.append("[daemon]\n");
    text.append("run-dir = \"").append(directory).append("\"\n");
    text.append("state-dir = \"").append(directory.resolve("state")).append("\"\n");
    text.append("[gpu.embedded]\n");
    for (String guest : guests) {
      text.append("[[guest]]\nname = \"").append(guest).append("\"\n");
    }
    return text.toString();
  }

  private static LocalConnection connect(Process process, Path control, Path log)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START.toNanos();
    while (true) {
      try {
        return LocalConnection.open(control);
      } catch (LocalConnectException e) {
        if (!process.isAlive() || System.nanoTime() > deadline) {
          throw new IOException("sluiced did not start: " + Files.readString(log), e);
        }
        Thread.sleep(POLL_MS);
      }
    }
  }

  /** Where its sockets, state, configuration and log are. */
  public Path directory() {
    return directory;
  }

  /** The vfio-user socket of a guest. */
  public Path socket(String guest) {
    return directory.resolve(guest + ".sock");
  }

  /** The socket that sluicectl connects to. */
  public Path controlSocket() {
    return control;
  }

  /** The JMX connection. */
  public LocalConnection connection() {
    return connection;
  }

  /** What passed between a guest and the daemon so far. */
  public GuestCounters counters(String guest) {
    return connection.guest(guest).getCounters();
  }

  /** The daemon's process. */
  public ProcessHandle process() {
    return process.toHandle();
  }

  /** The daemon's process id. */
  public long pid() {
    return process.pid();
  }

  /** Kills it at once, as a crash would. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor(STOP_SECONDS, TimeUnit.SECONDS);
  }

  /** What it logged. */
  public String log() throws IOException {
    return Files.readString(log);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    try {
      connection.close();
    } finally {
      process.destroy();
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("sluiced did not stop within " + STOP_SECONDS + " s:\n" + log());
      }
    }
  }
}
