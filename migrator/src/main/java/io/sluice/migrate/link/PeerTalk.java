package io.sluice.migrate.link;

import org.jspecify.annotations.Nullable;

/**
 * The talk of an engine with that at the other end of a link, by the control stream: what is said,
 * and when either side has said something last. One that has nothing to say says that it is there.
 *
 * <p>Belongs to the thread that drives.
 */
public final class PeerTalk {
  /** Between two signs of life. */
  public static final long HEARTBEAT_NS = 1_000_000_000L;

  private final MigrationLink link;
  private final PeerSilence silence;
  private long sentNs;
  private long heardNs;

  /**
   * @param link stays the caller's
   * @param nowNs of a monotonic clock; the other side was heard then
   */
  public PeerTalk(MigrationLink link, long nowNs) {
    this.link = link;
    silence = new PeerSilence(nowNs);
    sentNs = nowNs;
    heardNs = nowNs;
  }

  /** The link that it goes over; any thread. */
  public MigrationLink link() {
    return link;
  }

  /** Says something. */
  public void send(Frame frame, long nowNs) {
    link.send(MigrationLink.CONTROL, frame);
    sentNs = nowNs;
  }

  /** Says that this side is there, when it has said nothing for {@link #HEARTBEAT_NS}. */
  public void sendHeartbeat(long nowNs) {
    if (nowNs - sentNs > HEARTBEAT_NS) {
      send(Frame.of(FrameType.HEARTBEAT), nowNs);
    }
  }

  /** What the other side has said next; null when there is nothing. */
  public @Nullable Frame poll(long nowNs) {
    Frame frame = link.poll(MigrationLink.CONTROL);
    if (frame != null) {
      heard(nowNs);
    }
    return frame;
  }

  /** The other side was heard, by whatever stream. */
  public void heard(long nowNs) {
    heardNs = nowNs;
    silence.heard();
  }

  /** For how many nanoseconds it was not heard. */
  public long sinceHeardNs(long nowNs) {
    return nowNs - heardNs;
  }

  /** For how long it was silent, as {@link PeerSilence#look} counts it; after what has come. */
  public long lookForSilence(long nowNs) {
    return silence.look(nowNs);
  }
}
