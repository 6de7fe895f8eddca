package io.sluice.migrate.vfio;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;
import io.sluice.migrate.phase.StateMachine;

/**
 * The stages of a stream that a client fetches, of which nothing more is to be known.
 *
 * <pre>
 *  BEGUN → OFFERED → ANSWERED → COMPLETE
 * </pre>
 */
enum SavingLinkStage implements Stage<SavingLinkStage>, StateMachine.State<SavingLinkStage> {
  /** Its head was put. */
  BEGUN,
  /** The engine has offered the guest, and waits for an answer. */
  OFFERED,
  /** It has its answer, and sends what it has. */
  ANSWERED,
  /** The end was put. */
  COMPLETE;

  @Override
  public ImmutableSet<SavingLinkStage> next() {
    return switch (this) {
      case BEGUN -> ImmutableSet.of(OFFERED);
      case OFFERED -> ImmutableSet.of(ANSWERED);
      case ANSWERED -> ImmutableSet.of(COMPLETE);
      case COMPLETE -> ImmutableSet.of();
    };
  }

  @Override
  public SavingLinkStage stage() {
    return this;
  }
}
