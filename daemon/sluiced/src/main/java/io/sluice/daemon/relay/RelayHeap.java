package io.sluice.daemon.relay;

import io.sluice.channel.AssuredBudget;
import io.sluice.channel.MemoryBudget;

/**
 * The part of the daemon's heap for what is remembered of CUDA programs: a quarter of it. Half of
 * that is kept, in equal parts, for as many guests as there can be.
 */
final class RelayHeap {
  /** Most that the programs of a guest take, for each 64 that there may be. */
  private static final long GUEST_BYTES = 256L << 20;

  private static final int PROGRAMS = 64;
  private static final int GUESTS = 128;

  private final AssuredBudget all;

  /**
   * @param bytes of all guests
   */
  RelayHeap(long bytes) {
    all = new AssuredBudget(bytes, GUESTS);
  }

  static RelayHeap ofThisProcess() {
    return new RelayHeap(Runtime.getRuntime().maxMemory() / 4);
  }

  /**
   * The part of one more guest.
   *
   * @param programs most that it has at one time
   */
  MemoryBudget guest(int programs) {
    return all.part(GUEST_BYTES * Math.max(PROGRAMS, programs) / PROGRAMS);
  }
}
