package io.sluice.gpu.engine;

import java.util.Optional;

/**
 * One open's part of the GPU's time: of the engine that executes channels, which the GPU's lock
 * guards, and of the multiprocessors, which their queue's lock guards. Both go by one weight.
 */
public final class TimeShare {
  /** The largest weight; the smallest is 1. */
  public static final int MAX_WEIGHT = 1024;

  private final ShareAccount engine = new ShareAccount(this);
  private final ShareAccount multiprocessors = new ShareAccount(this);
  private final PageWaits pageWaits = new PageWaits();
  private final Optional<String> guest;
  private volatile int weight = 1;

  /** Of an open for nobody in particular. */
  public TimeShare() {
    this(Optional.empty());
  }

  /**
   * @param guest whom the open is for; the next open for the same one finds what this one compiled
   */
  public TimeShare(Optional<String> guest) {
    this.guest = guest;
  }

  /** Whom the open is for, if that was said. */
  public Optional<String> guest() {
    return guest;
  }

  /** Of what is shared, relative to the other opens. */
  public int weight() {
    return weight;
  }

  /**
   * @param newWeight 1 to {@link #MAX_WEIGHT}
   */
  public void setWeight(int newWeight) {
    weight = newWeight;
  }

  /** The engine. */
  public ShareAccount engine() {
    return engine;
  }

  /** The multiprocessors; their times are those of all threads together. */
  public ShareAccount multiprocessors() {
    return multiprocessors;
  }

  /** Whether its memory keeps whoever touches it. */
  public PageWaits pageWaits() {
    return pageWaits;
  }
}
