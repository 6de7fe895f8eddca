package io.sluice.testbed.machine.session.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.NotificationTypes;
import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.support.Processes;
import io.sluice.testbed.opencl.Commands;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions of processes on this host that move between session hosts of one daemon. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class MovingSessionsTest {
  private static final String GUEST = "guest";
  private static final String OTHER = "vendors"; // the directory's name
  private static final String DEFAULT = "default";
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final long AT_WORK = 100;
  private static final int MOVES = 10;
  private static final String ENDLESS = "100000000";

  private final Set<String> stages = ConcurrentHashMap.newKeySet();
  private final ExecutorService runners = Executors.newCachedThreadPool();
  private final List<Film> films = new ArrayList<>();
  private OpenClParts parts;
  private Path work;
  private DaemonProcess daemon;
  private SessionsMXBean sessions;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    parts = OpenClParts.build(Files.createDirectory(directory.resolve("parts")));
    work = Files.createDirectory(directory.resolve("work"));
    daemon =
        DaemonProcess.startWithOpenCl(
            Files.createDirectory(directory.resolve("daemon")),
            List.of(GUEST),
            "implementations = \"" + OpenClParts.NATIVE_VENDORS + "\"\n");
    sessions = daemon.connection().sessions();
    daemon
        .connection()
        .listen(
            notification -> {
              if (notification.getType().equals(NotificationTypes.SESSION_MOVING)) {
                stages.add(notification.getMessage().replaceFirst(".*: ", ""));
              }
            },
            () -> {});
  }

  @AfterEach
  void endFilms() throws IOException {
    for (Film film : films) {
      film.endAnyway();
    }
    films.clear();
  }

  @AfterAll
  void stop() throws Exception {
    runners.shutdownNow();
    if (daemon != null) {
      daemon.close();
    }
  }

  private CompletableFuture<Result> run(String... command) {
    Map<String, String> environment =
        Map.of(
            "OCL_ICD_VENDORS",
            parts.vendors().toString(),
            "SLUICE_API_SOCKET",
            daemon.socket(GUEST) + ".api");
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return Commands.run(
                work,
                environment,
                Stream.concat(
                        Stream.of(parts.program(command[0]).toString()), Stream.of(command).skip(1))
                    .toList());
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        runners);
  }

  /** A program that looks at each of its results until it is told to end. */
  private final class Film {
    private final Path stop = work.resolve("stop" + System.nanoTime());
    private final CompletableFuture<Result> running = run("frames", ENDLESS, "48", stop.toString());

    Film() {
      films.add(this);
    }

    /** Has it end; 0 is the code of one whose results were all right. */
    Result end() throws Exception {
      Files.createFile(stop);
      return running.get();
    }

    void endRight() throws Exception {
      Result result = end();
      assertThat(result.code()).as(result.output() + result.errors()).isZero();
    }

    /** Also after a test that failed. */
    void endAnyway() throws IOException {
      if (!running.isDone() && !Files.exists(stop)) {
        Files.createFile(stop);
      }
    }
  }

  private SessionStatus awaitAtWork() {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                sessions.list(GUEST).stream()
                    .filter(each -> each.calls() > AT_WORK)
                    .findFirst()
                    .orElse(null),
            each -> each != null);
  }

  private void awaitNone() {
    await().atMost(PATIENCE).until(() -> sessions.list(GUEST).isEmpty());
  }

  private String host(long session) throws OperationsException {
    return sessions.list(GUEST).stream()
        .filter(each -> each.number() == session)
        .map(SessionStatus::host)
        .findFirst()
        .orElse("");
  }

  @Test
  void session_movedToAndFroTenTimes_computesTheSame() throws Exception {
    Film film = new Film();
    SessionStatus session = awaitAtWork();

    for (int i = 0; i < MOVES; i++) {
      String to = i % 2 == 0 ? OTHER : DEFAULT;
      SessionMove move = sessions.move(GUEST, session.number(), to, false);
      assertThat(move.sentBytes()).isPositive();
      System.out.printf(
          "moved to %s: rounds %d, sent %d bytes, stopped %d us%n",
          to, move.rounds(), move.sentBytes(), move.stoppedNs() / 1000);
    }

    film.endRight();
    awaitNone();
  }

  @Test
  void check_ofASessionThatCanGo_namesNothingAndItStays() throws Exception {
    Film film = new Film();
    SessionStatus session = awaitAtWork();

    SessionMove check = sessions.move(GUEST, session.number(), OTHER, true);

    assertThat(check.obstacles()).isEmpty();
    assertThat(host(session.number())).isEqualTo(DEFAULT);
    assertThatThrownBy(() -> sessions.move(GUEST, session.number(), DEFAULT, false))
        .hasMessageContaining("SLU-SES-016");
    assertThatThrownBy(() -> sessions.move(GUEST, session.number(), "nowhere", false))
        .hasMessageContaining("SLU-SES-017");
    film.endRight();
    awaitNone();
  }

  @ParameterizedTest
  @ValueSource(strings = {"prepare", "copy", "stop", "finish", "hand_over"})
  void destinationKilled_inAStage_programGoesOnUnlessItWasThere(String stage) throws Exception {
    Outcome outcome = struck(stage, this::sideHost, this::kill);

    if (!outcome.moved() && !outcome.handedOver()) {
      assertThat(outcome.wentOn()).as(stage).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"prepare", "copy", "stop", "finish", "hand_over"})
  void sourceKilled_inAStage_programFailsUnlessItHadGone(String stage) throws Exception {
    Outcome outcome = struck(stage, () -> process(first()), this::kill);

    if (outcome.moved()) {
      assertThat(outcome.wentOn()).as(stage).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = "copy")
  @TakesLong("the daemon waits 10 s for a host that does not answer")
  void destinationStopped_inAStage_programGoesOnUnlessItWasThere(String stage) throws Exception {
    destinationStopped(stage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"prepare", "stop", "finish", "hand_over"})
  @Tag("long")
  @TakesLong("the daemon waits 10 s for a host that does not answer")
  void destinationStopped_inAnotherStage_programGoesOnUnlessItWasThere(String stage)
      throws Exception {
    destinationStopped(stage);
  }

  private void destinationStopped(String stage) throws Exception {
    Outcome outcome = struck(stage, this::sideHost, this::stopUntilItIsEnded);

    if (!outcome.moved() && !outcome.handedOver()) {
      assertThat(outcome.wentOn()).as(stage).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = "finish")
  @TakesLong("the daemon waits 10 s for a host that does not answer")
  void sourceStopped_inAStage_programFailsUnlessItHadGone(String stage) throws Exception {
    sourceStopped(stage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"prepare", "copy", "stop", "hand_over"})
  @Tag("long")
  @TakesLong("the daemon waits 10 s for a host that does not answer")
  void sourceStopped_inAnotherStage_programFailsUnlessItHadGone(String stage) throws Exception {
    sourceStopped(stage);
  }

  private void sourceStopped(String stage) throws Exception {
    Outcome outcome = struck(stage, () -> process(first()), this::stopUntilItIsEnded);

    if (outcome.moved()) {
      assertThat(outcome.wentOn()).as(stage).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"copy", "stop", "finish"})
  void destinationStoppedAndContinued_inAStage_programGoesOn(String stage) throws Exception {
    assertThat(struck(stage, this::sideHost, this::stopForAMoment).wentOn()).as(stage).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"copy", "stop", "finish"})
  void sourceStoppedAndContinued_inAStage_programGoesOn(String stage) throws Exception {
    assertThat(struck(stage, () -> process(first()), this::stopForAMoment).wentOn())
        .as(stage)
        .isTrue();
  }

  /**
   * The end of a move in which a process was struck.
   *
   * @param moved whether the move was said to be done
   * @param handedOver whether it came to the stage in which the session is given away
   * @param wentOn whether its program did, to its end
   */
  private record Outcome(boolean moved, boolean handedOver, boolean wentOn) {}

  /** What is done to a process while a session moves. */
  @FunctionalInterface
  private interface Blow {
    void strike(ProcessHandle process) throws Exception;
  }

  private void kill(ProcessHandle process) {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Stops a process; the daemon ends it when lists have waited for it in vain for long enough. */
  private void stopUntilItIsEnded(ProcessHandle process) throws Exception {
    Processes.stop(process.pid());
    try {
      await()
          .atMost(PATIENCE)
          .until(() -> {
            List<SessionStatus> _ = sessions.list(GUEST);
            return !process.isAlive();
          });
    } finally {
      if (process.isAlive()) {
        Processes.signal(process.pid(), "CONT");
      }
    }
  }

  /** Stops a process, and has it go on as soon as it stands. */
  private void stopForAMoment(ProcessHandle process) throws Exception {
    try {
      Processes.stop(process.pid());
    } finally {
      Processes.signal(process.pid(), "CONT");
    }
  }

  /** Strikes a process in a stage of a session's move, which may be over sooner. */
  private Outcome struck(String stage, Supplier<ProcessHandle> victim, Blow blow) throws Exception {
    Film film = new Film();
    SessionStatus session = awaitAtWork();
    assertThat(sessions.move(GUEST, session.number(), OTHER, true).obstacles()).isEmpty();
    ProcessHandle process = victim.get();
    stages.clear();

    CompletableFuture<Boolean> move = move(session.number(), OTHER);
    await().atMost(PATIENCE).until(() -> stages.contains(stage) || move.isDone());
    blow.strike(process);
    boolean moved = move.join();

    Result result = film.end();
    boolean wentOn = result.code() == 0;
    boolean itsHostDied = String.join("\n", result.output()).contains("CL_DEVICE_NOT_AVAILABLE");
    assertThat(wentOn || itsHostDied).as(result.output() + "\n" + result.errors()).isTrue();
    awaitNone();
    return new Outcome(moved, stages.contains("hand_over"), wentOn);
  }

  @ParameterizedTest
  @ValueSource(strings = {"prepare", "copy", "stop", "finish"})
  void move_givenUpInAStage_sessionGoesOnWhereItIsAndMovesThen(String stage) throws Exception {
    Film film = new Film();
    SessionStatus session = awaitAtWork();
    assertThat(sessions.move(GUEST, session.number(), OTHER, true).obstacles()).isEmpty();
    stages.clear();

    CompletableFuture<Boolean> move = move(session.number(), OTHER);
    await().atMost(PATIENCE).until(() -> stages.contains(stage) || move.isDone());
    try {
      sessions.stay(GUEST, session.number());
    } catch (OperationsException over) {
      assertThat(over).hasMessageMatching("(?s).*SLU-SES-01[16].*");
    }
    String elsewhere = move.join() ? DEFAULT : OTHER;
    boolean again = move(session.number(), elsewhere).join();

    film.endRight();
    assertThat(again).as("moved to " + elsewhere + " at the second time").isTrue();
    awaitNone();
  }

  private long first() {
    return Objects.requireNonNull(sessions.getHosts().get(GUEST)).pid();
  }

  private static ProcessHandle process(long pid) {
    return ProcessHandle.of(pid).orElseThrow();
  }

  /** The process of the host to which sessions move: the one that is not the guest's first. */
  private ProcessHandle sideHost() {
    long first = first();
    return daemon
        .process()
        .children()
        .filter(child -> child.pid() != first)
        .findFirst()
        .orElseThrow();
  }

  /** Moves a session; whether that was done. */
  private CompletableFuture<Boolean> move(long session, String to) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            SessionMove _ = sessions.move(GUEST, session, to, false);
            return true;
          } catch (OperationsException _) {
            return false;
          }
        },
        runners);
  }
}
