package io.sluice.migrate.link;

/**
 * The time for which the other side's engine has said nothing, as far as this side was there to
 * hear it. What passes from one look to the next counts up to {@link #MOST_OF_A_LOOK_NS}: beyond it
 * this side stood still, and its link has not taken yet what has come meanwhile. So a silence is
 * never told because of this side alone.
 *
 * <p>Belongs to the thread that drives.
 */
public final class PeerSilence {
  /** Many times what passes between looks of one that has a processor. */
  public static final long MOST_OF_A_LOOK_NS = 200_000_000;

  private long lookedNs;
  private long silentNs;

  /**
   * @param nowNs when the other side was heard for the first time
   */
  public PeerSilence(long nowNs) {
    lookedNs = nowNs;
  }

  /** The other side was heard. */
  public void heard() {
    silentNs = 0;
  }

  /** Looks at the clock; after what has come was taken. */
  public long look(long nowNs) {
    silentNs += Math.clamp(nowNs - lookedNs, 0, MOST_OF_A_LOOK_NS);
    lookedNs = nowNs;
    return silentNs;
  }
}
