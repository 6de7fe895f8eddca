package io.sluice.migrate.engine;

import io.sluice.channel.guest.GuestMove;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.memory.MemorySource;
import java.util.Optional;

/**
 * The preparation of a machine's stop, from when access was taken back, so that little is left for
 * the pause: passes over video memory, and the pages of the machine's own memory that its GPU
 * wrote. The last of these passes, which settles, begins when the GPU has drained: it has written
 * all that it will, so that only the processors' last writes are left to find behind it.
 *
 * <p>One thread uses it.
 */
final class StopPreparation {
  /** The pass that settles. */
  private sealed interface Settling {
    /** No preparation: nothing is copied, or the machine does not stand still for long. */
    record Unwanted() implements Settling {}

    /** It is yet to begin. */
    record Pending() implements Settling {}

    /** It has begun, when so many pages had been sent. */
    record Begun(long pagesBefore) implements Settling {}
  }

  private final MemorySource memory;
  private final Optional<DrainPasses> passes;
  private final GuestTouch touch;
  private Settling settling;

  /**
   * @param copiesMemory whether video memory is copied
   */
  StopPreparation(
      SourceMachine machine, GuestMove move, MemorySource memory, boolean copiesMemory) {
    this.memory = memory;
    boolean wanted = copiesMemory && machine.standsStill();
    passes =
        wanted ? Optional.of(new DrainPasses(DrainPasses.Passes.of(memory))) : Optional.empty();
    settling = wanted ? new Settling.Pending() : new Settling.Unwanted();
    boolean touches =
        machine.standsStill() && !machine.handsMemoryOver() && !machine.asksForGuestWrites();
    touch =
        new GuestTouch(machine.live(), move::starts, () -> touches && memory.mayHaveUnseenWrites());
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
    return stopped || forced ? 0 : settle();
  }

  /** Once the pass under way is over. */
  private int settle() {
    if (!(settling instanceof Settling.Pending) || memory.isPassing()) {
      return 0;
    }
    settling = new Settling.Begun(memory.pagesSent());
    memory.beginPass();
    return 1;
  }

  /**
   * Whether all is on its way that can be before the machine stops. What the link still carries
   * then it carries while the machine comes to its stop.
   */
  boolean isDone(long nowNs) {
    return touch.isOver(nowNs)
        && switch (settling) {
          case Settling.Unwanted _ -> true;
          case Settling.Pending _ -> false;
          case Settling.Begun _ -> !memory.isPassing();
        };
  }

  /** Whether all that the GPU may have written of the machine's memory is known to be dirty. */
  boolean isTouched() {
    return touch.isDone();
  }

  /** Most pages that were sent in one pass during the drain. */
  long drainPages() {
    return passes.map(DrainPasses::mostPages).orElse(0L);
  }

  /** Pages that were sent in the pass that settles. */
  long settledPages() {
    return settling instanceof Settling.Begun(long before) ? memory.pagesSent() - before : 0;
  }
}
