package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.migration.DepartureLedger.MigrationAttempt;
import io.sluice.management.MigrationStatusView;
import io.sluice.migrate.engine.Inquiry.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that finds machines which a predecessor was giving away. */
final class LeftMachinesTest {
  private static final String GUEST = "web";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();
  private static final MigrationAttempt AWAY = new MigrationAttempt(new UUID(1, 2), "kvm-b:7443");

  @TempDir private Path dir;
  private DepartureLedger departures;
  private CommitLedger commits;
  private final AtomicReference<@Nullable Verdict> answer = new AtomicReference<>();
  private final List<MigrationAttempt> asked = new CopyOnWriteArrayList<>();
  private final List<String> entered = new CopyOnWriteArrayList<>();
  private final List<Boolean> undecided = new CopyOnWriteArrayList<>();

  @BeforeEach
  void makeLedger() {
    departures = new DepartureLedger(dir);
    commits = new CommitLedger(dir);
  }

  private Path qmp() {
    return dir.resolve("qmp");
  }

  private LeftMachines machines() {
    return new LeftMachines(
        Map.of(GUEST, qmp()),
        new LeftMachines.Surroundings(
            THREADS,
            departures,
            commits,
            this::ask,
            change -> entered.add(change.guest() + " " + change.phase()),
            (_, now) -> undecided.add(now),
            () -> 0));
  }

  private Verdict ask(MigrationAttempt departure) {
    asked.add(departure);
    Verdict known = answer.get();
    if (known == null) {
      throw new RefusedException("SLU-NET-006", Errno.ECONNREFUSED, "no route to host", "");
    }
    return known;
  }

  /** Runs it beside the test, which ends it. */
  private static Thread begin(LeftMachines machines) {
    return Thread.ofPlatform().daemon().start(machines);
  }

  private static void end(LeftMachines machines, Thread thread) throws InterruptedException {
    machines.close();
    thread.join();
  }

  @Test
  void run_destinationNeverWillHaveIt_itGoesOn() throws Exception {
    departures.begin(GUEST, AWAY);
    answer.set(Verdict.SOURCE);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "postmigrate", "completed")) {
      machines().run();
      assertThat(monitor.told).containsExactly("cont");
    }
    assertThat(asked).containsExactly(AWAY);
    assertThat(entered).containsExactly("web released");
    assertThat(departures.find(GUEST)).isEmpty();
  }

  @Test
  void run_destinationHasIt_itIsEnded() throws Exception {
    departures.begin(GUEST, AWAY);
    answer.set(Verdict.DESTINATION);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "postmigrate", "completed")) {
      machines().run();
      assertThat(monitor.told).containsExactly("quit");
    }
    assertThat(entered).containsExactly("web done");
    assertThat(departures.find(GUEST)).isEmpty();
  }

  @Test
  void run_standingForAFile_goesOnAndNobodyIsAsked() throws Exception {
    departures.begin(GUEST, new MigrationAttempt(new UUID(1, 2), "file:/a checkpoint"));
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "postmigrate", "completed")) {
      machines().run();
      assertThat(monitor.told).containsExactly("cont");
    }
    assertThat(asked).isEmpty();
  }

  @Test
  void run_beforeTheWordToGoOn_goesOnAndNobodyIsAsked() throws Exception {
    departures.begin(GUEST, AWAY);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "finish-migrate", "pre-switchover")) {
      machines().run();
      assertThat(monitor.told).containsExactly("migrate_cancel");
    }
    assertThat(asked).isEmpty();
    assertThat(entered).containsExactly("web released");
  }

  @Test
  void run_heldBackByItsDaemon_goesOnWithItsLimitsBack() throws Exception {
    departures.begin(GUEST, AWAY);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "running", "active")) {
      monitor.heldBack();
      machines().run();
      assertThat(monitor.told).containsExactly("migrate_cancel", "migrate-set-parameters");
    }
    assertThat(entered).containsExactly("web released");
  }

  @Test
  void removeSockets_ofADaemonThatWasKilled_noneIsLeft() throws Exception {
    Kernel kernel = RealKernel.create();
    List<String> sockets = List.of("qmp.in", "qmp.out", "qmp.in.sessions", "qmp.out.sessions");
    for (String name : sockets) {
      try (Fd _ = kernel.listen(dir.resolve(name), 1)) {
        // nobody takes its name away
      }
    }
    Path file = Files.createFile(dir.resolve("qmp.out.old"));

    machines().removeSockets();

    assertThat(sockets).noneMatch(name -> Files.exists(dir.resolve(name)));
    assertThat(file).exists();
  }

  /** QEMU's stream went through the daemon: it has often given up before anybody looks. */
  @Test
  void run_heldBackAndGivenUpByQemu_getsItsLimitsBack() throws Exception {
    departures.begin(GUEST, AWAY);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "running", "failed")) {
      monitor.heldBack();
      machines().run();
      assertThat(monitor.told).containsExactly("migrate-set-parameters");
    }
    assertThat(departures.find(GUEST)).isEmpty();
  }

  @Test
  void run_justEnding_isLookedAtAgain() throws Exception {
    departures.begin(GUEST, AWAY);
    answer.set(Verdict.DESTINATION);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "finish-migrate", "device")) {
      LeftMachines machines = machines();
      Thread thread = begin(machines);
      monitor.become("postmigrate", "completed");
      thread.join();
      assertThat(monitor.told).containsExactly("quit");
    }
  }

  @Test
  void run_nobodyThere_itsDepartureIsForgotten() throws Exception {
    departures.begin(GUEST, AWAY);
    Files.createFile(qmp());
    machines().run();
    assertThat(departures.find(GUEST)).isEmpty();
    assertThat(entered).isEmpty();
  }

  @Test
  void run_destinationCannotBeAsked_isUndecidedUntilItCan() throws Exception {
    departures.begin(GUEST, AWAY);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "postmigrate", "completed")) {
      LeftMachines machines = machines();
      Thread thread = begin(machines);
      await().atMost(PATIENCE).until(() -> asked.size() > 1);
      assertThat(entered).containsExactly("web undecided");
      assertThat(undecided).containsExactly(true);
      MigrationStatusView view = new ArrayList<>(machines.views()).getFirst();
      assertThat(view.undecided()).isTrue();
      assertThat(view.over()).isFalse();
      assertThat(view.peer()).isEqualTo("kvm-b:7443");
      assertThat(view.reason()).contains("no route to host");
      assertThat(view.remedy()).contains("migration resolve web --here", "--there");
      assertThat(monitor.told).isEmpty();

      answer.set(Verdict.SOURCE);
      thread.join();
      assertThat(monitor.told).containsExactly("cont");
    }
    assertThat(undecided).containsExactly(true, false);
    assertThat(entered).containsExactly("web undecided", "web released");
  }

  @Test
  void run_notNotedWhereTo_isUndecidedUntilTheOperatorSays() throws Exception {
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "postmigrate", "completed")) {
      LeftMachines machines = machines();
      Thread thread = begin(machines);
      await().atMost(PATIENCE).until(() -> machines.isUndecided(GUEST));
      assertThat(monitor.told).isEmpty();
      machines.resolve(GUEST, Verdict.SOURCE);
      thread.join();
      assertThat(monitor.told).containsExactly("cont");
      assertThat(machines.isUndecided(GUEST)).isFalse();
    }
    assertThat(asked).isEmpty();
  }

  @Test
  void resolve_there_endsIt() throws Exception {
    departures.begin(GUEST, AWAY);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "postmigrate", "completed")) {
      LeftMachines machines = machines();
      Thread thread = begin(machines);
      await().atMost(PATIENCE).until(() -> machines.isUndecided(GUEST));
      machines.resolve(GUEST, Verdict.DESTINATION);
      thread.join();
      assertThat(monitor.told).containsExactly("quit");
    }
    assertThat(departures.find(GUEST)).isEmpty();
  }

  @Test
  void resolve_wentOnByHandMeanwhile_isNotTouched() throws Exception {
    departures.begin(GUEST, AWAY);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "postmigrate", "completed")) {
      LeftMachines machines = machines();
      Thread thread = begin(machines);
      await().atMost(PATIENCE).until(() -> machines.isUndecided(GUEST));
      monitor.become("running", "completed");
      machines.resolve(GUEST, Verdict.DESTINATION);
      thread.join();
      assertThat(monitor.told).isEmpty();
    }
  }

  @Test
  void close_undecided_itStaysNotedForTheNextDaemon() throws Exception {
    departures.begin(GUEST, AWAY);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "postmigrate", "completed")) {
      LeftMachines machines = machines();
      Thread thread = begin(machines);
      await().atMost(PATIENCE).until(() -> machines.isUndecided(GUEST));
      end(machines, thread);
      assertThat(monitor.told).isEmpty();
    }
    assertThat(departures.find(GUEST)).contains(AWAY);
  }

  @Test
  void run_cameAndWasNeverLetRun_runs() throws Exception {
    commits.commit(AWAY.id(), GUEST);
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "paused", "completed")) {
      machines().run();
      assertThat(monitor.told).containsExactly("cont");
    }
    assertThat(entered).containsExactly("web released");
    assertThat(commits.notBegun(GUEST)).isEmpty();
    assertThat(commits.isCommitted(AWAY.id())).as("for ever").isTrue();
  }

  @Test
  void run_cameRanAndWasPaused_isLeftAlone() throws Exception {
    commits.commit(AWAY.id(), GUEST);
    commits.begun(AWAY.id());
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "paused", "completed")) {
      machines().run();
      assertThat(monitor.told).isEmpty();
    }
  }

  @Test
  void run_pausedAndAnotherGuestHasCome_isLeftAlone() throws Exception {
    commits.commit(AWAY.id(), "another");
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "paused", "completed")) {
      machines().run();
      assertThat(monitor.told).isEmpty();
    }
    assertThat(commits.notBegun("another")).containsExactly(AWAY.id());
  }

  @Test
  void run_cameAndIsGone_isNotLetRunLater() throws Exception {
    commits.commit(AWAY.id(), GUEST);
    Files.createFile(qmp());
    machines().run();
    assertThat(commits.notBegun(GUEST)).isEmpty();
  }

  @Test
  void run_cameAndTheHostWasStartedAnew_isNotLetRunLater() {
    commits.commit(AWAY.id(), GUEST);
    machines().run();
    assertThat(commits.notBegun(GUEST)).isEmpty();
  }

  /** It came once and its mark was lost; another attempt filled a QEMU, but had no COMMIT yet. */
  @Test
  void run_anotherAttemptHadOnlyFilledIt_isLeftAlone() throws Exception {
    commits.commit(AWAY.id(), GUEST);
    commits.prepare(new UUID(3, 4), GUEST);
    commits = new CommitLedger(dir);
    commits.forgetFormer();
    try (FakeMonitor monitor = new FakeMonitor(qmp(), "paused", "completed")) {
      machines().run();
      assertThat(monitor.told).isEmpty();
    }
    assertThat(entered).isEmpty();
  }

  @Test
  void departure_ofAnotherAttempt_isNotEnded() {
    departures.begin(GUEST, new MigrationAttempt(new UUID(3, 4), "kvm-c:7443"));
    departures.end(GUEST, AWAY.id());
    assertThat(departures.find(GUEST)).isPresent();
  }
}
