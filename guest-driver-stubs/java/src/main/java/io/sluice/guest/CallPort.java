package io.sluice.guest;

import io.sluice.abi.guest.CallSlot;
import io.sluice.abi.guest.GuestAbi;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.ToLongFunction;

/**
 * Posts calls in slot 0 of BAR 1 and waits for each. Other slots are left to callers that keep
 * several calls in flight.
 */
final class CallPort {
  /** How long a call may take before the host counts as gone, in milliseconds. */
  private static final int TIMEOUT_MS = 10_000;

  private static final long SLOT = GuestAbi.BAR1_SLOTS;

  private final MemorySegment bar;
  private final IntConsumer doorbell;
  private final CompletionWait completions;

  /** Waits for vector 0. */
  interface CompletionWait {
    /** Returns when the vector was raised, or false after the time-out. */
    boolean await(int timeoutMs);
  }

  /**
   * @param bar BAR 1
   * @param doorbell writes a slot's index to SLUICE_REG_CALL
   * @param completions waits for vector 0
   */
  CallPort(MemorySegment bar, IntConsumer doorbell, CompletionWait completions) {
    this.bar = bar;
    this.doorbell = doorbell;
    this.completions = completions;
  }

  /**
   * Makes a call.
   *
   * @param name for messages
   * @param command SLUICE_CALL_*
   * @param fill writes the arguments, at offset 0 of what it gets
   * @param result reads a result
   * @throws CallFailedException when the host refuses
   * @throws DeviceLostException when it does not answer
   */
  synchronized long call(
      String name,
      int command,
      Consumer<MemorySegment> fill,
      ToLongFunction<MemorySegment> result) {
    MemorySegment args = bar.asSlice(SLOT + CallSlot.ARGS_OFFSET, GuestAbi.SLOT_ARGS);
    args.fill((byte) 0);
    fill.accept(args);
    int seq = CallSlot.seq(bar, SLOT) + 1;
    if (seq == 0) {
      seq = 1;
    }
    CallSlot.command(bar, SLOT, command);
    CallSlot.status(bar, SLOT, 0);
    CallSlot.seq(bar, SLOT, seq);
    doorbell.accept(0);
    while (CallSlot.doneSeq(bar, SLOT) != seq) {
      if (!completions.await(TIMEOUT_MS) && CallSlot.doneSeq(bar, SLOT) != seq) {
        throw new DeviceLostException(name + " was not answered within " + TIMEOUT_MS + " ms");
      }
    }
    int status = CallSlot.status(bar, SLOT);
    if (status != GuestAbi.STATUS_OK) {
      throw new CallFailedException(name, status & ~GuestAbi.STATUS_ERROR);
    }
    return result.applyAsLong(args);
  }

  /** A call whose result does not matter. */
  void call(String name, int command, Consumer<MemorySegment> fill) {
    call(name, command, fill, _ -> 0);
  }
}
