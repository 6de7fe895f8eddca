package io.sluice.daemon.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.FieldWriter;
import io.sluice.channel.state.ChannelState;
import io.sluice.management.MigrationStatusView;
import io.sluice.migrate.engine.Inquiry.Verdict;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.PeerSilence;
import io.sluice.migrate.machine.PausedMachine;
import io.sluice.migrate.phase.Phase;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A guest that is being moved away when something fails that nobody foresaw. */
final class OutgoingMigrationTest {
  private static final String CODE = "SLU-MIG-029";
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final Set<String> WAITING = Set.of(Phase.COMMIT.label(), LeftMachines.UNDECIDED);

  private final MovedGuest moved = new MovedGuest();
  private final PeerScript link = new PeerScript();
  private final Machine machine = new Machine();
  private final List<String> told = new CopyOnWriteArrayList<>();
  private final AtomicLong skippedNs = new AtomicLong();
  private Step failing = Step.SAVE;
  private Phase phaseThatFails = Phase.DONE;
  private Consumer<String> whenTold = _ -> {};
  private OutgoingMigration.Reconnect reconnect = () -> null;
  private @Nullable OutgoingMigration running;

  @AfterEach
  void close() {
    moved.close();
  }

  /** The steps of a machine that can fail, and of those who are told. */
  private enum Step {
    START,
    POLL,
    SAVE,
    OBSERVER
  }

  /** A machine whose memory is somebody else's concern; nothing of the guest's is copied. */
  private final class Machine extends PausedMachine {
    private int undoFails;
    private boolean begun;
    private Optional<ChannelState> whenItFailed = Optional.empty();
    private final List<String> undone = new ArrayList<>();

    @Override
    public boolean handsMemoryOver() {
      return true;
    }

    @Override
    public void poll() {
      moved.runGpu();
      if (failing == Step.POLL && begun) {
        throw new IllegalStateException("by the test");
      }
    }

    @Override
    public void start(ByteBuffer target) {
      super.start(target);
      begun = true;
      failIf(Step.START);
    }

    @Override
    public List<ByteBuffer> save() {
      failIf(Step.SAVE);
      return List.of();
    }

    private void failIf(Step step) {
      if (failing == step) {
        whenItFailed = Optional.of(moved.channel());
        throw new InternalError("by the test");
      }
    }

    @Override
    protected void goOn(boolean stood) {
      failing = Step.OBSERVER;
      if (undoFails > 0) {
        undoFails--;
        throw new InternalError("by the test, too");
      }
      undone.add("goes on, stood=" + stood);
    }

    @Override
    public void close() {
      undone.add("closed");
    }
  }

  private OutgoingMigration run() {
    OutgoingMigration migration = migration(reconnect);
    running = migration;
    migration.run();
    return migration;
  }

  private OutgoingMigration migration(OutgoingMigration.Reconnect reconnect) {
    return new OutgoingMigration(
        moved.guest,
        moved.parts(moved.map(), machine, link),
        MigrationSettings.DEFAULT,
        this::nowNs,
        new Random(1),
        reconnect,
        change -> {
          told.add(change.phase());
          whenTold.accept(change.phase());
          if (change.phase().equals(phaseThatFails.label())) {
            throw new InternalError("by the test");
          }
        });
  }

  /** Time passes quickly while nobody says whose the guest is. */
  private long nowNs() {
    boolean waits = !told.isEmpty() && WAITING.contains(told.getLast());
    return System.nanoTime()
        + (waits ? skippedNs.addAndGet(PeerSilence.MOST_OF_A_LOOK_NS) : skippedNs.get());
  }

  private void goesOnHere(OutgoingMigration migration) {
    assertThat(migration.isOver()).isTrue();
    assertThat(migration.source().phase()).isEqualTo(Phase.ABORTED);
    assertThat(moved.channel()).isEqualTo(ChannelState.RUNNING);
    assertThat(machine.undone).hasSize(2).last().isEqualTo("closed");
    assertThat(link.told).contains(FrameType.ABORT);
    assertThat(link.failure()).isPresent();
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"START", "POLL", "SAVE"})
  void run_stepFailsAsNobodyForesaw_theGuestGoesOnHere(Step step) {
    failing = step;
    OutgoingMigration migration = run();
    goesOnHere(migration);
    MigrationStatusView view = migration.view();
    assertThat(view.reason()).contains("nobody foresaw", "by the test");
    assertThat(migration.report().text()).contains("was not moved", "given up [" + CODE + "]");
  }

  /** The machine stands, and the GPU reads none of the guest's control pages. */
  @Test
  void run_errorInTheFinalCopy_machineAndChannelsHadStoodAndGoOn() {
    OutgoingMigration migration = run();
    assertThat(machine.whenItFailed).isPresent().get().isNotEqualTo(ChannelState.RUNNING);
    assertThat(machine.undone).containsExactly("goes on, stood=true", "closed");
    goesOnHere(migration);
  }

  @Test
  void run_undoFailsForAWhile_isTriedUntilTheMachineGoesOn() {
    machine.undoFails = 3;
    goesOnHere(run());
    assertThat(machine.undone).containsExactly("goes on, stood=true", "closed");
  }

  @Test
  void run_undoFailsForGood_theRestIsUndoneAndTheOperatorIsTold() {
    machine.undoFails = Integer.MAX_VALUE;
    OutgoingMigration migration = run();
    assertThat(migration.source().phase()).isEqualTo(Phase.ABORTED);
    assertThat(moved.channel()).isEqualTo(ChannelState.RUNNING);
    assertThat(machine.undone).containsExactly("closed");
    assertThat(migration.view().reason()).contains("MACHINE", "by the test, too");
  }

  @ParameterizedTest
  @EnumSource(
      value = Phase.class,
      names = {"PRE_COPY", "DRAIN", "FINAL_COPY", "SWITCH_OVER", "ABORTING", "ABORTED"})
  void run_whoIsToldOfAPhaseFails_theGuestGoesOnHere(Phase phase) {
    failing = phase == Phase.SWITCH_OVER ? Step.OBSERVER : Step.SAVE;
    phaseThatFails = phase;
    goesOnHere(run());
    assertThat(told).contains(phase.label());
  }

  /** A destination that answers, but cannot read what it has written down, say. */
  @Test
  @Timeout(120)
  void run_whoIsAskedFailsEachTime_isUndecidedUntilTheOperatorSays() {
    failing = Step.OBSERVER;
    byte[] why = new FieldWriter().text("SLU-MIG-900").text("by the test").text("").toBytes();
    reconnect =
        () -> {
          PeerScript asked = new PeerScript();
          asked.says(Frame.of(FrameType.ABORT, ByteBuffer.wrap(why)));
          return asked;
        };
    whenTold =
        phase -> {
          if (phase.equals(Phase.SWITCH_OVER.label())) {
            link.says(Frame.of(FrameType.READY));
          } else if (phase.equals(Phase.COMMIT.label())) {
            link.close();
          } else if (phase.equals(LeftMachines.UNDECIDED)) {
            Objects.requireNonNull(running).resolve(Verdict.SOURCE);
          }
        };
    OutgoingMigration migration = run();
    assertThat(told).containsSubsequence("commit", LeftMachines.UNDECIDED, "aborting", "aborted");
    assertThat(migration.view().reason()).contains("the operator says");
  }

  /** Its network threads live on: the link does not end by itself. */
  @Test
  void run_destinationHangsInCommit_isAskedAnewAndTheOperatorCanSay() {
    failing = Step.OBSERVER;
    link.builds = true;
    List<PeerScript> questions = new CopyOnWriteArrayList<>();
    OutgoingMigration migration =
        migration(() -> {
          PeerScript question = new PeerScript();
          questions.add(question);
          return question;
        });
    Thread _ = Thread.ofPlatform().daemon().start(migration);
    await().atMost(PATIENCE).until(() -> migration.view().undecided());
    assertThat(link.failure()).isPresent();
    assertThat(migration.isUndecided()).isTrue();
    migration.resolve(Verdict.SOURCE);
    migration.awaitOver(PATIENCE);
    assertThat(migration.source().phase()).isEqualTo(Phase.ABORTED);
    assertThat(moved.channel()).isEqualTo(ChannelState.RUNNING);
    assertThat(questions).as("it may take its time to answer").hasSize(1);
    assertThat(questions.getFirst().told).contains(FrameType.INQUIRE);
  }
}
