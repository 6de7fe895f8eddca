package io.sluice.testbed.attack;

import java.util.Locale;
import java.util.Optional;

/**
 * The attacks by name: random ones against each message, call, ring word and program, and one for
 * each budget that exhausts it. Each is repeated with other random numbers until its time is over.
 */
enum Attack implements Onslaught {
  /** Messages right and wrong, with descriptors of every kind. */
  MESSAGES(RandomAttacks::messages),
  /** Calls right and wrong, and slots that change while they are read. */
  CALLS(RandomAttacks::calls),
  /** Ring entries, pushbuffers and control pages, changed while they are executed. */
  RING(RandomAttacks::ring),
  /** Programs of random instructions, launched with random sizes. */
  PROGRAMS(RandomAttacks::programs),
  /** Time under the card's lock: unmaps of memory that a space maps with 2^26 extents. */
  UNMAP_OF_EXTENTS(MemoryAttacks::unmapOfExtents),
  /** Address space of the daemon: memory files of 64 TiB. */
  ADDRESS_SPACE(MemoryAttacks::addressSpace),
  /** Descriptors and mappings of the daemon: as many maps as it takes. */
  MAPPINGS(MemoryAttacks::mappings),
  /** Time under the card's lock: video memory that is touched and freed. */
  TOUCHED_AND_FREED(MemoryAttacks::touchedAndFreed),
  /** Host's memory, and time of giving it back: all video memory that it may have. */
  WHOLE_SHARE(MemoryAttacks::wholeShare),
  /** Time of giving back: spaces, channels, mappings, handles and extents that go all at once. */
  FILLED_AND_FREED(TableAttacks::filledAndFreed),
  /** Time of whoever touches memory: pages that are taken out of a file while the GPU is at it. */
  PUNCHED(PunchAttacks::punched),
  /** The same of a few pages, again and again. */
  NIBBLED(PunchAttacks::nibbled),
  /** Java heap: a log of pages that the GPU writes all over the bus. */
  LOGGED_PAGES(MemoryAttacks::loggedPages),
  /** Others' video memory that moves: as a guest that has some, and has none, again and again. */
  COMES_AND_GOES(MemoryAttacks::comesAndGoes),
  /** Java heap: call stacks of grids that do not end. */
  CALL_STACKS(ExecutionAttacks::callStacks),
  /** Java heap: as many channels with work as there may be. */
  CHANNELS(ExecutionAttacks::channels),
  /** Time of whoever signals an interrupt: many that wait for it. */
  WAITERS(InterruptAttacks::waiters),
  /** Descriptors whose close waits, in the connection of a client. */
  LINGER(ConnectionAttacks::linger),
  /** Descriptors whose close waits, from a second client. */
  LINGER_OF_SECOND(ConnectionAttacks::lingerOfSecond),
  /** Descriptors whose file does not answer: of a file system that the attacker serves. */
  FUSE(ConnectionAttacks::fuse),
  /** Descriptors: more with a message than are taken. */
  MANY_DESCRIPTORS(DescriptorAttacks::many),
  /**
   * Descriptors in connections that nobody has accepted, of a guest that is destroyed meanwhile.
   */
  UNACCEPTED(DescriptorAttacks::unaccepted),
  /** Lines of the log: clients that leave before their reply, and second ones. */
  LOG(ConnectionAttacks::log),
  /** Lengths of 64 bits where a client sends one. */
  LENGTHS(ConnectionAttacks::lengths),
  /** Connections that say nothing. */
  SILENT(ConnectionAttacks::silent);

  private final Body body;

  Attack(Body body) {
    this.body = body;
  }

  /** One round. */
  @FunctionalInterface
  interface Body {
    void run(Means means);
  }

  /** One round; what the host refuses ends it. */
  void run(Means means) {
    body.run(means);
  }

  /** Whether it is on a guest of its own, which an operator destroys while it is on. */
  boolean isOnADoomedGuest() {
    return this == UNACCEPTED;
  }

  @Override
  public Optional<String> obstacle() {
    return this == FUSE ? FuseMount.obstacle() : Optional.empty();
  }

  @Override
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Attack of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
