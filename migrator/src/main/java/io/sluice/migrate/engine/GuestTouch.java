package io.sluice.migrate.engine;

import io.sluice.migrate.machine.LiveMachine;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The step between the drain and the machine's stop: where nobody knows which pages of the
 * machine's memory the GPU wrote, the guest itself is asked to write to each that it may have
 * written. They are copied while the machine runs then, instead of while it stands still. That
 * holds as long as no channel starts after the guest was seen drained.
 *
 * <p>One thread uses it.
 */
final class GuestTouch {
  /** A guest that is busy is not waited for longer: its GPU is idle meanwhile. */
  static final long PATIENCE_NS = 250_000_000;

  /**
   * A request.
   *
   * @param sinceNs of the first one: a guest that starts channels all the time is not waited for
   *     anew
   * @param starts of channels until then
   */
  private record Asked(long sinceNs, long starts) {}

  private final LiveMachine machine;
  private final LongSupplier starts;
  private final BooleanSupplier unseen;
  private @Nullable Asked asked;

  /**
   * @param starts how often a channel of the guest has begun to run, or gone on
   * @param unseen whether the GPU may have written memory of the machine that nobody knows of
   */
  GuestTouch(LiveMachine machine, LongSupplier starts, BooleanSupplier unseen) {
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
    Asked before = asked;
    if (before != null && before.starts() == startsBefore || !unseen.getAsBoolean()) {
      return;
    }
    asked = new Asked(before == null ? nowNs : before.sinceNs(), startsBefore);
    machine.askToTouch();
  }

  /** Whether there is nothing to wait for before the machine stops. */
  boolean isOver(long nowNs) {
    return asked == null
        || machine.hasTouched()
        || machine.cannotTouch()
        || nowNs - asked.sinceNs() > PATIENCE_NS;
  }

  /** The machine stands still: whether all that its GPU may have written is known to be dirty. */
  boolean isDone() {
    return asked != null && asked.starts() == starts.getAsLong() && machine.hasTouched();
  }
}
