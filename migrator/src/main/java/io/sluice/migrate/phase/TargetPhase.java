package io.sluice.migrate.phase;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import java.util.Locale;

/**
 * The phases of the destination of a migration.
 *
 * <pre>
 *  WAITING → RECEIVING → RESTORING → READY → COMMITTING → RUNNING
 *     │          │           │         │          ┊ no record could be written
 *     └──────────┴─────┬─────┴─────────┴┄┄┄┄┄┄┄┄┄┄┘
 *                      ▼
 *                  DISCARDED
 * </pre>
 *
 * <p>COMMITTING begins when the source's COMMIT has come. A durable record is written that says
 * that the guest is this side's; then there is no way back, and RUNNING begins when the guest does.
 * When it cannot be written, which is known before the guest has run, the source is told that the
 * guest is its own again.
 */
public enum TargetPhase implements Stage<TargetPhase> {
  /** Nothing was offered yet. */
  WAITING(Owner.NOT_THIS_SIDE),
  /** Memory comes. */
  RECEIVING(Owner.NOT_THIS_SIDE),
  /** The guest is being built. */
  RESTORING(Owner.NOT_THIS_SIDE),
  /** It is built, and stands still. */
  READY(Owner.NOT_THIS_SIDE),
  /** The source has given it away; the record is being written, then the guest is let run. */
  COMMITTING(Owner.NOT_THIS_SIDE),
  /** It runs here. */
  RUNNING(Owner.DESTINATION),
  /** What was received is thrown away. */
  DISCARDED(Owner.NOT_THIS_SIDE);

  private static final ImmutableMap<TargetPhase, ImmutableSet<TargetPhase>> NEXT =
      Maps.immutableEnumMap(
          ImmutableMap.<TargetPhase, ImmutableSet<TargetPhase>>builder()
              .put(WAITING, immutableEnumSet(RECEIVING, DISCARDED))
              .put(RECEIVING, immutableEnumSet(RESTORING, DISCARDED))
              .put(RESTORING, immutableEnumSet(READY, DISCARDED))
              .put(READY, immutableEnumSet(COMMITTING, DISCARDED))
              .put(COMMITTING, immutableEnumSet(RUNNING, DISCARDED))
              .put(RUNNING, ImmutableSet.of())
              .put(DISCARDED, ImmutableSet.of())
              .buildOrThrow());

  private final Owner owner;

  TargetPhase(Owner owner) {
    this.owner = owner;
  }

  @Override
  public ImmutableSet<TargetPhase> next() {
    return NEXT.getOrDefault(this, ImmutableSet.of());
  }

  /** Whether the guest may run here. */
  public Owner owner() {
    return owner;
  }

  /** Whether what was received may still be thrown away. */
  public boolean canDiscard() {
    return this != COMMITTING && canBecome(DISCARDED);
  }

  /** As operators see it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
