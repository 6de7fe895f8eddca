package io.sluice.gpu.engine;

/**
 * One open's part of the GPU's time: of the engine that executes channels, which the GPU's lock
 * guards, and of the multiprocessors, which their queue's lock guards. Both go by one weight.
 */
public final class TimeShare {
  /** The largest weight; the smallest is 1. */
  public static final int MAX_WEIGHT = 1024;

  private final ShareAccount engine = new ShareAccount(this);
  private final ShareAccount multiprocessors = new ShareAccount(this);
  private volatile int weight = 1;

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
}
