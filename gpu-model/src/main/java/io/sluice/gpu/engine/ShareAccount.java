package io.sluice.gpu.engine;

/**
 * The account of what one open of the GPU has had of a resource that is given to one at a time, by
 * weight.
 *
 * <p>Virtual time is time used, divided by the weight. Whoever chooses takes the one that wants and
 * has the least of it. One that comes back after it wanted nothing begins where the others are,
 * less a small credit: it gets on soon, and cannot save up what it did not use. Guarded by whoever
 * chooses.
 */
public final class ShareAccount {
  /** Most that one that comes back is behind the others, in time of its own. */
  private static final long CREDIT_NS = 2_000_000;

  /** Virtual time has this many parts of a nanosecond, so that weights divide it well. */
  private static final int FRACTION_BITS = 10;

  private final TimeShare share;
  private long virtualTime;
  private boolean wants;
  private boolean waits;
  private long waitsSinceNs;
  private long wantedAtNs;
  private volatile long usedNs;
  private volatile long waitedNs;

  ShareAccount(TimeShare share) {
    this.share = share;
  }

  /** To compare with another open's. */
  public long virtualTime() {
    return virtualTime;
  }

  /**
   * It wants the resource, and does not have it.
   *
   * @param virtualNow virtual time of the one that was chosen last
   */
  public void want(long nowNs, long virtualNow) {
    wantedAtNs = nowNs;
    if (!wants) {
      wants = true;
      virtualTime = Math.max(virtualTime, virtualNow - scaled(CREDIT_NS));
    }
    if (!waits) {
      waits = true;
      waitsSinceNs = nowNs;
    }
  }

  /** It gets the resource. */
  public void begin(long nowNs) {
    if (waits) {
      waits = false;
      waitedNs += nowNs - waitsSinceNs;
    }
  }

  /** Nobody has the resource for a while: that is no waiting for others. */
  public void pause(long nowNs) {
    begin(nowNs);
  }

  /** It has used the resource for a time. */
  public void use(long ns) {
    usedNs += ns;
    virtualTime += scaled(ns);
  }

  /** It wants nothing any more. */
  public void rest() {
    wants = false;
    waits = false;
  }

  /** It was looked at, and wants nothing unless it said so at this look. */
  public void restUnlessWantedAt(long nowNs) {
    if (wantedAtNs != nowNs) {
      rest();
    }
  }

  private long scaled(long ns) {
    return (ns << FRACTION_BITS) / share.weight();
  }

  /** Time used; any thread may ask. */
  public long usedNs() {
    return usedNs;
  }

  /** Time in which it wanted the resource and another one had it; any thread may ask. */
  public long waitedNs() {
    return waitedNs;
  }
}
