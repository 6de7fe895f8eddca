package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The stages of taking back what a source has done.
 *
 * <pre>
 *  UNWANTED → GIVEN_UP → TAKING_BACK → ATTACHED → WENT_ON
 * </pre>
 */
enum UndoStage implements Stage<UndoStage> {
  /** Nothing is to be taken back. */
  UNWANTED,
  /** The migration is given up; nothing is taken back yet. */
  GIVEN_UP,
  /** The destination and the machine are told; what was begun may yet write guest memory. */
  TAKING_BACK,
  /** The GPU reads the guest's control pages again, where it had stopped to. */
  ATTACHED,
  /** The machine goes on, too, where it had stopped. */
  WENT_ON;

  @Override
  public ImmutableSet<UndoStage> next() {
    return switch (this) {
      case UNWANTED -> ImmutableSet.of(GIVEN_UP);
      case GIVEN_UP -> ImmutableSet.of(TAKING_BACK);
      case TAKING_BACK -> ImmutableSet.of(ATTACHED);
      case ATTACHED -> ImmutableSet.of(WENT_ON);
      case WENT_ON -> ImmutableSet.of();
    };
  }
}
