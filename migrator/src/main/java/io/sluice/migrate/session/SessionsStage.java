package io.sluice.migrate.session;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The stages of a machine that moves away with its sessions.
 *
 * <pre>
 *  OPEN ──► COPYING ──► HALTING ◄─► MAY_STOP ──► STANDING ──► SWITCHED ──► FINISHED
 *   │        │  └──────────┊────────►│ └──────────►│             │
 *   │        │             │         │             │             │
 *   └────────┴─────────────┴─────────┴──────┬──────┴─────────────┘
 *                                           └► GIVING_UP ──► GIVEN_UP ──► STAYING
 *  GIVING_UP ──► GIVING_UP: asked again, since the machine's part has failed
 *  each but FINISHED ──► STAYING: closed
 * </pre>
 */
enum SessionsStage implements Stage<SessionsStage> {
  /** Nothing was asked yet. */
  OPEN,
  /** Machine and sessions are copied. */
  COPYING,
  /** The machine may stop as soon as the sessions stand still. */
  HALTING,
  /** The machine was told that it may stop. */
  MAY_STOP,
  /** All stand still, and the machine knows what the sessions have written. */
  STANDING,
  /** The machine's last pass is on its way. */
  SWITCHED,
  /** They are the destination's. */
  FINISHED,
  /** The machine is to go on; it does not know it yet. */
  GIVING_UP,
  /** It knows; what was begun may yet write guest memory. */
  GIVEN_UP,
  /** The sessions go on here. */
  STAYING;

  @Override
  public ImmutableSet<SessionsStage> next() {
    return switch (this) {
      case OPEN -> immutableEnumSet(COPYING, GIVING_UP, STAYING);
      case COPYING -> immutableEnumSet(HALTING, MAY_STOP, STANDING, GIVING_UP, STAYING);
      case HALTING -> immutableEnumSet(HALTING, MAY_STOP, GIVING_UP, STAYING);
      case MAY_STOP -> immutableEnumSet(HALTING, MAY_STOP, STANDING, GIVING_UP, STAYING);
      case STANDING -> immutableEnumSet(SWITCHED, GIVING_UP, STAYING);
      case SWITCHED -> immutableEnumSet(FINISHED, GIVING_UP, STAYING);
      case GIVING_UP -> immutableEnumSet(GIVING_UP, GIVEN_UP, STAYING);
      case GIVEN_UP -> immutableEnumSet(STAYING);
      case FINISHED, STAYING -> ImmutableSet.of();
    };
  }

  /** Whether sessions that open or end meanwhile are taken notice of. */
  boolean areMoving() {
    return areWaitedFor() || this == SWITCHED;
  }

  /** Whether the move fails with theirs. */
  boolean areWaitedFor() {
    return switch (this) {
      case COPYING, HALTING, MAY_STOP, STANDING -> true;
      case OPEN, SWITCHED, FINISHED, GIVING_UP, GIVEN_UP, STAYING -> false;
    };
  }

  /** Whether the move has been given up, and the sessions do not go on yet. */
  boolean isGivenUp() {
    return this == GIVING_UP || this == GIVEN_UP;
  }
}
