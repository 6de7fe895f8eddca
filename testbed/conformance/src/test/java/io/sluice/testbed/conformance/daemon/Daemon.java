package io.sluice.testbed.conformance.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.local.LocalConnection;
import io.sluice.testbed.machine.BoundedWait;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** A sluiced of its own process, and sluicectl for it. */
public final class Daemon implements AutoCloseable {
  private static final BoundedWait STARTING =
      new BoundedWait(Duration.ofSeconds(60), Duration.ofMillis(10));

  /** Options for its Java, as of the launcher; in them %p becomes another number each time. */
  private static final String OPTIONS =
      Objects.requireNonNullElse(System.getenv("SLUICE_JAVA_OPTS"), "");

  private static final AtomicInteger STARTED = new AtomicInteger();

  private final Path directory;
  private final Process process;

  private Daemon(Path directory, Process process) {
    this.directory = directory;
    this.process = process;
  }

  /**
   * Starts one and waits until it serves.
   *
   * @param directory for its sockets and its log; made if need be
   * @param gpu the section of its GPU, {@code [gpu.…]} and what it has
   * @param guests sections of guests; the last one's name is {@code lastGuest}
   */
  public static Daemon start(Path directory, String gpu, String guests, String lastGuest)
      throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path config =
        Files.writeString(
            directory.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%s"
            state-dir = "%s"

            %s

            %s
            """
                .formatted(directory, directory.resolve("state"), gpu, guests));
    Process started =
        new ProcessBuilder(command(config))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    Daemon daemon = new Daemon(directory, started);
    boolean serves = false;
    try {
      STARTING.until(
          "sluiced serves",
          () -> {
            if (!started.isAlive()) {
              throw new IOException("sluiced has ended, code=" + started.exitValue());
            }
            return Files.exists(daemon.socket(lastGuest)) && Files.exists(daemon.controlSocket());
          });
      serves = true;
    } finally {
      if (!serves) {
        daemon.close();
      }
    }
    return daemon;
  }

  private static List<String> command(Path config) {
    List<String> command = java("io.sluice.daemon.Sluiced", "--config", config.toString());
    String number = Integer.toString(STARTED.incrementAndGet());
    command.addAll(
        1,
        Pattern.compile(" ")
            .splitAsStream(OPTIONS.replace("%p", number))
            .filter(option -> !option.isEmpty())
            .toList());
    return command;
  }

  private static List<String> java(String main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main);
    command.addAll(List.of(arguments));
    return command;
  }

  private Path controlSocket() {
    return directory.resolve("control");
  }

  /** A guest's socket. */
  public Path socket(String guest) {
    return directory.resolve(guest + ".sock");
  }

  /** What another daemon's guests are moved to. */
  String migrationSocket() throws Exception {
    try (LocalConnection connection = connect()) {
      return "unix:" + connection.migrations().getSocketPath();
    }
  }

  /** Its beans. */
  public LocalConnection connect() throws IOException {
    return LocalConnection.open(controlSocket());
  }

  /** Runs sluicectl; what it printed, and that it exits 0. */
  public String ctl(String... arguments) throws IOException, InterruptedException {
    Result result = tryCtl(arguments);
    assertThat(result.code()).as("%s: %s", List.of(arguments), result.output()).isZero();
    return result.output();
  }

  /** Runs sluicectl. */
  Result tryCtl(String... arguments) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>();
    all.add("--socket");
    all.add(controlSocket().toString());
    all.addAll(List.of(arguments));
    Process control =
        new ProcessBuilder(java("io.sluice.sluicectl.SluiceCtl", all.toArray(new String[0])))
            .redirectErrorStream(true)
            .start();
    String output = new String(control.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(control.waitFor(), output);
  }

  /** What sluicectl said. */
  record Result(int code, String output) {}

  /** What it has logged. */
  String log() throws IOException {
    return Files.readString(directory.resolve("log"));
  }

  /** Ends it, and prints its log. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.destroy();
    int code = process.waitFor();
    System.out.println("sluiced exit " + code + "\n" + log());
  }
}
