package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;

/**
 * The stages of the agreement between a source and its destination.
 *
 * <pre>
 *  NONE → OFFERED → ACCEPTED → READY → COMMITTED ⇄ TO_ASK
 * </pre>
 */
enum Agreement implements Stage<Agreement> {
  /** The destination knows of nothing. */
  NONE,
  /** It was offered the guest. */
  OFFERED,
  /** It has made room, and receives. */
  ACCEPTED,
  /** It has built the guest; it may say so before the machine's own migration is seen to end. */
  READY,
  /** It was told that the guest is its own, and asked what became of it if a link was lost. */
  COMMITTED,
  /** It is to be asked, by a new link. */
  TO_ASK;

  @Override
  public ImmutableSet<Agreement> next() {
    return switch (this) {
      case NONE -> ImmutableSet.of(OFFERED);
      case OFFERED -> ImmutableSet.of(ACCEPTED);
      case ACCEPTED -> ImmutableSet.of(READY);
      case READY -> ImmutableSet.of(READY, COMMITTED);
      case COMMITTED -> ImmutableSet.of(TO_ASK);
      case TO_ASK -> ImmutableSet.of(TO_ASK, COMMITTED);
    };
  }
}
