package io.sluice.testbed.machine.move.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Moment;
import io.sluice.testbed.machine.move.machine.MachineRig.End;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real machine is to move while the disk of one of the hosts is full, or fails. It is refused, or
 * given up, for a reason that says so; the machine's program goes on where it was, and is asked
 * whether all it submitted was executed exactly once; nothing is left on either disk. When there is
 * room again the machine moves, to that host. How long it stood still is printed.
 */
final class MachineDiskTest {
  private static final String NO_SPACE = "No space left on device";

  private final Standstill.Table standstills = new Standstill.Table();
  @TempDir private Path directory;

  @AfterEach
  void print() {
    System.out.println(standstills);
  }

  /** Names in a directory of a daemon's state. */
  private static List<String> notes(MachineHost of, String directory) throws IOException {
    Path state = of.host().seen(of.host().directory()).resolve("state").resolve(directory);
    if (!Files.isDirectory(state)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(state)) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  /** The last is removed when the monitors are let go. */
  private static void checkNothingNoted(MachineRig rig) {
    await().atMost(MachineHost.PATIENCE).until(() -> notes(rig.source, "departures").isEmpty());
    await().atMost(MachineHost.PATIENCE).until(() -> notes(rig.target, "migrations").isEmpty());
  }

  private void stays(MachineRig rig, String what, long faultNs, String reason) throws Exception {
    assertThat(rig.found()).as("%s: %s", what, rig.source.view()).isEqualTo(End.STAYS);
    assertThat(rig.source.view().reason()).as(what).contains(reason);
    standstills.add(what, "", Standstill.of(rig.source, faultNs));
    rig.source.host().mendDisk();
    rig.target.host().mendDisk();
  }

  private void start(MachineRig rig) throws OperationsException {
    rig.source.migrations().start(MachineHost.GUEST, rig.target.address(), Map.of());
  }

  /** Before anything is touched: nothing at the destination knows of it. */
  private void sourceIsFull(MachineRig rig) throws Exception {
    rig.source.host().fillDisk();
    assertThatThrownBy(() -> start(rig))
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-MIG-056")
        .hasMessageContaining("it cannot be written down where the guest goes")
        .hasMessageContaining(NO_SPACE);
    rig.checkWorks();
    rig.source.host().mendDisk();
    checkNothingNoted(rig);
  }

  /** Something happens to a disk. */
  private interface Fault {
    void strike() throws IOException, InterruptedException;
  }

  /**
   * A disk has its fault when a machine is at a moment of its move.
   *
   * @return when, in nanoseconds of {@link System#nanoTime}
   */
  private static long strikeAt(MachineRig rig, Moment moment, Fault fault) throws Exception {
    rig.holdIn(moment, Map.of());
    long faultNs = System.nanoTime();
    fault.strike();
    rig.release();
    return faultNs;
  }

  /** QEMU's stream leaves by a socket that cannot be made. */
  private void sourceHasNoRoomForASocket(MachineRig rig) throws Exception {
    long faultNs = strikeAt(rig, Moment.PREPARE, rig.source.host()::fillDisk);
    stays(rig, "no socket at the source", faultNs, NO_SPACE);
    checkNothingNoted(rig);
  }

  /** The fault is there before the move begins. */
  private void targetHasNoRoom(MachineRig rig, String what, Fault fault) throws Exception {
    rig.prepare();
    fault.strike();
    long startNs = System.nanoTime();
    start(rig);
    stays(rig, what, startNs, NO_SPACE);
    checkNothingNoted(rig);
  }

  private void targetHasNoRoomForARecord(MachineRig rig) throws Exception {
    targetHasNoRoom(rig, "no record at the destination", () -> rig.target.host().fillBytes());
  }

  private void targetHasNoRoomForASocket(MachineRig rig) throws Exception {
    targetHasNoRoom(rig, "no socket at the destination", () -> rig.target.host().fillDisk());
  }

  /** All is there, and was given away: the destination has the last word, and cannot write it. */
  private void targetFails(MachineRig rig) throws Exception {
    rig.prepare();
    long faultNs = strikeAt(rig, Moment.TARGET_COMMITTING, rig.target.host()::failDisk);
    stays(rig, "the destination's disk fails", faultNs, "Read-only file system");
  }

  /** What was written beforehand needs no more room. */
  private void targetIsFullWhenAllIsThere(MachineRig rig) throws Exception {
    rig.prepare();
    long _ = strikeAt(rig, Moment.TARGET_COMMITTING, rig.target.host()::fillDisk);
    assertThat(rig.found()).as("%s", rig.source.view()).isEqualTo(End.MOVED);
    rig.target.host().mendDisk();
  }

  @Test
  void move_diskIsFullOrFails_theMachineGoesOnWhereItWas() throws Exception {
    try (MachineRig rig = new MachineRig(directory)) {
      rig.prepare();
      sourceIsFull(rig);
      targetHasNoRoomForARecord(rig);
      rig.checkWorks();
      targetFails(rig);
      rig.checkWorks();
    }
  }

  @Test
  @Tag("long")
  @Tag("migration-faults")
  void move_diskIsFullInEveryWay_nothingIsLeftAndItMovesWhenThereIsRoom() throws Exception {
    try (MachineRig rig = new MachineRig(directory)) {
      rig.prepare();
      sourceIsFull(rig);
      sourceHasNoRoomForASocket(rig);
      rig.checkStays();
      targetHasNoRoomForARecord(rig);
      rig.checkStays();
      targetHasNoRoomForASocket(rig);
      rig.checkStays();
      targetFails(rig);
      rig.checkStays();
      targetIsFullWhenAllIsThere(rig);
      rig.checkMoved();
    }
  }
}
