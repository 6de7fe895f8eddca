package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.SluiceException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.link.PeerSilence;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A question to a destination: whether a guest could come, and what the way there carries. Nothing
 * is made or reserved at either side. It is driven as {@link MigrationSource} is.
 *
 * <pre>
 *  CHECK →            the first answer has waited for the connection too
 *        ← CHECKED
 *  CHECK →            the second takes a round trip
 *        ← CHECKED
 *  PROBE … →          until 8 MiB have arrived, or for a second
 * </pre>
 */
public final class DestinationCheck {
  private static final long PROBE_BYTES = 8L << 20;
  private static final int PROBE_FRAME_BYTES = 128 << 10;
  private static final long PROBE_NS = 1_000_000_000L;

  private final MigrationLink link;
  private final MoveQuestion question;
  private final boolean probing;
  private final long timeoutNs;
  private final PeerSilence lasts;
  private CheckStep step = CheckStep.ASK;
  private ImmutableList<Reason> objections = ImmutableList.of();
  private @Nullable Measured measured;
  private long sinceNs;
  private long roundTripNs;
  private long offeredBytes;
  private int stream;

  /** The steps of a question; each is followed by the next. */
  private enum CheckStep {
    ASK,
    FIRST_ANSWER,
    SECOND_ANSWER,
    PROBE,
    OVER
  }

  /**
   * The measure of a way.
   *
   * @param roundTripNs of a frame and its answer
   * @param bytesPerSecond of pages, over all streams
   */
  public record Measured(long roundTripNs, long bytesPerSecond) {}

  /**
   * @param link to the destination; stays the caller's
   * @param probing whether it is measured what the way carries
   * @param timeoutNs longest time in all, in which this side was there to hear
   */
  public DestinationCheck(
      MigrationLink link, MoveQuestion question, boolean probing, long timeoutNs, long nowNs) {
    this.link = link;
    this.question = question;
    this.probing = probing;
    this.timeoutNs = timeoutNs;
    lasts = new PeerSilence(nowNs);
  }

  /** Whether all is known that will be. */
  public boolean isOver() {
    return step == CheckStep.OVER;
  }

  /** What is against it; that there is nobody to ask, too. */
  public ImmutableList<Reason> objections() {
    return objections;
  }

  /** Empty when it was not measured, or could not be. */
  public Optional<Measured> measured() {
    return Optional.ofNullable(measured);
  }

  /**
   * Does what can be done now.
   *
   * @return how much was done
   */
  public int doWork(long nowNs) {
    int done;
    try {
      done = step(nowNs);
    } catch (SluiceException e) {
      end(Reason.of(e));
      return 1;
    }
    if (lasts.look(nowNs) > timeoutNs && !isOver()) {
      end(
          new Reason(
              MigrationCode.TARGET_SILENT,
              "the destination does not answer",
              "See whether its daemon runs and can be reached."));
      return 1;
    }
    return done;
  }

  private int step(long nowNs) {
    return switch (step) {
      case ASK -> ask(nowNs, CheckStep.FIRST_ANSWER);
      case FIRST_ANSWER -> hear() ? ask(nowNs, CheckStep.SECOND_ANSWER) : 0;
      case SECOND_ANSWER -> hear() ? answered(nowNs) : 0;
      case PROBE -> probe(nowNs);
      case OVER -> 0;
    };
  }

  private void end(Reason why) {
    objections = ImmutableList.<Reason>builder().addAll(objections).add(why).build();
    step = CheckStep.OVER;
  }

  private int ask(long nowNs, CheckStep next) {
    link.send(MigrationLink.CONTROL, question.encode());
    sinceNs = nowNs;
    step = next;
    return 1;
  }

  private boolean hear() {
    Frame frame = link.poll(MigrationLink.CONTROL);
    while (frame != null) {
      switch (frame.type()) {
        case CHECKED -> {
          objections = MoveAnswer.decode(frame).objections();
          return true;
        }
        case ABORT -> {
          end(Reason.decode(frame));
          return false;
        }
        default -> Payload.reader(frame).require(frame.type() == FrameType.HEARTBEAT, "is odd");
      }
      frame = link.poll(MigrationLink.CONTROL);
    }
    return false;
  }

  private int answered(long nowNs) {
    roundTripNs = nowNs - sinceNs;
    sinceNs = nowNs;
    step = probing ? CheckStep.PROBE : CheckStep.OVER;
    return 1;
  }

  private int probe(long nowNs) {
    int sent = 0;
    while (offeredBytes < PROBE_BYTES && offer()) {
      sent++;
    }
    MigrationLink.Statistics carried = link.statistics();
    boolean all = offeredBytes >= PROBE_BYTES && link.isFlushed();
    long ns = Math.max(1, nowNs - sinceNs);
    if (all || ns > PROBE_NS) {
      long arrived = Math.min(offeredBytes, carried.bytesSent() - carried.bytesQueued());
      measured = new Measured(roundTripNs, (long) (Math.max(0, arrived) * 1e9 / ns));
      step = CheckStep.OVER;
      return sent + 1;
    }
    return sent;
  }

  private boolean offer() {
    int to = 1 + stream % link.dataStreams();
    if (!link.send(to, Frame.of(FrameType.PROBE, ByteBuffer.allocate(PROBE_FRAME_BYTES)))) {
      return false;
    }
    stream++;
    offeredBytes += PROBE_FRAME_BYTES;
    return true;
  }
}
