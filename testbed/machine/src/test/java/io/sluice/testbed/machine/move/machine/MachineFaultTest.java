package io.sluice.testbed.machine.move.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.sluice.testbed.checks.TakesLong;
import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Moment;
import io.sluice.testbed.machine.move.machine.MachineRig.End;
import io.sluice.testbed.machine.support.Processes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real machine moves between two hosts, and in each phase of that one of the five that take part
 * is killed or stalled, the link damages what it carries, or the operator gives up. After each the
 * machine goes on on exactly one side, or is said to be dead; the other side has nothing of it; all
 * that its program submitted was executed exactly once.
 */
@Tag("long")
@Tag("migration-faults")
@TakesLong("each moves a machine once for each moment of a fault")
final class MachineFaultTest {
  /** Longer than daemons wait for each other, and for QEMU. */
  private static final long STALL_MS = 12_000;

  /** How often each phase meets each fault. */
  private static final int ROUNDS = Integer.getInteger("sluice.rounds", 1);

  /** Names of the phases that are met, separated by commas; empty for all. */
  private static final String MOMENTS = System.getProperty("sluice.moments", "");

  private static final Map<String, String> OPTIONS = Map.of("timeout", "60s");

  /** The phase in which the destination decides. */
  private static final String GIVEN_AWAY = "commit";

  private static final Standstill.Table STANDSTILLS = new Standstill.Table();

  @TempDir private Path directory;

  private @Nullable Met met;

  /** A fault, and when it was. */
  private record Met(String fault, Moment moment, long atNs) {}

  /** How long the machines stood still that stayed. */
  @AfterAll
  static void print() {
    System.out.println(STANDSTILLS);
  }

  @TestFactory
  Stream<DynamicTest> destinationDaemonKilled() throws Exception {
    return cells(
        "destinationDaemonKilled",
        (rig, moment) -> {
          rig.target.killDaemon();
          rig.forget(rig.target);
          rig.release();
          if (!moment.isBeforeCommit()) {
            // Its QEMU is of no use without it, and its record decides once it is back.
            rig.target.ensure();
          }
          settle(rig, moment.isAfterRecord() ? EnumSet.of(End.DEAD) : EnumSet.of(End.STAYS));
        });
  }

  @TestFactory
  Stream<DynamicTest> sourceDaemonKilled() throws Exception {
    return cells(
        "sourceDaemonKilled",
        (rig, moment) -> {
          rig.source.killDaemon();
          rig.forget(rig.source);
          rig.release();
          settle(
              rig,
              switch (moment) {
                case TARGET_COMMITTING, TARGET_RUNNING, DONE -> EnumSet.of(End.MOVED);
                case TARGET_READY -> EnumSet.of(End.MOVED, End.DEAD);
                default -> EnumSet.of(End.DEAD);
              },
              true);
        });
  }

  @TestFactory
  Stream<DynamicTest> sourceMachineKilled() throws Exception {
    return cells(
        "sourceMachineKilled",
        (rig, moment) -> {
          rig.source.machine().kill();
          rig.release();
          settle(
              rig,
              moment.compareTo(Moment.SWITCH_OVER) <= 0
                  ? EnumSet.of(End.DEAD)
                  : EnumSet.of(End.DEAD, End.MOVED));
        });
  }

  @TestFactory
  Stream<DynamicTest> destinationMachineKilled() throws Exception {
    return cells(
        "destinationMachineKilled",
        (rig, moment) -> {
          rig.target.machine().kill();
          rig.release();
          settle(
              rig,
              moment.isBeforeCommit() ? EnumSet.of(End.STAYS) : EnumSet.of(End.STAYS, End.DEAD));
        });
  }

  @TestFactory
  Stream<DynamicTest> linkCut() throws Exception {
    return cells(
        "linkCut",
        (rig, moment) -> {
          rig.target.link().cut();
          rig.release();
          settle(rig, stayed(moment));
        });
  }

  /** A bit of what is sent under TLS: whoever reads it takes the connection for cut. */
  @TestFactory
  Stream<DynamicTest> linkDamaged() throws Exception {
    return cells(
        "linkDamaged",
        (rig, moment) -> {
          rig.target.link().damage();
          rig.release();
          settle(rig, stayed(moment));
        });
  }

  @TestFactory
  Stream<DynamicTest> linkDown() throws Exception {
    return cells(
        "linkDown",
        (rig, moment) -> {
          Set<End> expected;
          rig.target.host().setLink(false);
          try {
            if (moment.atSource()) {
              rig.source.stop().release();
            }
            expected = awaitStall(rig, moment);
          } finally {
            rig.target.host().setLink(true);
          }
          rig.release();
          settle(rig, expected);
        });
  }

  @TestFactory
  Stream<DynamicTest> destinationDaemonStopped() throws Exception {
    return cells(
        "destinationDaemonStopped",
        (rig, moment) -> {
          Set<End> expected;
          long pid = rig.target.daemon().pid();
          Processes.signal(pid, "STOP");
          try {
            if (moment.atSource()) {
              rig.source.stop().release();
            }
            expected = awaitStall(rig, moment);
          } finally {
            Processes.signal(pid, "CONT");
          }
          rig.release();
          settle(rig, expected);
        });
  }

  @TestFactory
  Stream<DynamicTest> sourceDaemonStopped() throws Exception {
    return cells(
        "sourceDaemonStopped",
        (rig, moment) -> {
          long pid = rig.source.daemon().pid();
          Processes.signal(pid, "STOP");
          try {
            if (!moment.atSource()) {
              rig.target.stop().release();
            }
            Thread.sleep(STALL_MS);
          } finally {
            Processes.signal(pid, "CONT");
          }
          rig.release();
          settle(rig, stayed(moment));
        });
  }

  @TestFactory
  Stream<DynamicTest> sourceMachineStopped() throws Exception {
    return cells(
        "sourceMachineStopped",
        (rig, moment) -> {
          stall(rig, rig.source.machine().pid());
          settle(rig, EnumSet.of(End.STAYS, End.MOVED));
        });
  }

  @TestFactory
  Stream<DynamicTest> destinationMachineStopped() throws Exception {
    return cells(
        "destinationMachineStopped",
        (rig, moment) -> {
          stall(rig, rig.target.machine().pid());
          settle(rig, EnumSet.of(End.STAYS, End.MOVED));
        });
  }

  @TestFactory
  Stream<DynamicTest> cancelled() throws Exception {
    return cells(
        "cancelled",
        (rig, moment) -> {
          boolean early = moment.isBeforeCommit();
          if (early) {
            rig.source.migrations().abort(MachineHost.GUEST);
          } else if (moment != Moment.TARGET_READY) {
            assertThatThrownBy(() -> rig.source.migrations().abort(MachineHost.GUEST))
                .isInstanceOf(OperationsException.class);
          }
          rig.release();
          settle(rig, early ? EnumSet.of(End.STAYS) : EnumSet.of(End.MOVED));
          if (early) {
            MachineHost first = rig.target;
            rig.target = rig.other;
            rig.other = first;
            rig.prepare();
            rig.source.migrations().start(MachineHost.GUEST, rig.target.address(), Map.of());
            settle(rig, EnumSet.of(End.MOVED));
          }
        });
  }

  /** Does something to a migration that is held, and looks what comes of it. */
  @FunctionalInterface
  private interface Cell {
    void run(MachineRig rig, Moment moment) throws Exception;
  }

  private Stream<DynamicTest> cells(String fault, Cell cell) throws Exception {
    MachineRig rig = new MachineRig(Files.createTempDirectory(directory, "rig"));
    return IntStream.range(0, ROUNDS)
        .boxed()
        .flatMap(_ -> Stream.of(Moment.values()))
        .filter(moment -> MOMENTS.isEmpty() || List.of(MOMENTS.split(",")).contains(moment.name()))
        .map(moment ->
            dynamicTest(
                moment.name(),
                () -> {
                  try {
                    rig.prepare();
                    rig.holdIn(moment, OPTIONS);
                    met = new Met(fault, moment, System.nanoTime());
                    cell.run(rig, moment);
                  } catch (Exception | AssertionError e) {
                    rig.release();
                    rig.drop();
                    throw e;
                  }
                }))
        .onClose(() -> close(rig));
  }

  private static void close(MachineRig rig) {
    try {
      rig.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /**
   * With the link or the other daemon away the machine goes on, or waits for their word: also when
   * they were quicker, and their last word came before they were gone.
   *
   * @return where it may be when they are back
   */
  private static Set<End> awaitStall(MachineRig rig, Moment moment) throws InterruptedException {
    if (moment.isBeforeCommit()) {
      await()
          .atMost(MachineHost.PATIENCE)
          .until(() -> rig.source.view().over() || rig.source.view().phase().equals(GIVEN_AWAY));
      if (rig.source.view().over()) {
        return EnumSet.of(End.STAYS);
      }
    }
    Thread.sleep(STALL_MS);
    return stayed(moment);
  }

  private static void stall(MachineRig rig, long pid) throws Exception {
    Processes.signal(pid, "STOP");
    try {
      rig.release();
      Thread.sleep(STALL_MS);
    } finally {
      if (ProcessHandle.of(pid).isPresent()) {
        Processes.signal(pid, "CONT");
      }
    }
  }

  /** Which side it may be on after a link that was cut: links are made anew. */
  private static Set<End> stayed(Moment moment) {
    return switch (moment) {
      case TARGET_COMMITTING, TARGET_RUNNING, DONE -> EnumSet.of(End.MOVED);
      default -> EnumSet.of(End.STAYS, End.MOVED);
    };
  }

  private void settle(MachineRig rig, Set<End> expected) throws Exception {
    settle(rig, expected, false);
  }

  /**
   * @param back whether the source's daemon was killed, and is to see to its machine when it is
   *     back: that goes on without its device, or is ended when it runs at the destination
   */
  private void settle(MachineRig rig, Set<End> expected, boolean back) throws Exception {
    End found = rig.found();
    String why = rig.source.isAlive() ? rig.source.view().reason() : "";
    boolean alive = (found == End.MOVED ? rig.target : rig.source).machine().isAlive();
    if (found == End.STAYS && !alive
        || found == End.MOVED && !(alive && rig.target.isAlive())
        || found == End.MOVED && expected.equals(EnumSet.of(End.DEAD))) {
      found = End.DEAD;
    }
    assertThat(expected).as(why).contains(found);
    if (back && found == End.DEAD) {
      rig.checkGoesOnWithoutDevice();
    } else if (back) {
      rig.checkEndsAtSource();
    }
    switch (found) {
      case STAYS -> {
        Met last = Objects.requireNonNull(met);
        STANDSTILLS.add(last.fault(), last.moment().name(), Standstill.of(rig.source, last.atNs()));
        rig.checkStays();
      }
      case MOVED -> rig.checkMoved();
      case DEAD -> rig.checkDead();
    }
  }
}
