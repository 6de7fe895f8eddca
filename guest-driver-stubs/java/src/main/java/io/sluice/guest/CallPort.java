package io.sluice.guest;

import io.sluice.abi.guest.CallSlot;
import io.sluice.abi.guest.GuestAbi;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The port that posts calls in the slots of BAR 1, from slot 0 on, and waits for them: for one, or
 * once for several, which the host executes in their order.
 */
final class CallPort {
  /** How long a call may take before the host counts as gone, in milliseconds. */
  private static final int TIMEOUT_MS = 10_000;

  /**
   * A call.
   *
   * @param name for messages
   * @param command SLUICE_CALL_*
   * @param fill writes the arguments, at offset 0 of what it gets
   * @param result reads the results
   */
  record DeviceCall(
      String name, int command, Consumer<MemorySegment> fill, Consumer<MemorySegment> result) {}

  private final MemorySegment bar;
  private final IntConsumer doorbell;
  private final CompletionWait completions;

  /** The wait for vector 0. */
  interface CompletionWait {
    /** Returns when the vector was raised, or false after the time-out, or without a host. */
    boolean await(int timeoutMs);
  }

  /**
   * @param bar BAR 1
   * @param doorbell writes the numbers of so many slots, from 0 on, to SLUICE_REG_CALL
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
  long call(
      String name,
      int command,
      Consumer<MemorySegment> fill,
      ToLongFunction<MemorySegment> result) {
    long[] returned = new long[1];
    callAll(
        List.of(
            new DeviceCall(name, command, fill, args -> returned[0] = result.applyAsLong(args))));
    return returned[0];
  }

  /**
   * Makes calls, each of which must not need a result of another. All are made even if one is
   * refused.
   *
   * @throws CallFailedException for the first that the host refuses, after the results of the
   *     others have been read
   * @throws DeviceLostException when it does not answer
   */
  synchronized void callAll(List<DeviceCall> calls) {
    CallFailedException refused = null;
    for (int from = 0; from < calls.size(); from += GuestAbi.MAX_SLOTS) {
      List<DeviceCall> part =
          calls.subList(from, Math.min(calls.size(), from + GuestAbi.MAX_SLOTS));
      int[] posted = new int[part.size()];
      for (int slot = 0; slot < posted.length; slot++) {
        posted[slot] = post(slot, part.get(slot));
      }
      doorbell.accept(posted.length);
      for (int slot = 0; slot < posted.length; slot++) {
        CallFailedException failed = take(slot, part.get(slot), posted[slot]);
        refused = refused == null ? failed : refused;
      }
    }
    if (refused != null) {
      throw refused;
    }
  }

  private static long at(int slot) {
    return GuestAbi.BAR1_SLOTS + slot * CallSlot.SIZE;
  }

  private MemorySegment args(int slot) {
    return bar.asSlice(at(slot) + CallSlot.ARGS.offset(), GuestAbi.SLOT_ARGS);
  }

  /** Writes a call into its slot; returns its sequence number. */
  private int post(int slot, DeviceCall call) {
    long at = at(slot);
    MemorySegment args = args(slot);
    args.fill((byte) 0);
    call.fill.accept(args);
    int seq = CallSlot.SEQ.bitsAcquire(bar, at) + 1;
    if (seq == 0) {
      seq = 1;
    }
    CallSlot.COMMAND.setBits(bar, at, call.command);
    CallSlot.STATUS.set(bar, at, 0);
    CallSlot.SEQ.setRelease(bar, at, seq);
    return seq;
  }

  /** Waits for a call and reads its results; what it was refused with, or null. */
  private @Nullable CallFailedException take(int slot, DeviceCall call, int seq) {
    long at = at(slot);
    while (CallSlot.DONE_SEQ.bitsAcquire(bar, at) != seq) {
      if (!completions.await(TIMEOUT_MS) && CallSlot.DONE_SEQ.bitsAcquire(bar, at) != seq) {
        throw new DeviceLostException(
            call.name + " was not answered within " + TIMEOUT_MS + " ms, or its host has ended");
      }
    }
    int status = CallSlot.STATUS.bits(bar, at);
    if (status != GuestAbi.STATUS_OK) {
      return new CallFailedException(call.name, status & ~GuestAbi.STATUS_ERROR);
    }
    call.result.accept(args(slot));
    return null;
  }

  /** A call whose result does not matter. */
  void call(String name, int command, Consumer<MemorySegment> fill) {
    call(name, command, fill, _ -> 0);
  }
}
