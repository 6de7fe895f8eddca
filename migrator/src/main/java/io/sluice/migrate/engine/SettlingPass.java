package io.sluice.migrate.engine;

import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.memory.MemorySource;

/**
 * The pass over video memory between the drain and the machine's stop. The GPU has written all that
 * it will, and the machine still runs: what is sent now is not sent while the machine stands still,
 * where only its processors' last writes are left to find.
 *
 * <p>One thread uses it.
 */
final class SettlingPass {
  /** QEMU takes about as long to stop a machine: what the link still carries then costs nothing. */
  static final long STOP_NS = 50_000_000;

  private final MemorySource memory;
  private final MigrationLink link;
  private final LinkRate rate;
  private final boolean wanted;
  private boolean begun;
  private long pagesBefore;

  /**
   * @param copiesMemory whether there is anything to copy
   */
  SettlingPass(
      SourceMachine machine,
      MemorySource memory,
      boolean copiesMemory,
      MigrationLink link,
      LinkRate rate) {
    this.memory = memory;
    this.link = link;
    this.rate = rate;
    wanted = copiesMemory && machine.standsStill();
  }

  /**
   * The GPU has drained: begins the pass, once the one under way is over.
   *
   * @param stopped whether the machine has stopped already: the last pass is as good then
   * @return whether it was begun
   */
  boolean begin(boolean stopped) {
    if (!wanted || begun || stopped || memory.isPassing()) {
      return false;
    }
    begun = true;
    pagesBefore = memory.pagesSent();
    memory.beginPass();
    return true;
  }

  /** Whether all is sent that can be before the machine stops, or nearly. */
  boolean isDone() {
    return !wanted
        || begun
            && !memory.isPassing()
            && rate.durationNs(link.statistics().bytesQueued()) <= STOP_NS;
  }

  /** Pages sent in it so far. */
  long pages() {
    return begun ? memory.pagesSent() - pagesBefore : 0;
  }
}
