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

  /** The passes over a memory. */
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

  /** The last pass. */
  private sealed interface Last {
    /** No pass. */
    record None() implements Last {}

    /** It is under way. */
    record UnderWay(long sinceNs) implements Last {}

    /** It is over. */
    record Over(long endedNs, long tookNs) implements Last {}
  }

  private final Passes memory;
  private Last last = new Last.None();
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
    if (memory.isPassing() || last instanceof Last.Over over && rests(over, restNs, nowNs)) {
      return 0;
    }
    memory.begin();
    last = new Last.UnderWay(nowNs);
    return 1;
  }

  private static boolean rests(Last.Over over, long restNs, long nowNs) {
    long pauseNs = restNs > NEAR_NS ? FAR_REST_NS : Math.max(REST_NS, over.tookNs());
    return nowNs - over.endedNs() < pauseNs;
  }

  /** Looks whether one has ended, before another pass is begun. */
  void note(long nowNs) {
    if (last instanceof Last.UnderWay(long sinceNs) && !memory.isPassing()) {
      mostPages = Math.max(mostPages, memory.pages());
      last = new Last.Over(nowNs, nowNs - sinceNs);
    }
  }

  /** Most pages that were sent in one pass: so many different ones were written, at least. */
  long mostPages() {
    return mostPages;
  }
}
