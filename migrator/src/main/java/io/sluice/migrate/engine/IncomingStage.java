package io.sluice.migrate.engine;

import static com.google.common.collect.Sets.immutableEnumSet;

import com.google.common.collect.ImmutableSet;
import io.sluice.migrate.phase.Stage;
import io.sluice.migrate.phase.TargetPhase;

/**
 * The stages of a guest that comes: those of {@link TargetPhase}, of which three are parted.
 *
 * <pre>
 *  WAITING → OFFERED → ADMITTED → RECEIVING → RESTORING → READY → COMMITTING → DECIDED → RUNNING
 *     └─────────┴─────────┴───────────┴───────────┴─────────┴─────────┴─► DISCARDED
 * </pre>
 */
enum IncomingStage implements Stage<IncomingStage> {
  /** Nothing was offered yet. It may be asked what it thinks of an offer. */
  WAITING(TargetPhase.WAITING),
  /** There is an offer; the machine that is to receive is made and prepared. */
  OFFERED(TargetPhase.WAITING),
  /** The machine receives; nothing is attached yet that could receive. */
  ADMITTED(TargetPhase.RECEIVING),
  /** The source was told to begin. */
  RECEIVING(TargetPhase.RECEIVING),
  /** Guest and device are being built. */
  RESTORING(TargetPhase.RESTORING),
  /** They are built, and stand still. */
  READY(TargetPhase.READY),
  /** The source has given the guest away; the record is being written. */
  COMMITTING(TargetPhase.COMMITTING),
  /** A durable record says that the guest is this side's: nobody else lets it go on. */
  DECIDED(TargetPhase.COMMITTING),
  /** It runs here. */
  RUNNING(TargetPhase.RUNNING),
  /** What was received is thrown away. */
  DISCARDED(TargetPhase.DISCARDED);

  private final TargetPhase phase;

  IncomingStage(TargetPhase phase) {
    this.phase = phase;
  }

  /** The phase it is part of. */
  TargetPhase phase() {
    return phase;
  }

  @Override
  public ImmutableSet<IncomingStage> next() {
    return switch (this) {
      case WAITING -> immutableEnumSet(WAITING, OFFERED, DISCARDED);
      case OFFERED -> immutableEnumSet(OFFERED, ADMITTED, DISCARDED);
      case ADMITTED -> immutableEnumSet(RECEIVING, DISCARDED);
      case RECEIVING -> immutableEnumSet(RECEIVING, RESTORING, DISCARDED);
      case RESTORING -> immutableEnumSet(RESTORING, READY, DISCARDED);
      case READY -> immutableEnumSet(COMMITTING, DISCARDED);
      case COMMITTING -> immutableEnumSet(DECIDED, DISCARDED);
      case DECIDED -> immutableEnumSet(RUNNING);
      case RUNNING, DISCARDED -> ImmutableSet.of();
    };
  }
}
