package io.sluice.channel.nvidia.channel;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The poison in a channel's ring: entries of ours in place of the guest's, each behind the last,
 * and the pages that they point to.
 */
final class Poisons implements AutoCloseable {
  private static final VarHandle U64 = Layouts.U64.varHandle();

  /** A slot of the ring that has poison in it, and what it held. */
  private record Poison(MemorySegment slot, long entry, long saved) {}

  private final ScratchPages pages;
  private final List<Poison> all = new ArrayList<>(1);

  /**
   * @param pages owned
   */
  Poisons(ScratchPages pages) {
    this.pages = pages;
  }

  /**
   * Whether there may be another. A guest that holds still when asked takes the place of one at
   * most, and of one more for each wait that follows on another.
   */
  boolean haveRoom() {
    return all.size() < ScratchPages.MAX_POISONS;
  }

  /** Puts another one into a slot. */
  void put(MemorySegment slot) {
    long entry = pages.poison(all.size());
    long saved = (long) U64.getAndSet(slot, 0L, entry);
    all.add(new Poison(slot, entry, saved));
  }

  /** Whether the last one was run, and with it all before. */
  boolean areRun() {
    return pages.isReleased(all.size() - 1);
  }

  /** How many are behind the first one that was run: the guest's entry was not, in its place. */
  int behindFirstRun() {
    int first = 0;
    while (!pages.isReleased(first)) {
      first++;
    }
    return all.size() - 1 - first;
  }

  /** Whether an entry of the guest's has taken the place of the last one. */
  boolean isLastTaken() {
    Poison last = all.getLast();
    return (long) U64.getAcquire(last.slot(), 0L) != last.entry();
  }

  /** Has the slots hold again what they held, but for those that the guest has taken. */
  void restoreSlots() {
    for (Poison poison : all) {
      boolean _ = U64.compareAndSet(poison.slot(), 0L, poison.entry(), poison.saved());
    }
  }

  @Override
  public void close() {
    pages.close();
  }
}
