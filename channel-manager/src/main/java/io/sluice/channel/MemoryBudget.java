package io.sluice.channel;

import java.util.function.LongSupplier;

/** An amount of memory of one kind that somebody may take, and has taken. From any thread. */
public interface MemoryBudget {
  /** A budget of its own. */
  static MemoryBudget upTo(LongSupplier mostBytes) {
    return new BoundedBudget(mostBytes);
  }

  /** Takes as much, if it may be; nothing otherwise. */
  boolean take(long bytes);

  /** Takes more, whatever the limit is: what was asked for turned out to be longer. */
  void add(long bytes);

  void giveBack(long bytes);

  /** The bytes that are taken. */
  long bytes();

  /** Most bytes that may be taken now. */
  long limitBytes();

  /** Whether what does not fit goes to system memory instead. */
  default boolean overflows() {
    return false;
  }

  /**
   * Frees memory of others, who have more than they may, because the GPU has none left for what was
   * taken.
   *
   * @return whether there is more now
   */
  default boolean makeRoom() {
    return false;
  }
}
