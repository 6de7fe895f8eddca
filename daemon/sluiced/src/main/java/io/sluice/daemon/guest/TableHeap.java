package io.sluice.daemon.guest;

import io.sluice.channel.AssuredBudget;
import io.sluice.channel.MemoryBudget;
import io.sluice.daemon.config.DaemonConfig;

/**
 * The part of the daemon's heap for the tables of guests: an eighth of it. Half of that is kept, in
 * equal parts, for as many guests as there can be, so that what others have keeps nobody from
 * attaching. What a guest has of the rest is limited by the number of its entries, too.
 */
public final class TableHeap {
  private final AssuredBudget all;

  /**
   * @param bytes of all guests
   */
  TableHeap(long bytes) {
    all = new AssuredBudget(bytes, DaemonConfig.MAX_GUESTS);
  }

  /** An eighth of what this process may have. */
  public static TableHeap ofThisProcess() {
    return new TableHeap(Runtime.getRuntime().maxMemory() / 8);
  }

  /** The part of one more guest. */
  MemoryBudget guest() {
    return all.part();
  }
}
