package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The stages of saving the state of a guest that stands still.
 *
 * <pre>
 *  NOT_BEGUN → HOLDING_STILL → TAKEN
 * </pre>
 */
enum SavingStage implements Stage<SavingStage> {
  /** The guest may still run. */
  NOT_BEGUN,
  /** The machine is asked to hold still; what the GPU wrote of its memory is counted. */
  HOLDING_STILL,
  /** The state is on its way; it is not taken again. */
  TAKEN;

  @Override
  public ImmutableSet<SavingStage> next() {
    return switch (this) {
      case NOT_BEGUN -> ImmutableSet.of(HOLDING_STILL);
      case HOLDING_STILL -> ImmutableSet.of(TAKEN);
      case TAKEN -> ImmutableSet.of();
    };
  }
}
