package io.sluice.migrate.checkpoint;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The stages of a checkpoint's file that is played to a destination.
 *
 * <pre>
 *  BEGUN ──► OFFERED ──► ACCEPTED ──► READY ──► COMMITTED
 *    └──────────┴───────────┴──────┬────┴───────────┘
 *                                  └► FAILED
 * </pre>
 */
enum PlayStage implements Stage<PlayStage> {
  /** Nothing of it was taken yet. */
  BEGUN,
  /** Its first frame was taken; no other is before the destination accepts. */
  OFFERED,
  /** One frame after the other is taken. */
  ACCEPTED,
  /** The destination has built the guest, and is to be told that it is its own. */
  READY,
  /** It was told so. */
  COMMITTED,
  /** It cannot be read, or not be closed. */
  FAILED;

  @Override
  public ImmutableSet<PlayStage> next() {
    return switch (this) {
      case BEGUN -> immutableEnumSet(OFFERED, FAILED);
      case OFFERED -> immutableEnumSet(ACCEPTED, FAILED);
      case ACCEPTED -> immutableEnumSet(READY, FAILED);
      case READY -> immutableEnumSet(COMMITTED, FAILED);
      case COMMITTED, FAILED -> immutableEnumSet(FAILED);
    };
  }
}
