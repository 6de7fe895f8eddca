package io.sluice.testbed.machine.move.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.move.Moment;
import io.sluice.testbed.machine.support.Daemons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process never stops submitting while it moves between daemons, and in each phase of that either
 * daemon is killed or stopped, or the operator gives up. After each the process goes on with
 * exactly one of them, or has been told that its device is gone; nothing of it is left with the
 * other, and neither holds more descriptors and mappings than after its first migration.
 */
@TakesLong("each moves a process once for each moment of a fault")
final class ProcessFaultTest {
  private static final String GUEST = ProcessSide.GUEST;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Longer than daemons wait for each other. */
  private static final long STALL_MS = 12_000;

  private static final int MORE = 200;

  /** The source decides, the destination has its word, the destination has a record. */
  private static final Set<Moment> TELLING =
      EnumSet.of(Moment.FINAL_COPY, Moment.TARGET_COMMITTING, Moment.TARGET_RUNNING);

  private static final Set<Moment> OTHERS = EnumSet.complementOf(EnumSet.copyOf(TELLING));

  private final Kernel kernel = RealKernel.create();
  @TempDir private Path directory;

  /** What became of the guest. */
  private enum End {
    STAYS,
    MOVED,
    /** It was the killed daemon's: the program has been told. */
    LOST,
    /** Either is right, as long as it is one. */
    MOVED_OR_LOST,
    STAYS_OR_MOVED
  }

  @TestFactory
  Stream<DynamicTest> destinationKilled() {
    return cells(TELLING, rig -> rig::killTarget);
  }

  @Tag("long")
  @Tag("migration-faults")
  @TestFactory
  Stream<DynamicTest> destinationKilledAtOtherMoments() {
    return cells(OTHERS, rig -> rig::killTarget);
  }

  @TestFactory
  Stream<DynamicTest> sourceKilled() {
    return cells(TELLING, rig -> rig::killSource);
  }

  @Tag("long")
  @Tag("migration-faults")
  @TestFactory
  Stream<DynamicTest> sourceKilledAtOtherMoments() {
    return cells(OTHERS, rig -> rig::killSource);
  }

  @TestFactory
  Stream<DynamicTest> cancelled() {
    return cells(TELLING, rig -> rig::cancel);
  }

  @Tag("long")
  @Tag("migration-faults")
  @TestFactory
  Stream<DynamicTest> cancelledAtOtherMoments() {
    return cells(OTHERS, rig -> rig::cancel);
  }

  @Tag("long")
  @Tag("migration-faults")
  @TestFactory
  Stream<DynamicTest> destinationStopped() {
    return cells(EnumSet.allOf(Moment.class), rig -> rig::stallTarget);
  }

  @Tag("long")
  @Tag("migration-faults")
  @TestFactory
  Stream<DynamicTest> sourceStopped() {
    return cells(EnumSet.allOf(Moment.class), rig -> rig::stallSource);
  }

  /** Does something to a migration that is held. */
  @FunctionalInterface
  private interface Fault {
    void inject(Moment moment) throws Exception;
  }

  @FunctionalInterface
  private interface Choice {
    Fault of(Rig rig);
  }

  private Stream<DynamicTest> cells(Set<Moment> moments, Choice fault) {
    Rig rig = new Rig();
    return moments.stream()
        .map(moment -> dynamicTest(moment.name(), () -> rig.run(moment, fault.of(rig))))
        .onClose(rig::close);
  }

  /** Daemons and a program, which serve one cell after the other as long as they live. */
  private final class Rig {
    private ProcessSide source = side("a");
    private ProcessSide target = side("b");
    private ProcessSide other = side("c");
    private @Nullable ProcessWork work;

    private ProcessSide side(String name) {
      try {
        return new ProcessSide(Files.createDirectories(directory.resolve(name)));
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    void run(Moment moment, Fault fault) throws Exception {
      source.ensure();
      target.ensure();
      if (work == null) {
        work = new ProcessWork(kernel, source.daemon().socket(GUEST));
      }
      assertThat(work().goesOn(MORE, PATIENCE)).as("%s", work().failure()).isTrue();
      Daemons.awaitGone(target.daemon(), GUEST);
      ProcessSide held = moment.atSource() ? source : target;
      held.stop().arm(moment.phase());
      source.migrations().start(GUEST, target.address(), Map.of());
      assertThat(held.stop().await(PATIENCE)).as("%s is never entered", moment).isTrue();
      fault.inject(moment);
    }

    private ProcessWork work() {
      ProcessWork running = work;
      if (running == null) {
        throw new IllegalStateException("no program");
      }
      return running;
    }

    void killTarget(Moment moment) throws Exception {
      target.killDaemon();
      if (moment.atSource()) {
        source.stop().release();
      }
      if (!moment.isBeforeCommit()) {
        // Its record, or that there is none, decides: it is started anew, and asked.
        target.ensure();
      }
      await().atMost(PATIENCE).until(() -> source.view().over());
      check(moment.isAfterRecord() ? End.LOST : End.STAYS);
    }

    void killSource(Moment moment) throws Exception {
      source.killDaemon();
      if (!moment.atSource()) {
        target.stop().release();
      }
      check(
          switch (moment) {
            case TARGET_COMMITTING, TARGET_RUNNING, DONE -> End.MOVED;
            case TARGET_READY -> End.MOVED_OR_LOST;
            default -> End.LOST;
          });
    }

    void cancel(Moment moment) throws Exception {
      boolean early = moment.isBeforeCommit();
      if (early) {
        source.migrations().abort(GUEST);
      } else if (moment != Moment.TARGET_READY) {
        assertThatThrownBy(() -> source.migrations().abort(GUEST))
            .isInstanceOf(OperationsException.class);
      }
      (moment.atSource() ? source : target).stop().release();
      await().atMost(PATIENCE).until(() -> source.view().over());
      check(early ? End.STAYS : End.MOVED);
      if (early) {
        moveToAnother();
      }
    }

    private void moveToAnother() throws Exception {
      other.ensure();
      source.migrations().start(GUEST, other.address(), Map.of());
      await().atMost(PATIENCE).until(() -> source.view().over());
      assertThat(source.view().phase()).as(source.view().reason()).isEqualTo("done");
      assertThat(work().goesOn(MORE, PATIENCE)).as("%s", work().failure()).isTrue();
      ProcessSide left = source;
      source = other;
      other = left;
      left.checkLeft();
      source.checkServing();
    }

    void stallTarget(Moment moment) throws Exception {
      target.signal("STOP");
      try {
        if (moment.atSource()) {
          source.stop().release();
        }
        if (moment.isBeforeCommit()) {
          // It goes on while the destination still stands.
          await().atMost(PATIENCE).until(() -> source.view().over());
          assertThat(work().goesOn(MORE, PATIENCE)).as("%s", work().failure()).isTrue();
        } else {
          Thread.sleep(STALL_MS);
        }
      } finally {
        target.signal("CONT");
      }
      target.stop().release();
      await().atMost(PATIENCE).until(() -> source.view().over());
      check(stalled(moment));
    }

    void stallSource(Moment moment) throws Exception {
      source.signal("STOP");
      try {
        if (!moment.atSource()) {
          target.stop().release();
        }
        Thread.sleep(STALL_MS);
      } finally {
        source.signal("CONT");
      }
      source.stop().release();
      await().atMost(PATIENCE).until(() -> source.view().over());
      check(stalled(moment));
    }

    private End stalled(Moment moment) {
      return switch (moment) {
        case TARGET_COMMITTING, TARGET_RUNNING, DONE -> End.MOVED;
        case TARGET_READY, COMMIT -> End.STAYS_OR_MOVED;
        default -> End.STAYS;
      };
    }

    /** The program goes on with one side, or has been told; the other side holds nothing of it. */
    private void check(End expected) throws Exception {
      boolean goesOn = work().goesOn(MORE, Duration.ofSeconds(expected == End.LOST ? 1 : 60));
      if (work().failure().isPresent()) {
        throw new AssertionError(work().failure().get());
      }
      // The side that discards may still be at it; that only one executes is shown by the work.
      await().atMost(PATIENCE).until(() -> !(isServing(source) && isServing(target)));
      boolean here = isServing(source);
      boolean there = isServing(target);
      switch (expected) {
        case STAYS -> assertThat(here).as(reason()).isTrue();
        case MOVED -> assertThat(there).as(reason()).isTrue();
        case LOST -> assertThat(here || there).as(reason()).isFalse();
        case MOVED_OR_LOST -> assertThat(here).as(reason()).isFalse();
        case STAYS_OR_MOVED -> assertThat(here || there).as(reason()).isTrue();
      }
      assertThat(goesOn).isEqualTo(here || there);
      assertThat(work().isServed()).isEqualTo(here || there);
      if (!goesOn) {
        ProcessWork lost = work();
        work = null;
        lost.endLost();
      }
      tidy(here, there);
    }

    private String reason() {
      return source.isAlive() ? source.view().phase() + ": " + source.view().reason() : "killed";
    }

    private boolean isServing(ProcessSide side) {
      return side.isAlive() && side.daemon().connection().guest(GUEST).getState().equals("running");
    }

    private void tidy(boolean here, boolean there) throws Exception {
      checkHoldings(source, here);
      checkHoldings(target, there);
      if (there) {
        ProcessSide left = source;
        source = target;
        target = left;
      }
    }

    private static void checkHoldings(ProcessSide side, boolean serves) throws Exception {
      if (serves) {
        side.checkServing();
      } else if (side.isAlive()) {
        side.checkLeft();
      }
    }

    void close() {
      try {
        try (ProcessSide _ = other;
            ProcessSide _ = target;
            ProcessSide _ = source;
            ProcessWork running = work) {
          if (running != null) {
            running.end(PATIENCE);
          }
        }
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
