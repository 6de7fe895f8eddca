package io.sluice.migrate.session;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The stages of a machine that comes, and of its sessions.
 *
 * <pre>
 *  OPEN ──► ALONE ───────────────► GOING_ON
 *     └───► COMING ──► KNOWN ─────►┘
 *  each but GOING_ON ──► GIVEN_UP
 * </pre>
 */
enum ComingStage implements Stage<ComingStage> {
  /** Nothing was said yet. */
  OPEN,
  /** The source knows nothing of sessions. */
  ALONE,
  /** The source's sessions come, if it has any. */
  COMING,
  /** The source has said which sessions go on, and they have come. */
  KNOWN,
  /** They go on here. */
  GOING_ON,
  /** The machine does not come. */
  GIVEN_UP;

  @Override
  public ImmutableSet<ComingStage> next() {
    return switch (this) {
      case OPEN -> immutableEnumSet(ALONE, COMING, GIVEN_UP);
      case COMING -> immutableEnumSet(KNOWN, GIVEN_UP);
      case ALONE, KNOWN -> immutableEnumSet(GOING_ON, GIVEN_UP);
      case GOING_ON, GIVEN_UP -> ImmutableSet.of();
    };
  }
}
