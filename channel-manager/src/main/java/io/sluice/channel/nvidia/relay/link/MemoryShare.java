package io.sluice.channel.nvidia.relay.link;

import io.sluice.channel.MemoryBudget;
import java.util.concurrent.atomic.AtomicLong;

/** The part of a program in what its guest has of one kind of memory. */
public final class MemoryShare {
  private volatile MemoryBudget all;
  private final AtomicLong bytes = new AtomicLong(); // written by the program's thread

  public MemoryShare(MemoryBudget all) {
    this.all = all;
  }

  public boolean take(long wanted) {
    if (!all.take(wanted)) {
      return false;
    }
    bytes.addAndGet(wanted);
    return true;
  }

  /** Takes more, whatever the limit is: what was asked for turned out to be longer. */
  public void add(long more) {
    all.add(more);
    bytes.addAndGet(more);
  }

  /** As {@link MemoryBudget#overflows}. */
  public boolean overflows() {
    return all.overflows();
  }

  /** As {@link MemoryBudget#makeRoom}. */
  public boolean makeRoom() {
    return all.makeRoom();
  }

  public void giveBack(long taken) {
    bytes.addAndGet(-taken);
    all.giveBack(taken);
  }

  /** It is a part of another from now on; it must have nothing. */
  public void moveTo(MemoryBudget other) {
    if (bytes.get() != 0) {
      throw new IllegalStateException("a share moves with " + bytes.get() + " bytes");
    }
    all = other;
  }

  public long bytes() {
    return bytes.get();
  }
}
