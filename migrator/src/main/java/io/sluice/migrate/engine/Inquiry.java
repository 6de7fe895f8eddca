package io.sluice.migrate.engine;

import io.sluice.abi.FieldWriter;
import io.sluice.abi.SluiceException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.link.PeerSilence;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A question to a destination: what became of an attempt whose source is no more. It is driven as
 * {@link MigrationSource} is. The answer holds for ever: a destination that has no record discards
 * what still waits for the source's word before it says so.
 *
 * <pre>
 *  INQUIRE id →
 *        ← COMMITTED, or RELINQUISHED
 * </pre>
 */
public final class Inquiry {
  /** Why a guest stays that the destination never will have. */
  static final Reason LOST =
      new Reason(
          MigrationCode.TARGET_LOST,
          "the destination lost the guest before it ran there",
          "Try again.");

  private final MigrationLink link;
  private final UUID id;
  private final long timeoutNs;
  private final PeerSilence unanswered;
  private boolean asked;
  private @Nullable Verdict answer;
  private @Nullable Reason failure;

  /** The side whose the guest is. */
  public enum Verdict {
    /** The destination has a record of it. */
    DESTINATION,
    /** The destination never will have it. */
    SOURCE
  }

  /**
   * @param link to the destination; stays the caller's
   * @param id of the attempt
   * @param timeoutNs longest time for the answer, in which this side was there to hear it
   */
  public Inquiry(MigrationLink link, UUID id, long timeoutNs, long nowNs) {
    this.link = link;
    this.id = id;
    this.timeoutNs = timeoutNs;
    unanswered = new PeerSilence(nowNs);
  }

  /** Whether there is an answer, or a reason why there is none. */
  public boolean isOver() {
    return answer != null || failure != null;
  }

  /** Empty when there is none. */
  public Optional<Verdict> answer() {
    return Optional.ofNullable(answer);
  }

  /** Why there is no answer. */
  public Optional<Reason> failure() {
    return Optional.ofNullable(failure);
  }

  /**
   * Does what can be done now.
   *
   * @return how much was done
   */
  public int doWork(long nowNs) {
    if (isOver()) {
      return 0;
    }
    int done;
    try {
      done = step();
    } catch (SluiceException e) {
      failure = Reason.of(e);
      return 1;
    }
    if (unanswered.look(nowNs) > timeoutNs && !isOver()) {
      failure =
          new Reason(
              MigrationCode.TARGET_SILENT,
              "the destination does not answer",
              "See whether its daemon runs and can be reached.");
      return 1;
    }
    return done;
  }

  private int step() {
    if (!asked) {
      asked = true;
      link.send(MigrationLink.CONTROL, question(id));
      return 1;
    }
    Frame frame = link.poll(MigrationLink.CONTROL);
    if (frame == null) {
      failure = link.failure().map(Reason::of).orElse(null);
      return 0;
    }
    switch (frame.type()) {
      case COMMITTED -> answer = Verdict.DESTINATION;
      case RELINQUISHED -> answer = Verdict.SOURCE;
      case ABORT -> failure = Reason.decode(frame);
      default -> Payload.reader(frame).require(frame.type() == FrameType.HEARTBEAT, "is odd");
    }
    return 1;
  }

  static Frame question(UUID id) {
    return Payload.frame(
        FrameType.INQUIRE,
        new FieldWriter().u64(id.getMostSignificantBits()).u64(id.getLeastSignificantBits()));
  }
}
