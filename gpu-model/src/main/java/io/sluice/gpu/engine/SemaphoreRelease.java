package io.sluice.gpu.engine;

import static io.sluice.gpu.engine.LittleEndian.INT;
import static io.sluice.gpu.engine.LittleEndian.INT_ACCESS;
import static io.sluice.gpu.engine.LittleEndian.LONG;

import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.Run;

/**
 * The release of a semaphore, as the host and every engine do it.
 *
 * <pre>
 *  one word:    payload@0
 *  four words:  payload@0   0@4   PTIMER ns@8 (64 bit)
 * </pre>
 *
 * <p>Whoever sees the payload sees everything the channel wrote before it, and the timestamp: the
 * payload is stored last, with release order.
 */
public final class SemaphoreRelease {
  /** Length of the four-word form; its address is a multiple of this. */
  public static final int FOUR_WORDS = 16;

  /** Length of the one-word form; its address is a multiple of this. */
  public static final int ONE_WORD = 4;

  private SemaphoreRelease() {}

  /** Whether an address suits the form. */
  public static boolean isAligned(long address, boolean oneWord) {
    return (address & ((oneWord ? ONE_WORD : FOUR_WORDS) - 1)) == 0;
  }

  /**
   * Writes it.
   *
   * @param host whose semaphore it is
   * @param address aligned for the form
   * @param run scratch
   * @return why not; {@link FaultReason#NONE} when it was written
   */
  public static FaultReason write(
      EngineHost host, long address, int payload, boolean oneWord, Run run) {
    int bytes = oneWord ? ONE_WORD : FOUR_WORDS;
    FaultReason reason = host.translate(address, bytes, true, run);
    if (reason != FaultReason.NONE) {
      return reason;
    }
    if (!oneWord) {
      run.segment().set(INT, run.offset() + 4, 0);
      run.segment().set(LONG, run.offset() + 8, host.timeNs());
    }
    INT_ACCESS.setRelease(run.segment(), run.offset(), payload);
    return FaultReason.NONE;
  }
}
