package io.sluice.migrate.phase;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import java.util.Locale;

/**
 * The phases of the source of a migration: what may follow, who may run the guest, and what giving
 * up takes back.
 *
 * <pre>
 *  PREPARE → PRE_COPY → DETACH → DRAIN → FINAL_COPY → SWITCH_OVER → RESTORE → COMMIT → DONE
 *     │          │         │       │         │             │           │         ┊
 *     └──────────┴─────────┴───────┴────┬────┴─────────────┴───────────┘         ┊ told that it
 *                                       ▼                                        ┊ may
 *                                   ABORTING → ABORTED ◄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘
 * </pre>
 *
 * <p>The source may give up by itself in every phase before COMMIT. In COMMIT it has offered the
 * guest to the destination and runs it no more; only the destination's word, or an operator who
 * knows that the destination is dead, brings it back.
 */
public enum Phase implements Stage<Phase> {
  /** Both sides look whether it can be done; the destination makes room. */
  PREPARE(Owner.SOURCE, ImmutableSet.of(Undo.TELL_DESTINATION)),
  /** Memory is sent while machine and GPU run. */
  PRE_COPY(Owner.SOURCE, ImmutableSet.of(Undo.TELL_DESTINATION, Undo.MACHINE)),
  /** The guest's control pages become shadows. */
  DETACH(Owner.SOURCE, ImmutableSet.of(Undo.TELL_DESTINATION, Undo.MACHINE, Undo.ATTACH)),
  /** What was submitted runs to its end; memory goes on being sent. */
  DRAIN(Owner.SOURCE, ImmutableSet.of(Undo.TELL_DESTINATION, Undo.MACHINE, Undo.ATTACH)),
  /** The machine stands still: what is still dirty is sent, and the state. */
  FINAL_COPY(Owner.SOURCE, ImmutableSet.of(Undo.TELL_DESTINATION, Undo.MACHINE, Undo.ATTACH)),
  /** The machine's own last pass. */
  SWITCH_OVER(Owner.SOURCE, ImmutableSet.of(Undo.TELL_DESTINATION, Undo.MACHINE, Undo.ATTACH)),
  /** The destination builds the guest, but does not run it. */
  RESTORE(Owner.SOURCE, ImmutableSet.of(Undo.TELL_DESTINATION, Undo.MACHINE, Undo.ATTACH)),
  /** The guest was offered; the destination decides. */
  COMMIT(Owner.DESTINATION_DECIDES, ImmutableSet.of(Undo.MACHINE, Undo.ATTACH)),
  /** It runs on the destination. */
  DONE(Owner.DESTINATION, ImmutableSet.of()),
  /** What was done is being taken back. */
  ABORTING(Owner.SOURCE, ImmutableSet.of()),
  /** The guest goes on at the source as if nothing had been. */
  ABORTED(Owner.SOURCE, ImmutableSet.of());

  /** Steps that giving up takes back; done in this order. */
  public enum Undo {
    /** The destination is told, and discards what it has. */
    TELL_DESTINATION,
    /** The machine goes on, its own migration is cancelled. */
    MACHINE,
    /** The GPU reads the guest's control pages again. */
    ATTACH
  }

  private static final ImmutableMap<Phase, ImmutableSet<Phase>> NEXT =
      Maps.immutableEnumMap(
          ImmutableMap.<Phase, ImmutableSet<Phase>>builder()
              .put(PREPARE, immutableEnumSet(PRE_COPY, ABORTING))
              .put(PRE_COPY, immutableEnumSet(DETACH, ABORTING))
              .put(DETACH, immutableEnumSet(DRAIN, ABORTING))
              .put(DRAIN, immutableEnumSet(FINAL_COPY, ABORTING))
              .put(FINAL_COPY, immutableEnumSet(SWITCH_OVER, ABORTING))
              .put(SWITCH_OVER, immutableEnumSet(RESTORE, ABORTING))
              .put(RESTORE, immutableEnumSet(COMMIT, ABORTING))
              .put(COMMIT, immutableEnumSet(DONE, ABORTING))
              .put(DONE, ImmutableSet.of())
              .put(ABORTING, immutableEnumSet(ABORTED))
              .put(ABORTED, ImmutableSet.of())
              .buildOrThrow());

  private final Owner owner;
  private final ImmutableSet<Undo> undo;

  Phase(Owner owner, ImmutableSet<Undo> undo) {
    this.owner = owner;
    this.undo = undo;
  }

  @Override
  public ImmutableSet<Phase> next() {
    return NEXT.getOrDefault(this, ImmutableSet.of());
  }

  /** Who may run the guest. */
  public Owner owner() {
    return owner;
  }

  /** What giving up in this phase takes back. */
  public ImmutableSet<Undo> undo() {
    return undo;
  }

  /** Whether the source may give up by itself. */
  public boolean canAbort() {
    return owner == Owner.SOURCE && canBecome(ABORTING);
  }

  /** Whether the guest waits for the migration's end, one way or the other. */
  public boolean holdsGuest() {
    return canAbort() && undo.contains(Undo.ATTACH);
  }

  /** As operators see it: {@code pre-copy}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
