package io.sluice.channel;

/**
 * The room that a guest has beside others.
 *
 * @param slots of its GPU
 * @param tables bytes of this process' heap for its tables, all of which it gives back when it is
 *     closed
 */
public record GuestRoom(CardSlots slots, MemoryBudget tables) {
  /** As much heap as its tables need. */
  public GuestRoom(CardSlots slots) {
    this(slots, MemoryBudget.upTo(() -> Long.MAX_VALUE));
  }
}
