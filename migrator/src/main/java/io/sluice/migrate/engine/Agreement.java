package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;
import io.sluice.migrate.phase.StateMachine;

/**
 * The stages of the agreement between a source and its destination.
 *
 * <pre>
 *  NONE → OFFERED → ACCEPTED → READY → COMMITTED → TO_ASK ⇄ ASKED
 * </pre>
 */
enum Agreement implements Stage<Agreement>, StateMachine.State<Agreement> {
  /** The destination knows of nothing. */
  NONE,
  /** It was offered the guest. */
  OFFERED,
  /** It has made room, and receives. */
  ACCEPTED,
  /** It has built the guest; it may say so before the machine's own migration is seen to end. */
  READY,
  /** It was told that the guest is its own. */
  COMMITTED,
  /** That link was lost: it is to be asked what became of the guest, by a new one. */
  TO_ASK,
  /** It was asked. */
  ASKED;

  /** Whether the link is one to ask by, whose other end knows nothing of the attempt. */
  boolean isAsked() {
    return this == TO_ASK || this == ASKED;
  }

  @Override
  public Agreement stage() {
    return this;
  }

  @Override
  public ImmutableSet<Agreement> next() {
    return switch (this) {
      case NONE -> ImmutableSet.of(OFFERED);
      case OFFERED -> ImmutableSet.of(ACCEPTED);
      case ACCEPTED -> ImmutableSet.of(READY);
      case READY -> ImmutableSet.of(READY, COMMITTED);
      case COMMITTED -> ImmutableSet.of(TO_ASK);
      case TO_ASK -> ImmutableSet.of(TO_ASK, ASKED);
      case ASKED -> ImmutableSet.of(TO_ASK);
    };
  }
}
