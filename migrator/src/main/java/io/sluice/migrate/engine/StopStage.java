package io.sluice.migrate.engine;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The way of a machine that is being copied to its stop.
 *
 * <pre>
 *  HELD_BACK ◄─► COPYING ──► STANDING_BY ──► HELD_BACK
 *                 ▲   └► LOOKING ◄┘
 *                 └─────────┘
 *  each of these ──► ALLOWED ──► CAUGHT_UP ──► FORCED
 *                        └────────────────────►
 * </pre>
 */
enum StopStage implements Stage<StopStage> {
  /** Its memory is copied, as fast as the link carries it. */
  COPYING,
  /** It has little left, of which nothing is taken until it may stop. */
  STANDING_BY,
  /** It goes on once more, to look what was written since it began. */
  LOOKING,
  /** It may send next to nothing: it cannot stand by, or has too little for that. */
  HELD_BACK,
  /** It may stop, if that takes next to no time. */
  ALLOWED,
  /** It may stop, if that takes no longer than the operator allows. */
  CAUGHT_UP,
  /** It stops now. */
  FORCED;

  @Override
  public ImmutableSet<StopStage> next() {
    return switch (this) {
      case COPYING -> immutableEnumSet(STANDING_BY, LOOKING, HELD_BACK, ALLOWED);
      case STANDING_BY -> immutableEnumSet(LOOKING, HELD_BACK, ALLOWED);
      case LOOKING, HELD_BACK -> immutableEnumSet(COPYING, ALLOWED);
      case ALLOWED -> immutableEnumSet(CAUGHT_UP, FORCED);
      case CAUGHT_UP -> immutableEnumSet(FORCED);
      case FORCED -> ImmutableSet.of();
    };
  }
}
