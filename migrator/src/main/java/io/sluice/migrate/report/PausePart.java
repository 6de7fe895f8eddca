package io.sluice.migrate.report;

import io.sluice.migrate.engine.MigrationFigures;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.phase.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A part of the time in which the guest's GPU, its machine, or both stood still.
 *
 * <p>The GPU stands from when it has ended what was submitted until it goes on, here or at the
 * destination; the machine from when its processors stop until they go on. A machine that runs on
 * while its GPU has nothing to do any more makes the GPU's time the longer one.
 *
 * @param kind of what goes on meanwhile
 * @param fromNs since the start of the migration
 * @param lengthNs of it
 * @param gpu whether the GPU stood still
 * @param machine whether the machine did
 */
record PausePart(Kind kind, long fromNs, long lengthNs, boolean gpu, boolean machine) {
  /** The kinds of a part, by what goes on meanwhile. */
  enum Kind {
    /** The GPU is done, and the machine runs until its last pass. */
    CATCHING_UP("the machine comes to its stop"),
    /** The machine stands, and its GPU still works. */
    DRAINING("the GPU ends its work"),
    /** Both stand, before the last pass over video memory. */
    STOPPED("stopped, the drain is confirmed"),
    /** {@link Phase#FINAL_COPY}. */
    FINAL_COPY("final copy, and the state of the guest"),
    /** {@link Phase#SWITCH_OVER}. */
    SWITCH_OVER("switch-over, the last pass of memory"),
    /** {@link Phase#RESTORE}. */
    RESTORE("the destination builds the guest"),
    /** {@link Phase#COMMIT}. */
    COMMIT("the destination takes over"),
    /** {@link Phase#ABORTING}. */
    ABORTING("it is taken back");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** For people. */
    String label() {
      return label;
    }

    /** As the JSON calls it: {@code final-copy}. */
    String id() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Those of a migration, in the order of time; none before something stood still. */
  static List<PausePart> of(MigrationStatus status, List<MoveHistory.Span> spans) {
    List<PausePart> parts = new ArrayList<>();
    boolean stands = status.machine().stands();
    boolean taken = false;
    boolean stood = false;
    for (MoveHistory.Span span : spans) {
      taken |= span.phase() == Phase.DRAIN;
      if (span.phase() == Phase.FINAL_COPY) {
        stood = true;
        before(parts, status.figures().stop(), span.fromNs(), stands);
      }
      if (MoveHistory.isPause(span.phase()) && taken && span.pauseNs() > 0) {
        parts.add(
            new PausePart(
                kind(span.phase()), span.fromNs(), span.pauseNs(), true, stands && stood));
      }
    }
    return parts;
  }

  /** What stood still before the last pass over video memory began. */
  private static void before(
      List<PausePart> parts, MigrationFigures.StopFigures stop, long untilNs, boolean stands) {
    long gpuNs = stop.idleNs();
    long machineNs = stands ? stop.stoodNs() : 0;
    long bothNs = Math.min(gpuNs, machineNs);
    if (gpuNs > bothNs) {
      parts.add(new PausePart(Kind.CATCHING_UP, untilNs - gpuNs, gpuNs - bothNs, true, false));
    }
    if (machineNs > bothNs) {
      parts.add(new PausePart(Kind.DRAINING, untilNs - machineNs, machineNs - bothNs, false, true));
    }
    if (bothNs > 0) {
      parts.add(new PausePart(Kind.STOPPED, untilNs - bothNs, bothNs, true, true));
    }
  }

  private static Kind kind(Phase phase) {
    return switch (phase) {
      case FINAL_COPY -> Kind.FINAL_COPY;
      case SWITCH_OVER -> Kind.SWITCH_OVER;
      case RESTORE -> Kind.RESTORE;
      case COMMIT -> Kind.COMMIT;
      case ABORTING -> Kind.ABORTING;
      case PREPARE, PRE_COPY, DETACH, DRAIN, DONE, ABORTED ->
          throw new AssertionError("no pause, phase=" + phase);
    };
  }

  static long gpuNs(List<PausePart> parts) {
    return parts.stream().filter(PausePart::gpu).mapToLong(PausePart::lengthNs).sum();
  }

  static long machineNs(List<PausePart> parts) {
    return parts.stream().filter(PausePart::machine).mapToLong(PausePart::lengthNs).sum();
  }
}
