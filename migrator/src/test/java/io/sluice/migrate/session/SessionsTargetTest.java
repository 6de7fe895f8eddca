package io.sluice.migrate.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.ImmutableSetMultimap;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.phase.Tables;
import io.sluice.migrate.session.SessionMessages.Answered;
import io.sluice.vdevice.session.MachineSessions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table of a machine that comes with its sessions, and what it is told when. */
final class SessionsTargetTest {
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();
  private static final ByteBuffer MACHINE = words("machine"); // says nothing of sessions
  private static final ByteBuffer PART = words("part");

  @TempDir private Path directory;
  private final Kernel kernel = RealKernel.create();
  private final MachineSessions sessions = SessionlessDevice.sessions(kernel, THREADS);
  private final Machine machine = new Machine();
  private final SessionsTarget target = make(Optional.of(sessions));

  @AfterEach
  void close() {
    target.close();
    sessions.close();
  }

  private SessionsTarget make(Optional<MachineSessions> device) {
    return new SessionsTarget(
        machine,
        () -> device,
        () -> new SocketWay(directory.resolve("sessions"), false),
        kernel,
        THREADS);
  }

  private static ByteBuffer words(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }

  private static String text(ByteBuffer words) {
    return US_ASCII.decode(words.duplicate()).toString();
  }

  /** Notes what it is told, and fails where the test says. */
  private static final class Machine implements TargetMachine {
    final List<String> told = new ArrayList<>();
    int failures;

    private void note(String what) {
      told.add(what);
      if (failures > 0) {
        failures--;
        throw new OutOfMemoryError("by the test");
      }
    }

    @Override
    public ByteBuffer prepare(ByteBuffer source) {
      note("prepare " + text(source));
      return words("ready");
    }

    @Override
    public MachineProgress progress() {
      return MachineProgress.of(State.COMPLETED);
    }

    @Override
    public boolean restore(List<ByteBuffer> device) {
      note("restore " + device.size());
      return true;
    }

    @Override
    public void resume() {
      note("resume");
    }

    @Override
    public void abort() {
      note("abort");
    }

    @Override
    public void setWaker(Runnable waker) {}

    @Override
    public void close() {}
  }

  @Test
  void stages_everyPair_areAsTheOracleSays() {
    ImmutableSetMultimap.Builder<String, String> oracle = ImmutableSetMultimap.builder();
    oracle.putAll("OPEN", "ALONE", "COMING").put("COMING", "KNOWN");
    oracle.put("ALONE", "GOING_ON").put("KNOWN", "GOING_ON");
    for (String undecided : List.of("OPEN", "ALONE", "COMING", "KNOWN")) {
      oracle.put(undecided, "GIVEN_UP");
    }
    Tables.requireEqual(ComingStage.class, oracle.build());
  }

  @Test
  void prepare_sourceWithSessionsWhereThereMayBeNone_isRefusedBeforeTheMachineIsTold() {
    SessionsTarget none = make(Optional.empty());
    assertThatThrownBy(() -> none.prepare(SessionMessages.description(1, MACHINE)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("sessions=1");
    none.abort();
    assertThat(machine.told).containsExactly("abort");
  }

  @Test
  void restore_sessionThatDidNotCome_isRefused() {
    target.prepare(SessionMessages.description(1, MACHINE));
    List<ByteBuffer> parts = List.of(PART, SessionMessages.handles(Set.of(7)));
    assertThatThrownBy(() -> target.restore(parts))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("did not come, sessions=1");
    target.abort();
    assertThat(machine.told).containsExactly("prepare machine", "abort");
  }

  @Test
  void restore_nothingOfSessions_isRefused() {
    target.prepare(SessionMessages.description(0, MACHINE));
    assertThatThrownBy(() -> target.restore(List.of())).isInstanceOf(RefusedException.class);
    assertThat(machine.told).containsExactly("prepare machine");
  }

  @Test
  void resume_machineFails_isAskedAgain() {
    Answered answered =
        SessionMessages.answered(target.prepare(SessionMessages.description(0, MACHINE)));
    assertThat(text(answered.address())).isEqualTo("here");
    assertThat(text(answered.machine())).isEqualTo("ready");
    List<ByteBuffer> parts = List.of(PART, SessionMessages.handles(Set.of()));
    assertThat(target.restore(parts)).isTrue();
    assertThat(target.restore(parts)).as("asked again").isTrue();
    machine.failures = 2;
    assertThatThrownBy(target::resume).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(target::resume).isInstanceOf(OutOfMemoryError.class);
    target.resume();
    assertThat(machine.told)
        .containsExactly("prepare machine", "restore 1", "restore 1", "resume", "resume", "resume");
  }

  @Test
  void all_sourceThatKnowsNothingOfSessions_machineIsToldAsItCame() {
    assertThat(text(target.prepare(MACHINE.duplicate()))).isEqualTo("ready");
    target.restore(List.of(PART));
    target.resume();
    assertThat(machine.told).containsExactly("prepare machine", "restore 1", "resume");
  }

  @Test
  void steps_inNoOrder_areBugs() {
    assertBug(target::resume);
    target.prepare(SessionMessages.description(0, MACHINE));
    assertBug(target::resume);
    target.restore(List.of(SessionMessages.handles(Set.of())));
    target.resume();
    assertBug(target::abort);
    assertThat(machine.told).containsExactly("prepare machine", "restore 0", "resume");
  }

  private static void assertBug(Runnable step) {
    assertThatThrownBy(step::run).isInstanceOf(AssertionError.class);
  }
}
