package io.sluice.migrate.engine;

import io.sluice.migrate.machine.SourceMachine;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Between the drain and the machine's stop: where nobody knows which pages of the machine's memory
 * the GPU wrote, the guest itself is asked to write to each that it may have written. They are
 * copied while the machine runs then, instead of while it stands still. That holds as long as no
 * channel starts after the guest was seen drained.
 *
 * <p>One thread uses it.
 */
final class GuestTouch {
  /** A guest that is busy is not waited for longer: its GPU is idle meanwhile. */
  static final long PATIENCE_NS = 250_000_000;

  private final SourceMachine machine;
  private final LongSupplier starts;
  private final BooleanSupplier unseen;
  private boolean asked;
  private long askedNs;
  private long askedStarts;

  /**
   * @param starts how often a channel of the guest has begun to run, or gone on
   * @param unseen whether the GPU may have written memory of the machine that nobody knows of
   */
  GuestTouch(SourceMachine machine, LongSupplier starts, BooleanSupplier unseen) {
    this.machine = machine;
    this.starts = starts;
    this.unseen = unseen;
  }

  /**
   * The GPU is seen drained: asks, once, and again when a channel has started since.
   *
   * @param startsBefore of channels, as counted before it was looked whether the GPU is drained
   */
  void begin(long startsBefore, long nowNs) {
    if (asked && askedStarts == startsBefore || !unseen.getAsBoolean()) {
      return;
    }
    if (!asked) {
      asked = true;
      askedNs = nowNs; // a guest that starts channels all the time is not waited for anew
    }
    askedStarts = startsBefore;
    machine.askToTouch();
  }

  /** Whether there is nothing to wait for before the machine stops. */
  boolean isOver(long nowNs) {
    return !asked || machine.hasTouched() || machine.cannotTouch() || nowNs - askedNs > PATIENCE_NS;
  }

  /** The machine stands still: whether all that its GPU may have written is known to be dirty. */
  boolean isDone() {
    return asked && askedStarts == starts.getAsLong() && machine.hasTouched();
  }
}
