package io.sluice.migrate.engine;

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
  private final MemorySource memory;
  private final boolean wanted;
  private boolean begun;
  private long pagesBefore;

  /**
   * @param copiesMemory whether there is anything to copy
   */
  SettlingPass(SourceMachine machine, MemorySource memory, boolean copiesMemory) {
    this.memory = memory;
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

  /**
   * Whether all is on its way that can be before the machine stops. What the link still carries
   * then it carries while the machine comes to its stop.
   */
  boolean isDone() {
    return !wanted || begun && !memory.isPassing();
  }

  /** Pages sent in it so far. */
  long pages() {
    return begun ? memory.pagesSent() - pagesBefore : 0;
  }
}
