package io.sluice.migrate.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine.PageRange;
import io.sluice.migrate.phase.Tables;
import io.sluice.migrate.qemu.RamTransport;
import io.sluice.vdevice.session.MachineSessions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The tables of a machine that moves with its sessions, and what both are told when. The machine
 * has no session, so that all stand still as soon as the worker has been told.
 */
final class SessionsSourceTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final PageRange PAGE = new PageRange(new Iova(0x1000), 4096);
  private static final long MINUTES_NS = 600_000_000_000L;

  private final CountDownLatch working = new CountDownLatch(1); // of the worker
  private final AtomicLong nowNs = new AtomicLong(1);
  private final Kernel kernel = RealKernel.create();
  private final MachineSessions sessions =
      SessionlessDevice.sessions(kernel, Thread.ofPlatform().factory());
  private final NotedMachine machine = new NotedMachine();
  private final Way way = new Way();
  private final SessionsSource source = make();

  @AfterEach
  void close() {
    working.countDown();
    source.close();
    sessions.close();
  }

  private SessionsSource make() {
    ThreadFactory threads =
        work ->
            Thread.ofPlatform()
                .daemon()
                .unstarted(() -> {
                  try {
                    working.await();
                    work.run();
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                  }
                });
    return new SessionsSource(
        machine, sessions, way, SessionPlaces.NONE, kernel, threads, nowNs::get);
  }

  /** A way of streams that nothing listens at. */
  private static final class Way implements RamTransport.Source {
    final CountDownLatch closed = new CountDownLatch(1);
    volatile String refusal = "";

    @Override
    public String open(ByteBuffer target) {
      if (!refusal.isEmpty()) {
        throw new RefusedException(MigrationCode.SESSIONS, Errno.EIO, refusal, "");
      }
      return "unix:/nowhere";
    }

    @Override
    public boolean isAnswered() {
      return false;
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  private void pollUntilTold(String what) {
    await()
        .until(() -> {
          source.poll();
          return machine.told.contains(what);
        });
  }

  private void standStill() {
    working.countDown();
    machine.state = State.STOPPED;
    await().atMost(PATIENCE).until(source::holdStill);
  }

  private static void assertBug(Runnable step) {
    assertThatThrownBy(step::run).isInstanceOf(AssertionError.class);
  }

  // ---- the tables ----

  @Test
  void stages_everyPair_areAsTheOracleSays() {
    List<String> way =
        List.of("COPYING", "HALTING", "MAY_STOP", "STANDING", "SWITCHED", "FINISHED");
    ImmutableSetMultimap.Builder<String, String> oracle = ImmutableSetMultimap.builder();
    oracle.put("OPEN", "COPYING");
    oracle.put("HALTING", "MAY_STOP").put("STANDING", "SWITCHED").put("SWITCHED", "FINISHED");
    for (String copied : List.of("COPYING", "HALTING", "MAY_STOP")) {
      oracle.putAll(copied, "HALTING", "MAY_STOP"); // it may stop, and once more; it must stop
    }
    for (String stopped : List.of("COPYING", "MAY_STOP")) {
      oracle.put(stopped, "STANDING"); // by itself, or as it may
    }
    for (String left : way.subList(0, way.size() - 1)) {
      oracle.putAll(left, "GIVING_UP", "STAYING");
    }
    oracle.putAll("OPEN", "GIVING_UP", "STAYING");
    oracle.putAll("GIVING_UP", "GIVING_UP", "GIVEN_UP", "STAYING"); // asked again, done, closed
    oracle.put("GIVEN_UP", "STAYING");
    Tables.requireEqual(SessionsStage.class, oracle.build());
  }

  @Test
  void stages_thatWaitForThem_areThoseBeforeTheSwitchOver() {
    assertThat(SessionsStage.values())
        .filteredOn(SessionsStage::areWaitedFor)
        .containsExactly(
            SessionsStage.COPYING,
            SessionsStage.HALTING,
            SessionsStage.MAY_STOP,
            SessionsStage.STANDING);
    assertThat(SessionsStage.values())
        .filteredOn(stage -> stage.areMoving() != stage.areWaitedFor())
        .containsExactly(SessionsStage.SWITCHED);
  }

  @Test
  void stagesOfAll_everyPair_areAsTheOracleSays() {
    List<String> way = List.of("COPYING", "APPROACHING", "HALTING", "HALTED", "BROKEN");
    ImmutableSetMultimap.Builder<String, String> oracle = ImmutableSetMultimap.builder();
    for (String left : way) {
      oracle.put(left, "STAYING");
      if (!left.equals("BROKEN")) {
        oracle.put(left, "BROKEN").put(left, way.get(way.indexOf(left) + 1));
      }
    }
    oracle.put("COPYING", "HALTING"); // nothing is waited for
    Tables.requireEqual(LeavingStage.class, oracle.build());
  }

  // ---- the stop ----

  @Test
  void isStopPrepared_onceAllWereToldThatTheMachineIsNear() {
    source.start(NOTHING);
    source.poll();
    assertThat(source.isStopPrepared()).as("nobody was told").isFalse();
    source.approachStop();
    assertThat(source.isStopPrepared()).as("the worker has not looked yet").isFalse();
    working.countDown();
    await().atMost(PATIENCE).until(source::isStopPrepared);
    source.approachStop(); // once is enough
    source.allowStop();
    pollUntilTold("allowStop");
    assertThat(source.isStopPrepared()).isTrue();
    assertThat(machine.told).containsExactly("start", "allowStop");
  }

  @Test
  void allowStop_sessionsThatDoNotStand_areWaitedFor() {
    source.start(NOTHING);
    source.allowShortStop(0);
    source.poll();
    assertThat(machine.told).containsExactly("start");
    source.allowStop(); // in place of the short one
    working.countDown();
    pollUntilTold("allowStop");
    source.poll();
    assertThat(machine.told).containsExactly("start", "allowStop");
  }

  @Test
  void allowStop_sessionsThatStand_isToldAtOnceEachTime() {
    source.start(NOTHING);
    source.allowShortStop(0);
    working.countDown();
    pollUntilTold("allowShortStop");
    source.allowStop();
    source.forceStop();
    assertThat(machine.told).containsExactly("start", "allowShortStop", "allowStop", "forceStop");
  }

  @Test
  void forceStop_waitsForNobodyAndIsTheLastWord() {
    source.start(NOTHING);
    source.allowStop();
    source.forceStop();
    assertThat(machine.told).containsExactly("start", "forceStop");
    standStill();
    source.poll();
    assertThat(machine.told).doesNotContain("allowStop");
  }

  /** It stops by itself, when it has nothing left for a moment. */
  @Test
  void redirty_machineStoppedByItself_waitsForTheSessionsAndIsToldOnce() {
    source.start(NOTHING);
    machine.state = State.STOPPED;
    assertThat(source.redirty(List.of(PAGE))).isFalse();
    machine.still = false;
    working.countDown();
    source.poll();
    assertThat(source.holdStill()).as("a call runs").isFalse();
    machine.still = true;
    await().atMost(PATIENCE).until(source::holdStill);
    assertThat(source.redirty(List.of())).isTrue();
    assertThat(machine.told).startsWith("start", "redirty 1").contains("redirty 0");
    assertThat(machine.told).filteredOn("redirty 1"::equals).hasSize(1);
  }

  @Test
  void redirty_stopNotYetTold_isToldBefore() {
    source.start(NOTHING);
    source.allowStop();
    standStill();
    source.poll();
    assertThat(machine.told).startsWith("start", "allowStop", "redirty 0");
    assertThat(machine.told).filteredOn("allowStop"::equals).hasSize(1);
  }

  // ---- its ends ----

  @Test
  void finish_sessionsThatLeft_areCarriedToTheEnd() {
    source.start(NOTHING);
    standStill();
    source.switchOver();
    source.finish();
    source.close();
    assertThat(sessions.isCarried()).isTrue();
    assertThat(machine.told).endsWith("switchOver", "finish", "close");
  }

  @Test
  void abort_fromEachStage_sessionsGoOnOnceNothingIsWrittenAnyMore() {
    List<Consumer<SessionsSource>> steps =
        List.of(
            one -> one.start(NOTHING),
            SessionsSource::allowStop,
            SessionsSource::forceStop,
            one -> await().atMost(PATIENCE).until(one::holdStill),
            SessionsSource::switchOver);
    working.countDown();
    source.close(); // lets the sessions go
    for (int last = 0; last <= steps.size(); last++) {
      SessionsSource one = make();
      steps.subList(0, last).forEach(step -> step.accept(one));
      assertThat(one.isSettled()).as("nothing was given up").isTrue();
      machine.settled = false;
      one.abort();
      one.poll();
      assertThat(one.isSettled()).isFalse();
      assertThat(sessions.isCarried()).isTrue();
      machine.settled = true;
      assertThat(one.isSettled()).as("to ask changes nothing").isFalse();
      assertThat(sessions.isCarried()).isTrue();
      one.poll();
      assertThat(one.isSettled()).isTrue();
      assertThat(sessions.isCarried()).isFalse();
      one.close();
    }
  }

  @Test
  void abort_pendingStop_isNeverTold() {
    source.start(NOTHING);
    source.allowStop();
    source.abort();
    working.countDown();
    for (int i = 0; i < 3; i++) {
      source.poll();
    }
    assertThat(machine.told).containsExactly("start", "abort");
  }

  @Test
  void close_sessionsThatSomebodyElseCarries_areNotPutDown() {
    SessionsSource other = make();
    other.close();
    assertThat(sessions.isCarried()).isTrue();
    source.close();
    assertThat(sessions.isCarried()).isFalse();
  }

  @Test
  void progress_stepThatFailed_failsTheMachineUntilItIsSwitchedOverOrGivenUp() {
    way.refusal = "no way";
    source.start(NOTHING);
    assertThat(source.progress().state()).isEqualTo(State.COPYING);
    working.countDown();
    await().atMost(PATIENCE).until(() -> source.progress().state() == State.FAILED);
    assertThat(source.progress().failure()).contains("no way");
    source.allowStop();
    source.poll();
    assertThat(machine.told).as("they do not stand").containsExactly("start");
    machine.state = State.SWITCHING;
    assertThat(source.progress().state()).as("not ours any more").isEqualTo(State.SWITCHING);
    machine.state = State.COPYING;
    source.abort();
    assertThat(source.progress().state()).isEqualTo(State.COPYING);
  }

  @Test
  void progress_sessionsThatNeverStandTogether_failInTime() {
    source.start(NOTHING);
    source.allowStop();
    assertThat(source.progress().state()).isEqualTo(State.COPYING);
    nowNs.addAndGet(MINUTES_NS);
    assertThat(source.progress().failure()).contains("faster");
  }

  // ---- all sessions together ----

  @Test
  void leaving_thatStay_doNotHaltAndStayOnce() {
    working.countDown();
    try (LeavingSessions leaving =
        new LeavingSessions(
            kernel, sessions, way, SessionPlaces.NONE, Thread.ofPlatform().factory(), nowNs::get)) {
      leaving.stay();
      leaving.halt();
      nowNs.addAndGet(MINUTES_NS);
      assertThat(leaving.failure()).isEmpty();
      assertThat(leaving.isStanding()).isFalse();
      assertBug(leaving::stay);
    }
  }

  @Test
  void leaving_thatAreBroken_sayTheFirstReasonAndNeverStand() throws Exception {
    working.countDown();
    way.refusal = "no way";
    LeavingSessions leaving =
        new LeavingSessions(
            kernel, sessions, way, SessionPlaces.NONE, Thread.ofPlatform().factory(), nowNs::get);
    leaving.start(NOTHING);
    await().atMost(PATIENCE).until(() -> leaving.failure().isPresent());
    way.refusal = "another reason";
    leaving.start(NOTHING);
    leaving.look();
    leaving.halt();
    leaving.close();
    way.closed.await(); // the worker's last step
    assertThat(leaving.failure().orElseThrow()).contains("no way");
    assertThat(leaving.isStanding()).isFalse();
    leaving.stay();
    assertThat(leaving.failure()).isEmpty();
  }

  // ---- what is a bug ----

  @Test
  void steps_outOfTurn_areBugsAndReachNoMachine() {
    List<Runnable> early = new ArrayList<>();
    early.add(source::finish);
    early.add(source::switchOver);
    early.add(source::allowStop);
    early.add(source::forceStop);
    early.forEach(SessionsSourceTest::assertBug);
    assertThat(machine.told).isEmpty();
    source.start(NOTHING);
    assertBug(source::finish);
    assertBug(source::switchOver);
    standStill();
    assertBug(source::finish);
    assertBug(source::allowStop);
    assertBug(source::forceStop);
    source.switchOver();
    assertBug(source::switchOver);
    assertBug(source::holdStill);
    source.finish();
    int told = machine.told.size();
    assertBug(source::finish);
    assertBug(source::abort);
    assertBug(source::switchOver);
    assertThat(machine.told).hasSize(told);
  }

  @Test
  void abort_machineFails_mayBeAskedAgain() {
    source.start(NOTHING);
    machine.abortFails = true;
    assertThatThrownBy(source::abort).isInstanceOf(OutOfMemoryError.class);
    machine.abortFails = false;
    source.abort();
    assertThat(machine.told).containsExactly("start", "abort");
  }

  @Test
  void steps_afterGivingUp_areBugs() {
    source.start(NOTHING);
    source.abort();
    assertBug(source::abort);
    assertBug(source::allowStop);
    assertBug(source::forceStop);
    source.poll();
    assertBug(source::abort);
    assertThat(machine.told).containsExactly("start", "abort");
  }
}
