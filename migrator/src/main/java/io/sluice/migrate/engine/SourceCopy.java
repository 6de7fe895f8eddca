package io.sluice.migrate.engine;

import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.memory.MemorySource;

/**
 * The copying of a guest's memory while it may still run: the GPU's and the machine's, and their
 * rate.
 */
final class SourceCopy {
  private static final long UNKNOWN_NS = Long.MAX_VALUE;

  private final MemorySource memory;
  private final MachineStop stop;
  private final MigrationLink link;
  private final LinkRate rate;
  private final boolean apart;

  /** When the machine was last seen not to stand still. */
  private long ranNs;

  /**
   * @param apart whether the machine's memory goes beside the link, not by it
   */
  SourceCopy(
      MemorySource memory, MachineStop stop, MigrationLink link, LinkRate rate, boolean apart) {
    this.memory = memory;
    this.stop = stop;
    this.link = link;
    this.rate = rate;
    this.apart = apart;
  }

  /**
   * Copies some pages, and looks at the machine.
   *
   * @return how much was done
   */
  int work(long nowNs) {
    int worked = memory.work(MemorySource.PAGES_AT_ONCE);
    rate.update(nowNs, carriedBytes() + (apart ? stop.bytesCarried() : 0));
    stop.look(nowNs);
    if (!stop.isStopped()) {
      ranNs = nowNs;
    }
    return worked;
  }

  /** What the link has taken so far. */
  long carriedBytes() {
    MigrationLink.Statistics carried = link.statistics();
    return carried.bytesSent() - carried.bytesQueued();
  }

  /** What is to be copied yet, of the GPU's memory and the machine's. */
  long leftBytes() {
    return memory.bytesLeft()
        + link.statistics().bytesQueued()
        + stop.bytesQueued()
        + stop.bytesLeft();
  }

  /** How long so many bytes take; very long while the machine does not say what is left of it. */
  long durationNs(long bytes) {
    return stop.isKnown() ? rate.durationNs(bytes) : UNKNOWN_NS;
  }

  /** Whether what is queued, and what takes so long beside it, is gone in a moment. */
  boolean isQueueShort(long besideNs) {
    return rate.isShort(link.statistics().bytesQueued(), besideNs);
  }

  /** How long the machine has been seen to stand still. */
  long stoodNs(long nowNs) {
    return nowNs - ranNs;
  }

  long bytesPerSecond() {
    return (long) rate.bytesPerSecond();
  }
}
