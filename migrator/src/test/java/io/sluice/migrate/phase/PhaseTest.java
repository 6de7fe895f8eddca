package io.sluice.migrate.phase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Both tables against an oracle of their own, and together against the promise of one owner. */
final class PhaseTest {
  /** Written apart from the table: the way of a migration, and that it can be given up. */
  private static final List<String> WAY =
      List.of(
          "PREPARE",
          "PRE_COPY",
          "DETACH",
          "DRAIN",
          "FINAL_COPY",
          "SWITCH_OVER",
          "RESTORE",
          "COMMIT",
          "DONE");

  private static boolean oracle(Phase from, Phase to) {
    int at = WAY.indexOf(from.name());
    if (at < 0) {
      return from == Phase.ABORTING && to == Phase.ABORTED;
    }
    return to == Phase.ABORTING
        ? at < WAY.size() - 1
        : at + 1 < WAY.size() && WAY.get(at + 1).equals(to.name());
  }

  @Test
  void table_everyPair_isAsTheOracleSays() {
    for (Phase from : Phase.values()) {
      for (Phase to : Phase.values()) {
        assertThat(from.canBecome(to)).as("%s to %s", from, to).isEqualTo(oracle(from, to));
      }
    }
  }

  @Test
  void targetTable_everyPair_isAsTheOracleSays() {
    List<String> way =
        List.of("WAITING", "RECEIVING", "RESTORING", "READY", "COMMITTING", "RUNNING");
    for (TargetPhase from : TargetPhase.values()) {
      int at = way.indexOf(from.name());
      for (TargetPhase to : TargetPhase.values()) {
        boolean expected =
            to == TargetPhase.DISCARDED
                ? at >= 0 && at <= way.indexOf("COMMITTING")
                : at >= 0 && at + 1 < way.size() && way.get(at + 1).equals(to.name());
        assertThat(from.canBecome(to)).as("%s to %s", from, to).isEqualTo(expected);
      }
    }
  }

  @Test
  void undo_everyPhaseThatCanBeLeft_takesBackAllThatWasDoneBefore() {
    Set<Phase.Undo> done = new HashSet<>();
    for (String name : WAY) {
      Phase phase = Phase.valueOf(name);
      if (phase == Phase.COMMIT) {
        // The destination is asked, not told.
        assertThat(phase.undo()).containsExactly(Phase.Undo.MACHINE, Phase.Undo.ATTACH);
        break;
      }
      assertThat(phase.undo()).as(name).containsAll(done);
      done.addAll(phase.undo());
    }
    assertThat(done).containsExactlyInAnyOrder(Phase.Undo.values());
  }

  @Test
  void transition_notInTheTable_isABug() {
    PhaseLog<Phase> log = new PhaseLog<>("g", Phase.PREPARE, 0, Phase::canBecome, (_, _) -> {});
    assertThatThrownBy(() -> log.transition(Phase.COMMIT, 1, ""))
        .isInstanceOf(AssertionError.class);
    log.transition(Phase.PRE_COPY, 2, "accepted");
    assertThat(log.entries()).hasSize(2);
    assertThat(log.phase()).isEqualTo(Phase.PRE_COPY);
  }

  // ---- both sides together ----

  /** What is on its way, oldest first, or was lost with the link. */
  private record World(
      Phase source,
      TargetPhase target,
      List<String> toTarget,
      List<String> toSource,
      boolean cut) {}

  /**
   * Every state both sides can reach with a link that delivers, loses the rest, and is made again
   * for an inquiry: at no point do both run the guest, and from every point somebody can run it.
   */
  @Test
  void bothSides_everyReachableState_haveAtMostOneOwner() {
    Set<World> seen = new HashSet<>();
    Deque<World> next = new ArrayDeque<>();
    next.add(new World(Phase.PREPARE, TargetPhase.WAITING, List.of(), List.of(), false));
    while (!next.isEmpty()) {
      World world = next.remove();
      if (seen.add(world)) {
        boolean sourceMayRun = world.source().owner() == Owner.SOURCE;
        boolean targetRuns = world.target().owner() == Owner.DESTINATION;
        assertThat(sourceMayRun && targetRuns).as("%s", world).isFalse();
        next.addAll(followers(world));
      }
    }
    assertThat(seen).anyMatch(w -> w.source() == Phase.DONE && w.target() == TargetPhase.RUNNING);
    assertThat(seen)
        .filteredOn(w -> followers(w).isEmpty())
        .isNotEmpty()
        .allMatch(w -> w.source() == Phase.ABORTED ^ w.target() == TargetPhase.RUNNING);
  }

  private static List<World> followers(World w) {
    List<World> all = new ArrayList<>();
    // The source goes on by itself, but not past what needs the destination's word.
    for (Phase phase : w.source().next()) {
      boolean waits =
          w.source() == Phase.RESTORE && phase == Phase.COMMIT
              || w.source() == Phase.COMMIT
              || w.cut() && phase != Phase.ABORTING && phase != Phase.ABORTED;
      if (!waits) {
        List<String> sent = w.toTarget();
        if (!w.cut() && phase == Phase.RESTORE) {
          sent = plus(sent, "RESTORE");
        } else if (!w.cut() && phase == Phase.ABORTING) {
          sent = plus(sent, "ABORT");
        }
        all.add(new World(phase, w.target(), sent, w.toSource(), w.cut()));
      }
    }
    target(w, all);
    deliver(w, all);
    if (!w.cut()) {
      all.add(new World(w.source(), w.target(), List.of(), List.of(), true));
    } else if (w.source() == Phase.COMMIT) {
      // A new link, an inquiry: the destination discards first what it has not committed.
      TargetPhase target = w.target().canDiscard() ? TargetPhase.DISCARDED : w.target();
      // Whoever is asked may fail at it, before that or after: it ends what it was asked by.
      all.add(new World(w.source(), w.target(), List.of(), List.of("ABORT of the question"), true));
      all.add(new World(w.source(), target, List.of(), List.of("ABORT of the question"), true));
      if (target == TargetPhase.DISCARDED) {
        all.add(new World(Phase.ABORTING, target, List.of(), List.of(), true));
      } else if (target == TargetPhase.RUNNING) {
        all.add(new World(Phase.DONE, target, List.of(), List.of(), true));
      }
    }
    return all;
  }

  private static void target(World w, List<World> all) {
    for (TargetPhase phase : w.target().next()) {
      if (phase == TargetPhase.DISCARDED) {
        // One that was committing says so only to a source that asks or listens.
        List<String> sent = w.cut() ? w.toSource() : plus(w.toSource(), "ABORT");
        all.add(new World(w.source(), phase, w.toTarget(), sent, w.cut()));
      } else if (phase == TargetPhase.RECEIVING && !w.cut()) {
        all.add(new World(w.source(), phase, w.toTarget(), w.toSource(), false));
      } else if (phase == TargetPhase.READY) {
        List<String> sent = w.cut() ? w.toSource() : plus(w.toSource(), "READY");
        all.add(new World(w.source(), phase, w.toTarget(), sent, w.cut()));
      } else if (phase == TargetPhase.RUNNING) {
        List<String> sent = w.cut() ? w.toSource() : plus(w.toSource(), "COMMITTED");
        all.add(new World(w.source(), phase, w.toTarget(), sent, w.cut()));
      }
    }
  }

  private static void deliver(World w, List<World> all) {
    if (!w.toTarget().isEmpty()) {
      List<String> rest = w.toTarget().subList(1, w.toTarget().size());
      TargetPhase to =
          switch (w.toTarget().getFirst()) {
            case "RESTORE" ->
                w.target() == TargetPhase.RECEIVING ? TargetPhase.RESTORING : w.target();
            case "COMMIT" -> w.target() == TargetPhase.READY ? TargetPhase.COMMITTING : w.target();
            default -> w.target().canDiscard() ? TargetPhase.DISCARDED : w.target();
          };
      all.add(new World(w.source(), to, List.copyOf(rest), w.toSource(), w.cut()));
    }
    if (!w.toSource().isEmpty()) {
      List<String> rest = List.copyOf(w.toSource().subList(1, w.toSource().size()));
      Phase to =
          switch (w.toSource().getFirst()) {
            case "READY" -> w.source() == Phase.RESTORE ? Phase.COMMIT : w.source();
            case "COMMITTED" -> w.source() == Phase.COMMIT ? Phase.DONE : w.source();
            case "ABORT of the question" -> w.source();
            default ->
                w.source().canAbort() || w.source() == Phase.COMMIT ? Phase.ABORTING : w.source();
          };
      List<String> sent = w.toTarget();
      if (to == Phase.COMMIT && w.source() == Phase.RESTORE) {
        sent = plus(sent, "COMMIT");
      }
      all.add(new World(to, w.target(), sent, rest, w.cut()));
    }
  }

  private static List<String> plus(List<String> list, String one) {
    if (list.contains(one)) {
      return list;
    }
    List<String> longer = new ArrayList<>(list);
    longer.add(one);
    return List.copyOf(longer);
  }
}
