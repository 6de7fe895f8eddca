package io.sluice.testbed.machine.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.management.DaemonMXBean;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.JavaProgram;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.machine.support.Daemons.Holdings;
import io.sluice.testbed.opencl.OpenClParts;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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

/** Guests of one daemon whose sessions share the OpenCL devices of this host. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class SharedDevicesTest {
  private static final String ONE = "one";
  private static final String OTHER = "other";
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String VENDORS = "vendors"; // the directory's name
  private static final String LAUNCHES = "launches: ";

  /** Launches of the slower of two in a comparison, of some 0.5 ms each. */
  private static final long ENOUGH = 2000;

  /** The same, where those of the slower are eight times as long. */
  private static final long ENOUGH_LONG = 600;

  private static final String[] FLOOD = {"flood", "256", "4000"};

  private final List<Running> running = new ArrayList<>();
  private OpenClParts parts;
  private Path work;
  private DaemonProcess daemon;
  private SessionsMXBean sessions;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    assumeTrue(OpenClParts.whyNot().isEmpty(), OpenClParts.whyNot());
    parts =
        OpenClParts.build(
            Files.createDirectory(directory.resolve("parts")),
            "flood",
            "hold",
            "hostile",
            "figures",
            "endless",
            "gated",
            "tied",
            "wild",
            "matrix");
    work = Files.createDirectory(directory.resolve("work"));
    daemon =
        DaemonProcess.startWithOpenCl(
            Files.createDirectory(directory.resolve("daemon")),
            List.of(ONE, OTHER),
            "implementations = \"" + OpenClParts.NATIVE_VENDORS + "\"\n");
    sessions = daemon.connection().sessions();
    for (String guest : List.of(ONE, OTHER)) {
      await().atMost(PATIENCE).until(() -> host(guest).state().equals(SessionHostStatus.SERVING));
    }
  }

  @AfterAll
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  @AfterEach
  void endAll() {
    running.forEach(each -> each.process().destroyForcibly().onExit().join());
    running.clear();
    await()
        .atMost(PATIENCE)
        .until(() ->
            List.of(ONE, OTHER).stream()
                .allMatch(guest ->
                    host(guest).state().equals(SessionHostStatus.SERVING)
                        && host(guest).sessions() == 0));
  }

  /** A program of a guest, and what it prints. */
  private record Running(Process process, Path output) {
    List<String> lines() throws IOException {
      return Files.readAllLines(output);
    }

    boolean has(String line) throws IOException {
      return lines().contains(line);
    }

    /** Launches that have run. */
    long launches() throws IOException {
      assertThat(process.isAlive()).as(() -> String.valueOf(output)).isTrue();
      List<String> lines = lines();
      for (int i = lines.size() - 1; i >= 0; i--) {
        if (lines.get(i).matches(LAUNCHES + "[0-9]+")) {
          return Long.parseLong(lines.get(i).substring(LAUNCHES.length()));
        }
      }
      return 0;
    }
  }

  private Running run(String guest, String... command) throws IOException {
    Path output = Files.createTempFile(work, command[0], ".out");
    ProcessBuilder builder =
        new ProcessBuilder(
                Stream.concat(
                        Stream.of(parts.program(command[0]).toString()), Stream.of(command).skip(1))
                    .toList())
            .directory(work.toFile())
            .redirectOutput(output.toFile())
            .redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "OCL_ICD_VENDORS",
                parts.vendors().toString(),
                "SLUICE_API_SOCKET",
                daemon.socket(guest) + ".api"));
    Running started = new Running(builder.start(), output);
    running.add(started);
    return started;
  }

  private SessionHostStatus host(String guest) {
    return Objects.requireNonNull(sessions.getHosts().get(guest));
  }

  /** How many launches of the one there are for one of the other, while both are at work. */
  private double ratio(String[] ofOne, String[] ofOther, long enough) throws IOException {
    Running one = run(ONE, ofOne);
    Running other = run(OTHER, ofOther);
    await().atMost(PATIENCE).until(() -> Math.min(one.launches(), other.launches()) > enough / 6);
    long oneBefore = one.launches();
    long otherBefore = other.launches();
    await()
        .atMost(PATIENCE)
        .until(
            () -> Math.min(one.launches() - oneBefore, other.launches() - otherBefore) >= enough);
    double ratio = (double) (one.launches() - oneBefore) / (other.launches() - otherBefore);
    System.out.printf("launches of the one for each of the other: %.2f%n", ratio);
    return ratio;
  }

  private void weigh(int weight) throws Exception {
    DaemonMXBean bean = daemon.connection().daemon();
    bean.setQuota(ONE, null, weight, null, null, null);
  }

  @Test
  void floods_ofEqualWeights_runAlike() throws Exception {
    assertThat(ratio(FLOOD, FLOOD, ENOUGH)).isBetween(0.6, 1.67);
  }

  @Test
  void floods_ofWeightsThreeToOne_runThreeToOne() throws Exception {
    weigh(3);
    try {
      assertThat(ratio(FLOOD, FLOOD, ENOUGH)).isBetween(2.0, 4.5);
    } finally {
      weigh(1);
    }
  }

  @Test
  void longKernels_besideShortOnes_haveNoMoreTime() throws Exception {
    // Each launch of the one is as long as eight of the other.
    String[] longer = {"flood", "256", "32000"};
    assertThat(ratio(longer, FLOOD, ENOUGH_LONG)).isBetween(1 / 16.0, 1 / 4.0);
  }

  @Test
  void endlessKernel_alone_goesOnAndIsEndedWhenAnotherWaits() throws Exception {
    long starts = host(ONE).starts();
    Running endless = run(ONE, "endless");
    await().atMost(PATIENCE).until(() -> endless.has("running"));
    Running alone = run(ONE, "gated"); // of the same guest: it is nobody else's
    await().atMost(PATIENCE).until(() -> alone.has("waiting"));
    assertThat(endless.process().isAlive()).isTrue();
    assertThat(host(ONE).starts()).isEqualTo(starts);

    Running right = run(OTHER, "matrix", "64", "20");

    assertThat(right.process().onExit().get(3, TimeUnit.MINUTES).exitValue())
        .as(() -> String.join("\n", lines(right)))
        .isZero();
    assertThat(right.lines()).contains("verified: right");
    await().atMost(PATIENCE).until(() -> !endless.process().isAlive());
    assertThat(endless.lines()).contains("finish: CL_DEVICE_NOT_AVAILABLE");
    await().atMost(PATIENCE).until(() -> host(ONE).starts() > starts);
    assertThat(host(ONE).reason()).contains("kill-timeout");
    assertThat(host(OTHER).reason()).isEmpty();
  }

  @Test
  void wildKernel_endsItsOwnGuestsHostAlone() throws Exception {
    long starts = host(ONE).starts();
    long otherStarts = host(OTHER).starts();
    Running beside = run(OTHER, FLOOD);
    await().atMost(PATIENCE).until(() -> beside.launches() > 0);

    Running wild = run(ONE, "wild");

    await().atMost(PATIENCE).until(() -> !wild.process().isAlive());
    assertThat(wild.lines()).containsExactly("finish: CL_DEVICE_NOT_AVAILABLE");
    await()
        .atMost(PATIENCE)
        .until(() ->
            host(ONE).starts() > starts && host(ONE).state().equals(SessionHostStatus.SERVING));
    long launches = beside.launches();
    await().atMost(PATIENCE).until(() -> beside.launches() > launches + ENOUGH);
    for (String guest : List.of(ONE, OTHER)) {
      Running each = run(guest, "matrix", "64", "20");
      assertThat(each.process().onExit().get(3, TimeUnit.MINUTES).exitValue())
          .as(() -> String.join("\n", lines(each)))
          .isZero();
      assertThat(each.lines()).contains("verified: right");
    }
    assertThat(host(OTHER).starts()).isEqualTo(otherStarts);
  }

  private static List<String> lines(Running program) {
    try {
      return program.lines();
    } catch (IOException e) {
      return List.of(e.toString());
    }
  }

  @Test
  void commandsBehindAUserEvent_holdNoTurn() throws Exception {
    long starts = host(ONE).starts();
    Running gated = run(ONE, "gated");
    await().atMost(PATIENCE).until(() -> gated.has("waiting"));

    Running flood = run(OTHER, FLOOD);
    await().atMost(PATIENCE).until(() -> flood.launches() > 2 * ENOUGH);
    gated.process().getOutputStream().close();

    await().atMost(PATIENCE).until(() -> !gated.process().isAlive());
    assertThat(gated.lines()).contains("result: 7");
    assertThat(host(ONE).starts()).isEqualTo(starts);
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "queries", "events", "builds", "memory", "launches", "transfers"})
  void hostileGuest_whatever_anotherGuestsProgramIsRight(String attack) throws Exception {
    long starts = host(OTHER).starts();
    for (int i = 0; i < 4 && !attack.equals("none"); i++) {
      Running hostile = run(ONE, "hostile", attack);
      await().atMost(PATIENCE).until(() -> hostile.has("attacks"));
    }

    Running figures = run(OTHER, "figures", "R1");
    Running right = run(OTHER, "matrix", "64", "200");

    for (Running each : List.of(figures, right)) {
      assertThat(each.process().onExit().get(10, TimeUnit.MINUTES).exitValue())
          .as(() -> String.join("\n", lines(each)))
          .isZero();
    }
    assertThat(right.lines()).contains("verified: right");
    assertThat(host(OTHER).starts()).isEqualTo(starts);
    System.out.printf("beside %s: %s, %s%n", attack, figures.lines(), right.lines().getFirst());
  }

  @Test
  void memory_ofASessionThatMoved_countsOnceAndAgainstTheSameLimit() throws Exception {
    long before = host(ONE).memoryLimitBytes();
    sessions.limit(ONE, null, 64L << 20);
    try {
      Running first = run(ONE, "hold", "40");
      await().atMost(PATIENCE).until(() -> first.has("holding"));
      Running beyond = run(ONE, "hold", "40");
      await().atMost(PATIENCE).until(() -> !beyond.process().isAlive());
      assertThat(beyond.lines()).doesNotContain("holding");

      long session = sessions.list(ONE).getFirst().number();
      SessionMove _ = sessions.move(ONE, session, VENDORS, false);
      Running stillBeyond = run(ONE, "hold", "40");
      await().atMost(PATIENCE).until(() -> !stillBeyond.process().isAlive());
      assertThat(stillBeyond.lines()).doesNotContain("holding");

      first.process().getOutputStream().close();
      await().atMost(PATIENCE).until(() -> !first.process().isAlive());
      assertThat(first.lines()).contains("contents: right");
      await()
          .atMost(PATIENCE)
          .until(() -> host(ONE).sessions() == 0 && sessions.list(ONE).isEmpty());
      Running again = run(ONE, "hold", "40");
      await().atMost(PATIENCE).until(() -> again.has("holding"));
    } finally {
      sessions.limit(ONE, null, before);
    }
  }

  /** Kills two programs of a guest, one of which is always in a call, and waits for their end. */
  private void killTwo() throws Exception {
    Running calling = run(ONE, FLOOD);
    Running holding = run(ONE, "hold", "40");
    await().atMost(PATIENCE).until(() -> calling.launches() > 0 && holding.has("holding"));
    for (Running each : List.of(calling, holding)) {
      Process _ = each.process().destroyForcibly().onExit().join();
    }
    await().atMost(PATIENCE).until(() -> sessions.list(ONE).isEmpty());
  }

  @Test
  void programs_killedInTheMiddleOfACall_leaveNothing() throws Exception {
    long limit = host(ONE).memoryLimitBytes();
    long pid = host(ONE).pid();
    killTwo(); // what a host keeps from its first session on is there then
    Holdings ofDaemon = Holdings.of(daemon.pid());
    Holdings ofHost = Holdings.of(pid);
    sessions.limit(ONE, null, 64L << 20);
    try {
      for (int i = 0; i < 3; i++) {
        killTwo(); // the second would have no memory
      }

      Daemons.awaitHoldings(daemon, ofDaemon);
      await().atMost(PATIENCE).until(() -> Holdings.of(pid).isNoMoreThan(ofHost));
      assertThat(host(ONE).pid()).as("the host that it was").isEqualTo(pid);
    } finally {
      sessions.limit(ONE, null, limit);
    }
  }

  @Test
  void deviceTime_ofAFlood_isCounted() throws Exception {
    Running flood = run(ONE, FLOOD);
    await().atMost(PATIENCE).until(() -> flood.launches() > ENOUGH);

    assertThat(sessions.list(ONE)).hasSize(1).allMatch(session -> session.deviceMs() > 0);
  }

  private SessionStatus only(String guest) throws OperationsException {
    List<SessionStatus> all = sessions.list(guest);
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  private static void tell(Running program) throws IOException {
    OutputStream input = program.process().getOutputStream();
    input.write('\n');
    input.flush();
  }

  @Test
  void ties_ofASession_areThereAsLongAsWhatTiesIt() throws Exception {
    Running tied = run(ONE, "tied");
    await().atMost(PATIENCE).until(() -> tied.has("tied twice"));
    await().atMost(PATIENCE).until(() -> only(ONE).ties().size() == 2);
    assertThat(only(ONE).ties()).containsOnlyKeys("binaries", "user-events");
    assertThat(only(ONE).ties().get("binaries")).endsWith(": 1");
    long session = only(ONE).number();
    assertThat(sessions.move(ONE, session, VENDORS, true).obstacles())
        .containsExactly(only(ONE).ties().get("user-events"));

    tell(tied);
    await().atMost(PATIENCE).until(() -> tied.has("tied once"));
    await().atMost(PATIENCE).until(() -> only(ONE).ties().keySet().equals(Set.of("binaries")));
    SessionMove _ = sessions.move(ONE, session, VENDORS, false); // of the same implementation
    assertThat(only(ONE)).returns(VENDORS, SessionStatus::host);
    assertThat(only(ONE).ties()).containsOnlyKeys("binaries");

    tell(tied);
    await().atMost(PATIENCE).until(() -> tied.has("free"));
    await().atMost(PATIENCE).until(() -> only(ONE).ties().isEmpty());
    tied.process().getOutputStream().close();
    await().atMost(PATIENCE).until(() -> !tied.process().isAlive());
    assertThat(tied.lines()).contains("result: 7");
  }

  /** A sluicectl that prints what happens to sessions. */
  private Running monitor() throws IOException {
    Path output = Files.createTempFile(work, "monitor", ".out");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JavaProgram.of("io.sluice.sluicectl", "io.sluice.sluicectl.SluiceCtl"));
    command.addAll(
        List.of("--socket", daemon.controlSocket().toString(), "monitor", "--type", "session"));
    Process started =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectErrorStream(true)
            .start();
    Running monitor = new Running(started, output);
    running.add(monitor);
    return monitor;
  }

  private static void awaitEvent(Running monitor, String type, String message) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> lines(monitor).stream().map(SharedDevicesTest::event).toList(),
            events -> events.contains(type + " " + message));
  }

  /** The line of an event without its time. */
  private static String event(String line) {
    return line.replaceFirst("^\\S+ +(\\S+) +", "$1 ");
  }

  @Test
  void monitor_ofSessions_tellsWhenTheyAndTheirHostsComeAndGo() throws Exception {
    Running monitor = monitor();
    await()
        .atMost(PATIENCE)
        .until(() -> { // it does not say when it has begun to listen
          Running unseen = run(OTHER, "matrix", "16", "1");
          Process _ = unseen.process().onExit().get(1, TimeUnit.MINUTES);
          return !monitor.lines().isEmpty();
        });

    Running first = run(ONE, "hold", "1");
    await().atMost(PATIENCE).until(() -> first.has("holding"));
    String session = ONE + " " + only(ONE).number();
    awaitEvent(monitor, "session.opened", session + ": hold, pid " + first.process().pid());
    first.process().getOutputStream().close();
    awaitEvent(monitor, "session.ended", session + ": its application left");

    Running second = run(ONE, "hold", "1");
    await().atMost(PATIENCE).until(() -> second.has("holding"));
    long number = only(ONE).number();
    sessions.end(ONE, number);
    awaitEvent(monitor, "session.ended", ONE + " " + number + ": an operator ended it");

    Running third = run(ONE, "hold", "1");
    await().atMost(PATIENCE).until(() -> third.has("holding"));
    String last = ONE + " " + only(ONE).number();
    assertThat(ProcessHandle.of(host(ONE).pid()).orElseThrow().destroyForcibly()).isTrue();
    awaitEvent(monitor, "session.ended", last + ": its session host ended");
    awaitEvent(monitor, "session.host", ONE + " serves");
    assertThat(lines(monitor).stream().map(SharedDevicesTest::event))
        .anyMatch(event -> event.startsWith("session.host " + ONE + " ended: "))
        .noneMatch(event -> event.startsWith("session.ended " + OTHER) && event.contains("host"));
  }
}
