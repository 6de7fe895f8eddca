package io.sluice.testbed.machine.session.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.NotificationTypes;
import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.fakes.Seeds;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.DelayedLink;
import io.sluice.testbed.machine.HostCertificates;
import io.sluice.testbed.opencl.Commands;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Two daemons with OpenCL, TLS between them, and programs of the first one's guests. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
@ExtendWith(Seeds.class)
@TakesLong("each of its tests starts session hosts, of two daemons")
abstract class RemoteRig {
  static final String GUEST = "guest";
  static final String OTHER = "other";
  static final String HOME = "alpha";
  private static final String FAR = "beta";
  static final String ADDRESS = "127.0.71.1";
  static final int PORT = 7443;
  static final String DEFAULT = "default";

  /** Devices that are processors have what their hosts may have. */
  private static final String ALL_MEMORY = "process-memory = \"64GiB\"\n";

  static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final long AT_WORK = 50;
  private static final int MANY = 1_000_000;

  final Set<String> stages = ConcurrentHashMap.newKeySet();
  private final ExecutorService runners = Executors.newCachedThreadPool();
  Path directory;
  private HostCertificates certificates;
  OpenClParts parts;
  Path work;
  private int runs;
  final Deque<AutoCloseable> started = new ArrayDeque<>();
  private String accepted = ""; // what of the configuration of the daemons that run
  private boolean clean; // nothing of a test is left with them

  @SuppressWarnings("NullAway.Init")
  DaemonProcess home;

  @SuppressWarnings("NullAway.Init")
  DaemonProcess far;

  @SuppressWarnings("NullAway.Init")
  DelayedLink way;

  @SuppressWarnings("NullAway.Init")
  SessionsMXBean sessions;

  @BeforeAll
  void build(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    this.directory = directory;
    parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    work = Files.createDirectory(directory.resolve("work"));
    certificates = new HostCertificates(Files.createDirectory(directory.resolve("authority")));
    certificates.issue(HOME, ADDRESS, Files.createDirectory(directory.resolve(HOME)));
    certificates.issue(FAR, ADDRESS, Files.createDirectory(directory.resolve(FAR)));
  }

  @AfterAll
  void stop() throws Exception {
    stopDaemons();
    runners.shutdownNow();
  }

  /** Two daemons, and a way between them. Daemons of the test before serve if it left nothing. */
  void start(String accepted) throws Exception {
    if (!clean || !accepted.equals(this.accepted)) {
      stopDaemons();
      startDaemons(accepted);
    }
    clean = false;
    stages.clear();
    way = new DelayedLink(ADDRESS, new InetSocketAddress(ADDRESS, PORT), Duration.ZERO);
  }

  private void startDaemons(String accepted) throws Exception {
    this.accepted = accepted;
    runs++;
    Path here = Files.createDirectory(directory.resolve("home" + runs));
    home =
        DaemonProcess.startWithOpenCl(
            here,
            List.of(GUEST, OTHER),
            ALL_MEMORY + HostCertificates.configuration(directory.resolve(HOME), ""));
    started.push(home);
    Path there = Files.createDirectory(directory.resolve("far" + runs));
    far =
        DaemonProcess.startWithOpenCl(
            there,
            List.of(),
            ALL_MEMORY
                + accepted
                + HostCertificates.configuration(directory.resolve(FAR), ADDRESS + ":" + PORT));
    started.push(far);
    sessions = home.connection().sessions();
    home.connection()
        .listen(
            notification -> {
              if (notification.getType().equals(NotificationTypes.SESSION_MOVING)) {
                stages.add(notification.getMessage().replaceFirst(".*: ", ""));
              }
            },
            () -> {});
    await().atMost(PATIENCE).until(() -> children(home).size() == 2);
  }

  void start() throws Exception {
    start("accept-from = \"" + HOME + "\"\n");
  }

  @AfterEach
  void closeWay() throws Exception {
    if (way != null) {
      way.close();
    }
  }

  private void stopDaemons() throws Exception {
    clean = false;
    while (!started.isEmpty()) {
      started.pop().close();
    }
  }

  static List<ProcessHandle> children(DaemonProcess daemon) {
    return daemon.process().children().toList();
  }

  String there() {
    return ADDRESS + ":" + way.port();
  }

  CompletableFuture<Result> run(String guest, String... command) {
    Map<String, String> environment =
        Map.of(
            "OCL_ICD_VENDORS",
            parts.vendors().toString(),
            "SLUICE_API_SOCKET",
            home.socket(guest) + ".api");
    List<String> words =
        Stream.concat(Stream.of(parts.program(command[0]).toString()), Stream.of(command).skip(1))
            .toList();
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return Commands.run(work, environment, words);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        },
        runners);
  }

  /** A program that works until it is told to end, and says then whether all was right. */
  final class Film {
    final Path end = work.resolve("end" + System.nanoTime());
    final CompletableFuture<Result> running;
    final String guest;
    final long session;

    Film(String guest) throws Exception {
      this.guest = guest;
      Set<Long> before = numbers(guest);
      running = run(guest, "frames", String.valueOf(MANY), "48", String.valueOf(end));
      session =
          await()
              .atMost(PATIENCE)
              .until(
                  () ->
                      sessions.list(guest).stream()
                          .filter(each -> !before.contains(each.number()))
                          .filter(each -> each.calls() > AT_WORK)
                          .map(SessionStatus::number)
                          .findFirst()
                          .orElse(0L),
                  number -> number > 0);
    }

    SessionMove move(String to) throws OperationsException {
      return sessions.move(guest, session, to, false);
    }

    SessionStatus status() throws OperationsException {
      return sessions.list(guest).stream()
          .filter(each -> each.number() == session)
          .findFirst()
          .orElseThrow();
    }

    void goesOn() throws OperationsException {
      long calls = status().calls();
      await().atMost(PATIENCE).until(() -> status().calls() > calls + AT_WORK);
    }

    /** Its session is lost. */
    void endsWithout() throws Exception {
      Result result = running.get();
      assertThat(result.code()).isNotZero();
      assertThat(result.output() + result.errors()).contains("CL_DEVICE_NOT_AVAILABLE");
    }

    /** It has not lost its session, or has heard it. */
    void endsSomehow() throws Exception {
      if (!running.isDone()) {
        Files.createFile(end);
      }
      Result result = running.get();
      if (result.code() != 0) {
        endsWithout();
      }
    }

    void endsRight() throws Exception {
      Files.createFile(end);
      Result result = running.get();
      assertThat(result.code()).as(result.output() + result.errors()).isZero();
      List<String> lines = result.output();
      assertThat(lines)
          .anyMatch(line ->
              line.startsWith("frames: ")
                  && lines.contains("right" + line.substring("frames".length())));
    }
  }

  private Set<Long> numbers(String guest) throws OperationsException {
    return sessions.list(guest).stream().map(SessionStatus::number).collect(Collectors.toSet());
  }

  void works(String guest) throws Exception {
    assertThat(run(guest, "dot", "1000", "2").get().output()).contains("verified: right");
  }

  /** Neither daemon has a session, a process or a file more than before there were any. */
  void nothingIsLeft() {
    await().atMost(PATIENCE).until(() -> sessions.list("").isEmpty());
    await().atMost(PATIENCE).until(() -> children(home).size() == 2);
    nothingIsLeftThere();
    clean = true;
  }

  void nothingIsLeftThere() {
    await().atMost(PATIENCE).until(() -> far.connection().sessions().list("").isEmpty());
    await().atMost(PATIENCE).until(() -> children(far).isEmpty());
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          try (Stream<Path> files = Files.walk(directory.resolve("far" + runs).resolve("state"))) {
            assertThat(files.map(path -> path.getFileName().toString()))
                .noneMatch(name -> name.contains(":") || name.startsWith("stream-"));
          }
        });
  }

  /** Begins to move a session, up to a stage unless that is over sooner; whether it was done. */
  CompletableFuture<Boolean> moveUntil(Film film, String to, String stage) {
    stages.clear();
    CompletableFuture<Boolean> move =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return film.move(to) != null;
              } catch (OperationsException _) {
                return false;
              }
            },
            runners);
    await().atMost(PATIENCE).until(() -> stages.contains(stage) || move.isDone());
    return move;
  }
}
