package io.sluice.migrate.session;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The stages of the sessions of a machine that moves away, all together.
 *
 * <pre>
 *  COPYING ──► APPROACHING ──► HALTING ──► HALTED; COPYING ──► HALTING
 *     └──────────────┴──────┬───────┴───────────┘
 *                           ▼
 *   BROKEN, a step has failed; from each of these ──► STAYING
 * </pre>
 */
enum LeavingStage implements Stage<LeavingStage> {
  /** Those that open are begun. */
  COPYING,
  /** The machine is near its stop: they are told so, as are those that are begun from now on. */
  APPROACHING,
  /** They are to stand still; they are not told yet. */
  HALTING,
  /** They were told, as are those that are begun from now on. */
  HALTED,
  /** They cannot move with the machine. */
  BROKEN,
  /** They go on here. */
  STAYING;

  @Override
  public ImmutableSet<LeavingStage> next() {
    return switch (this) {
      case COPYING -> immutableEnumSet(APPROACHING, HALTING, BROKEN, STAYING);
      case APPROACHING -> immutableEnumSet(HALTING, BROKEN, STAYING);
      case HALTING -> immutableEnumSet(HALTED, BROKEN, STAYING);
      case HALTED -> immutableEnumSet(BROKEN, STAYING);
      case BROKEN -> immutableEnumSet(STAYING);
      case STAYING -> ImmutableSet.of();
    };
  }
}
