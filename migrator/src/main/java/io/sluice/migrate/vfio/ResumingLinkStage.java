package io.sluice.migrate.vfio;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;
import io.sluice.migrate.phase.StateMachine;

/**
 * The stages of a stream that a client brings, of which nothing more is to be known. The guest may
 * be built before the stream's end has come, or after.
 *
 * <pre>
 *  EMPTY ──► COMING ──► BUILT ──┐
 *               └─────► ENDED ──┴─► WHOLE ──► COMMITTING ──► COMMITTED
 * </pre>
 */
enum ResumingLinkStage implements Stage<ResumingLinkStage>, StateMachine.State<ResumingLinkStage> {
  /** Its head is yet to come. */
  EMPTY,
  /** Its parts come. */
  COMING,
  /** The engine has built the guest; the end is yet to come. */
  BUILT,
  /** The end has come; the guest is yet to be built. */
  ENDED,
  /** The end has come, and the guest is built. */
  WHOLE,
  /** The guest is this side's, of which the engine is to be told. */
  COMMITTING,
  /** The engine was told. */
  COMMITTED;

  @Override
  public ImmutableSet<ResumingLinkStage> next() {
    return switch (this) {
      case EMPTY -> immutableEnumSet(COMING);
      case COMING -> immutableEnumSet(BUILT, ENDED);
      case BUILT, ENDED -> immutableEnumSet(WHOLE);
      case WHOLE -> immutableEnumSet(COMMITTING);
      case COMMITTING -> immutableEnumSet(COMMITTED);
      case COMMITTED -> ImmutableSet.of();
    };
  }

  /** Whether the end has come. */
  boolean isEnded() {
    return switch (this) {
      case ENDED, WHOLE, COMMITTING, COMMITTED -> true;
      case EMPTY, COMING, BUILT -> false;
    };
  }

  /** Whether the guest is built. */
  boolean isBuilt() {
    return switch (this) {
      case BUILT, WHOLE, COMMITTING, COMMITTED -> true;
      case EMPTY, COMING, ENDED -> false;
    };
  }

  @Override
  public ResumingLinkStage stage() {
    return this;
  }
}
