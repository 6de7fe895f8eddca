package io.sluice.migrate.engine;

import io.sluice.migrate.memory.MemorySource;

/**
 * Passes over video memory while the GPU ends what it was given, so that after that only what its
 * last commands wrote is left to find and send. They are made rarely until the end is near: what is
 * sent long before it is written again.
 *
 * <p>One thread uses it.
 */
final class DrainPasses {
  /** How near the end is to be. */
  static final long NEAR_NS = 150_000_000;

  /** Shortest time between two passes, which take processors from kernels of a software GPU. */
  static final long REST_NS = 10_000_000;

  /** The same until the end is near: it may come sooner than is expected. */
  static final long FAR_REST_NS = 250_000_000;

  /** What makes a pass. */
  interface Passes {
    boolean isPassing();

    void begin();

    /** Pages sent in the one under way, or the last one. */
    long pages();

    /** Those over a guest's video memory. */
    static Passes of(MemorySource memory) {
      return new Passes() {
        @Override
        public boolean isPassing() {
          return memory.isPassing();
        }

        @Override
        public void begin() {
          memory.beginPass();
        }

        @Override
        public long pages() {
          return memory.passPagesSent();
        }
      };
    }
  }

  private final Passes memory;
  private boolean passing;
  private boolean any;
  private long begunNs;
  private long endedNs;
  private long tookNs;
  private long mostPages;

  DrainPasses(Passes memory) {
    this.memory = memory;
  }

  /**
   * The GPU still works.
   *
   * @param restNs for how long, as expected
   * @return how many passes were begun
   */
  int look(long restNs, long nowNs) {
    note(nowNs);
    long pauseNs = restNs > NEAR_NS ? FAR_REST_NS : Math.max(REST_NS, tookNs);
    if (memory.isPassing() || any && nowNs - endedNs < pauseNs) {
      return 0;
    }
    memory.begin();
    begunNs = nowNs;
    passing = true;
    any = true;
    return 1;
  }

  /** Looks whether one has ended, before another pass is begun. */
  void note(long nowNs) {
    if (passing && !memory.isPassing()) {
      passing = false;
      mostPages = Math.max(mostPages, memory.pages());
      endedNs = nowNs;
      tookNs = nowNs - begunNs;
    }
  }

  /** Most pages that were sent in one pass: so many different ones were written, at least. */
  long mostPages() {
    return mostPages;
  }
}
