package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.local.LocalConnectException;
import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program as a process of its own. */
final class SluicedProcessTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** CAP_SETPCAP and CAP_SYS_ADMIN. */
  private static final long ROOTS = 1L << 8 | 1L << 21;

  /** CAP_CHOWN, CAP_DAC_OVERRIDE and CAP_NET_BIND_SERVICE. */
  private static final long NEEDED = 1L | 1L << 1 | 1L << 10;

  /** Prints the datagrams of a UNIX socket: the JDK has no such sockets, and Debian has perl. */
  private static final String RECEIVER =
      """
      $| = 1;
      ($name = $ARGV[0]) =~ s/^@/\\0/;
      socket(my $s, PF_UNIX, SOCK_DGRAM, 0) or die;
      bind($s, sockaddr_un($name)) or die;
      print "listening\\n";
      while (defined(recv($s, my $m, 4096, 0))) { print "$m\\n" }
      """;

  static {
    // The descriptors of a connection that is idle are open for no longer than this.
    System.setProperty("sun.rmi.transport.connectionTimeout", "100");
  }

  @TempDir private Path dir;

  @SuppressWarnings("NullAway.Init")
  private Process process;

  @BeforeEach
  void start() throws IOException {
    start(Map.of());
  }

  private void start(Map<String, String> environment, String... settings) throws IOException {
    List<String> command = command(settings);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("log").toFile());
    builder.environment().putAll(environment);
    process = builder.start();
    await().atMost(PATIENCE).until(this::answers);
  }

  private List<String> command(String... settings) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--illegal-native-access=deny",
                "--enable-native-access=io.sluice.abi,com.github.luben.zstd_jni,io.netty.common,io.netty.tcnative.classes.openssl",
                "--module-path",
                System.getProperty("jdk.module.path"),
                "--module",
                "io.sluice.daemon/io.sluice.daemon.Sluiced",
                "--set",
                "daemon.run-dir=" + dir.resolve("run"),
                "--set",
                "daemon.state-dir=" + dir.resolve("state")));
    for (String setting : settings) {
      command.addAll(List.of("--set", setting));
    }
    return command;
  }

  @AfterEach
  void end() {
    process.destroyForcibly();
  }

  private boolean answers() throws IOException {
    assertThat(process.isAlive()).as(Files.readString(dir.resolve("log"))).isTrue();
    try (LocalConnection connection = LocalConnection.open(dir.resolve("run/control"))) {
      return connection.daemon().getPid() == process.pid();
    } catch (LocalConnectException _) {
      return false;
    }
  }

  @Test
  void process_serving_hasNoNetworkSocket() throws IOException {
    assertThat(internetSockets(process.pid())).isEmpty();
  }

  @Test
  void process_startedByRoot_hasInEveryThreadWhatItNeedsAlone() throws IOException {
    assumeTrue(
        (capabilities(status(Path.of("/proc/self")), "CapPrm") & ROOTS) == ROOTS,
        "this is not root with CAP_SETPCAP and CAP_SYS_ADMIN");
    Path self = Path.of("/proc", Long.toString(process.pid()));

    List<String> threads;
    try (Stream<Path> tasks = Files.list(self.resolve("task"))) {
      threads = tasks.map(SluicedProcessTest::status).filter(found -> !found.isEmpty()).toList();
    }
    assertThat(threads).hasSizeGreaterThan(5);
    for (String thread : threads) {
      for (String set : List.of("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")) {
        assertThat(capabilities(thread, set) & ~NEEDED).as(set + " of " + thread).isZero();
      }
      assertThat(thread).contains("NoNewPrivs:\t1\n");
    }
    assertThat(capabilities(status(self), "CapEff")).isEqualTo(NEEDED);
  }

  @Test
  void process_startedByRoot_keepsItsArgumentsAndHasNoFileTwice() throws IOException {
    Path self = Path.of("/proc", Long.toString(process.pid()));

    assertThat(Files.readString(self.resolve("cmdline")))
        .isEqualTo(String.join("\0", command()) + "\0");
    try (Stream<Path> all = Files.list(self.resolve("fd"))) {
      assertThat(all.map(SluicedProcessTest::target).filter(file -> file.endsWith("lib/modules")))
          .hasSize(1);
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException _) {
      return ""; // closed meanwhile
    }
  }

  /** What the kernel tells of a thread; empty for one that has ended meanwhile. */
  private static String status(Path thread) {
    try {
      return Files.readString(thread.resolve("status"));
    } catch (IOException _) {
      return "";
    }
  }

  private static long capabilities(String status, String set) {
    return status
        .lines()
        .filter(line -> line.startsWith(set + ":"))
        .map(line -> Long.parseUnsignedLong(line.substring(set.length() + 1).trim(), 16))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void sigterm_stopsInOrder() throws Exception {
    process.destroy();

    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    assertThat(Files.readString(dir.resolve("log"))).contains("msg=stopping", "msg=stopped");
    assertThat(dir.resolve("run")).isEmptyDirectory();
  }

  @Test
  void shutdown_overTheSocket_exits0() throws Exception {
    try (LocalConnection connection = LocalConnection.open(dir.resolve("run/control"))) {
      connection.daemon().shutdown();
    } catch (UndeclaredThrowableException _) {
      // gone before it answered
    }

    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(dir.resolve("run")).isEmptyDirectory();
  }

  @Test
  void sigkill_nextStart_takesTheSocketsOver() throws Exception {
    process.destroyForcibly().waitFor();
    assertThat(dir.resolve("run/control")).exists();

    start();

    assertThat(answers()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"notify", "@sluice-test-"})
  void serviceManager_always_hearsOfTheDaemonsLife(String name) throws Exception {
    process.destroyForcibly().waitFor();
    String address = name.startsWith("@") ? name + dir : dir.resolve(name).toString();
    Path heard = dir.resolve("heard");
    Process manager =
        new ProcessBuilder("perl", "-MSocket", "-e", RECEIVER, address)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(heard.toFile())
            .start();
    try {
      await().atMost(PATIENCE).until(() -> Files.readString(heard).contains("listening"));
      start(Map.of("NOTIFY_SOCKET", address, "WATCHDOG_USEC", "20000"));
      await().atMost(PATIENCE).until(() -> Files.readString(heard).contains("WATCHDOG=1"));
      process.destroy();
      process.waitFor();
      await().atMost(PATIENCE).until(() -> Files.readString(heard).contains("STOPPING=1"));
    } finally {
      manager.destroyForcibly().waitFor();
    }

    assertThat(Files.readString(heard))
        .startsWith("listening\nREADY=1\nSTATUS=serving at " + dir.resolve("run/control") + "\n");
  }

  @Test
  void log_json_isAnObjectALine() throws Exception {
    process.destroyForcibly().waitFor();
    start(Map.of(), "log.format=json");

    assertThat(Files.readAllLines(dir.resolve("log")))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).startsWith("{").endsWith("}"))
        .anySatisfy(line -> assertThat(line).contains("\"formattedMessage\":\"serving\""));
  }

  /** Sockets of a process that are of an internet family, in any state. */
  private static List<String> internetSockets(long pid) throws IOException {
    Path proc = Path.of("/proc", Long.toString(pid));
    Set<String> inodes = new HashSet<>();
    try (Stream<Path> fds = Files.list(proc.resolve("fd"))) {
      for (Path fd : fds.toList()) {
        String target = Files.readSymbolicLink(fd).toString();
        if (target.startsWith("socket:[")) {
          inodes.add(target.substring("socket:[".length(), target.length() - 1));
        }
      }
    }
    assertThat(inodes).as("the control socket itself").isNotEmpty();
    List<String> found = new ArrayList<>();
    for (String table : List.of("tcp", "tcp6", "udp", "udp6", "raw", "raw6")) {
      Path file = proc.resolve("net").resolve(table);
      if (Files.exists(file)) {
        Files.readAllLines(file).stream()
            .skip(1)
            .map(line -> line.trim().split("\\s+"))
            .filter(fields -> inodes.contains(fields[9]))
            .forEach(fields -> found.add(table + " " + fields[1]));
      }
    }
    return found;
  }
}
