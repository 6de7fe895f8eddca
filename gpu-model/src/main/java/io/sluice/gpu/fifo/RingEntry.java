package io.sluice.gpu.fifo;

/**
 * A GPFIFO entry, cl906f.h. Bits that only concern time (NO_CONTEXT_SWITCH, SYNC_WAIT: the model
 * always waits) or hardware options (conditional FETCH, PRIV) have no effect.
 *
 * <pre>
 *  word 0:  31..2 address[31:2]   1 NO_CONTEXT_SWITCH   0 FETCH
 *  word 1:  31 SYNC_WAIT   30..10 length in words   9 LEVEL (1: subroutine)   8 PRIV
 *           7..0 address[39:32], or the opcode of an entry of length 0
 * </pre>
 */
final class RingEntry {
  /** Length of an entry. */
  static final int BYTES = 8;

  private static final int OPCODE_ILLEGAL = 1;
  private static final int LAST_OPCODE = 3;

  private RingEntry() {}

  static long address(long entry) {
    return entry & 0xff_ffff_fffcL;
  }

  static int words(long entry) {
    return (int) (entry >>> 42) & 0x1f_ffff;
  }

  static boolean isMainLevel(long entry) {
    return (entry & 1L << 41) == 0;
  }

  /** Whether an entry of length 0 is a control entry without effect: NOP and the two CRC checks. */
  static boolean isLegalControl(long entry) {
    int opcode = (int) (entry >>> 32) & 0xff;
    return opcode <= LAST_OPCODE && opcode != OPCODE_ILLEGAL;
  }

  static int upperWord(long entry) {
    return (int) (entry >>> 32);
  }
}
