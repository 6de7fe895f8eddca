package io.sluice.testbed.machine.move.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.machine.move.MachineHost;
import io.sluice.testbed.machine.move.Moment;
import io.sluice.testbed.machine.move.machine.MachineRig.End;
import io.sluice.testbed.machine.move.machine.TlsBetween.Lie;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real machine moves over a link that damages what it carries, below the encryption and above it,
 * and to a destination that answers late. What is damaged is noticed, both sides say what was
 * wrong, and the machine's program goes on where it was; what is only late moves. After each the
 * program is asked whether all it submitted was executed exactly once. How long the machine stood
 * still is printed.
 */
final class MachineDamageTest {
  private static final long LATE_MS = 1500;

  private final Standstill.Table standstills = new Standstill.Table();
  @TempDir private Path directory;

  @AfterEach
  void print() {
    System.out.println(standstills);
  }

  private void stays(MachineRig rig, String what, long faultNs) throws Exception {
    assertThat(rig.found()).as("%s: %s", what, rig.source.view()).isEqualTo(End.STAYS);
    standstills.add(what, "", Standstill.of(rig.source, faultNs));
  }

  /** TLS notices: the connections are cut, and with them QEMU's own, which nobody can make anew. */
  private void damagedBelowTheEncryption(MachineRig rig, Moment moment) throws Exception {
    rig.prepare();
    rig.holdIn(moment, Map.of());
    long faultNs = System.nanoTime();
    rig.target.link().damage();
    rig.release();
    stays(rig, "a bit under TLS, " + moment, faultNs);
    assertThat(rig.source.view().reason()).as("%s", moment).contains("bad record mac");
  }

  private void damagedInside(MachineRig rig, TlsBetween between, Lie lie) throws Exception {
    rig.prepare();
    between.say(lie);
    long startNs = System.nanoTime();
    String to = rig.other.host().gateway() + ":" + between.port();
    rig.source.migrations().start(MachineHost.GUEST, to, Map.of());
    assertThat(rig.found()).as("%s: %s", lie, rig.source.view()).isEqualTo(End.STAYS);
    assertThat(rig.source.view().reason()).as("the source").contains(lie.reason());
    assertThat(rig.target.view().reason()).as("the destination").contains(lie.reason());
    stays(rig, lie.name(), startNs);
  }

  /** The destination's engine is late, or all of its daemon: nothing comes from its host. */
  private void late(MachineRig rig, Moment moment) throws Exception {
    rig.prepare();
    rig.holdIn(moment, Map.of("silence", "10s"));
    if (moment.atSource()) {
      rig.target.signal("STOP");
      rig.source.stop().release();
    }
    Thread.sleep(LATE_MS);
    if (moment.atSource()) {
      rig.target.signal("CONT");
    }
    rig.release();
    assertThat(rig.found()).as("late, %s: %s", moment, rig.source.view()).isEqualTo(End.MOVED);
  }

  @Test
  void move_streamDamaged_theMachineGoesOnWhereItWasAndMovesOverABetterOne() throws Exception {
    try (MachineRig rig = new MachineRig(directory)) {
      damagedBelowTheEncryption(rig, Moment.FINAL_COPY);
      rig.checkWorks();
      try (TlsBetween between = between(rig)) {
        damagedInside(rig, between, Lie.PAGE_OUTSIDE);
        rig.checkWorks();
        damagedInside(rig, between, Lie.OTHER_STATE);
      }
      late(rig, Moment.RESTORE);
    }
  }

  @Test
  @Tag("long")
  @Tag("migration-faults")
  void move_streamDamagedInEveryWay_nothingIsLeftBehind() throws Exception {
    try (MachineRig rig = new MachineRig(directory)) {
      for (Moment moment : List.of(Moment.PRE_COPY, Moment.DRAIN, Moment.FINAL_COPY)) {
        damagedBelowTheEncryption(rig, moment);
        rig.checkStays();
      }
      try (TlsBetween between = between(rig)) {
        for (Lie lie : Lie.values()) {
          damagedInside(rig, between, lie);
          rig.checkStays();
        }
      }
      for (Moment moment : List.of(Moment.TARGET_RESTORING, Moment.RESTORE)) {
        late(rig, moment);
        rig.checkMoved();
      }
    }
  }

  private static TlsBetween between(MachineRig rig) throws Exception {
    MachineHost other = rig.other;
    return new TlsBetween(
        other.host().seen(other.host().directory()),
        other.host().gateway(),
        rig.target.link().to());
  }
}
