package io.sluice.gpu.fifo;

/**
 * The pace of a channel: when it is looked at next, and how much it may execute.
 *
 * <p>Fermi has no doorbell: the GPU watches GP_PUT. A channel that was active is looked at all the
 * time for a while, then ever more rarely, in proportion to how long it has been idle. The times
 * lie on common grids, so that many idle channels share their wake-ups.
 */
final class Pace {
  /** Weight of a channel that was not given one. */
  static final int DEFAULT_WEIGHT = 64;

  /** Largest weight. */
  static final int MAX_WEIGHT = 1024;

  /** Most a channel executes in one turn with the default weight, in copied bytes. */
  private static final long QUANTUM_UNITS = 4 << 20;

  /** Shortest wait between two looks after the spin, 65.5 us. */
  private static final long MIN_INTERVAL_NS = 1 << 16;

  /**
   * Longest wait between two looks, 3.1 ms: a multiple of every shorter one but the next. An entry
   * waits for half of it, so that the timer, and other threads on the core, fit into the 3 ms that
   * P16 gives; the wake-ups are most of what P14 counts.
   */
  private static final long MAX_INTERVAL_NS = 3 << 20;

  /** A channel idle for this many times the interval is looked at once an interval. */
  private static final int IDLE_TO_INTERVAL_SHIFT = 11;

  private int weight = DEFAULT_WEIGHT;
  private long lastActiveNs;
  private long nextLookNs;
  private boolean atRest;
  private boolean idle;

  void setWeight(int newWeight) {
    weight = newWeight;
  }

  /** Budget of a turn. */
  long turnUnits() {
    return QUANTUM_UNITS / DEFAULT_WEIGHT * weight;
  }

  /** Something happened: look at it at once, and often. */
  void touched(long nowNs) {
    lastActiveNs = nowNs;
    idle = false;
    lookAgain(nowNs);
  }

  /** Look at it at once, without taking it for active. */
  void lookAgain(long nowNs) {
    nextLookNs = nowNs;
    atRest = false;
  }

  /** Whether nothing to do was found when it was looked at last. */
  boolean isIdle() {
    return idle;
  }

  /** Whether it is looked at as rarely as any. */
  boolean isAtRest() {
    return atRest;
  }

  /** Nanoseconds until the next look; 0 or less when it is due. */
  long dueInNs(long nowNs) {
    return nextLookNs - nowNs;
  }

  /**
   * Nothing to do was found.
   *
   * @param spinNs how long after its last activity a channel is looked at all the time
   */
  void foundIdle(long nowNs, long spinNs) {
    idle = true;
    long idleNs = nowNs - lastActiveNs;
    if (idleNs < spinNs) {
      nextLookNs = nowNs;
      return;
    }
    long share = idleNs >>> IDLE_TO_INTERVAL_SHIFT;
    long interval = Math.clamp(Long.highestOneBit(share), MIN_INTERVAL_NS, MAX_INTERVAL_NS);
    nextLookNs = nextTick(nowNs, interval);
    atRest = interval == MAX_INTERVAL_NS;
  }

  /** When the channels that are at rest are looked at next. */
  static long nextLookAtRest(long nowNs) {
    return nextTick(nowNs, MAX_INTERVAL_NS);
  }

  private static long nextTick(long nowNs, long interval) {
    return nowNs - Math.floorMod(nowNs, interval) + interval;
  }
}
