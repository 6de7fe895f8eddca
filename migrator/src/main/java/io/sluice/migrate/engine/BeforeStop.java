package io.sluice.migrate.engine;

import io.sluice.channel.GuestMove;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.memory.MemorySource;
import java.util.Optional;

/**
 * What is done from when access was taken back until the machine's stop, so that little is left for
 * the pause: passes over video memory, and the pages of the machine's own memory that its GPU
 * wrote.
 *
 * <p>One thread uses it.
 */
final class BeforeStop {
  private final Optional<DrainPasses> passes;
  private final SettlingPass pass;
  private final GuestTouch touch;

  /**
   * @param copiesMemory whether video memory is copied
   */
  BeforeStop(SourceMachine machine, GuestMove move, MemorySource memory, boolean copiesMemory) {
    passes =
        copiesMemory && machine.standsStill()
            ? Optional.of(new DrainPasses(DrainPasses.Passes.of(memory)))
            : Optional.empty();
    pass = new SettlingPass(machine, memory, copiesMemory);
    boolean wanted =
        machine.standsStill() && !machine.handsMemoryOver() && !machine.asksForGuestWrites();
    touch = new GuestTouch(machine, move::starts, () -> wanted && memory.mayHaveUnseenWrites());
  }

  /**
   * The GPU ends what it was given.
   *
   * @param restNs how long that takes yet, as expected
   * @return how much was begun
   */
  int whileDraining(long restNs, long nowNs) {
    return passes.map(during -> during.look(restNs, nowNs)).orElse(0);
  }

  /**
   * The GPU is seen drained.
   *
   * @param stopped whether the machine has stopped already
   * @param forced whether the operator's time is over: the last pass is as good then
   * @param startsBefore of channels, as counted before it was looked whether the GPU is drained
   * @return how much was begun
   */
  int begin(boolean stopped, boolean forced, long startsBefore, long nowNs) {
    passes.ifPresent(during -> during.note(nowNs));
    if (!stopped) {
      touch.begin(startsBefore, nowNs);
    }
    return pass.begin(stopped || forced) ? 1 : 0;
  }

  /** Whether there is nothing to wait for. */
  boolean isDone(long nowNs) {
    return pass.isDone() && touch.isOver(nowNs);
  }

  /** What was done, for the report. */
  String told() {
    return " drainPages="
        + passes.map(DrainPasses::mostPages).orElse(0L)
        + " settledPages="
        + pass.pages()
        + " touchedByGuest="
        + isTouched();
  }

  /** Whether all that the GPU may have written of the machine's memory is known to be dirty. */
  boolean isTouched() {
    return touch.isDone();
  }
}
