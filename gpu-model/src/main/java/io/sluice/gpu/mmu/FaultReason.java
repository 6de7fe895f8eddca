package io.sluice.gpu.mmu;

/**
 * The reason for which the MMU refused an access; the codes are those of PFIFO's VM fault record
 * (reg 0x280c).
 */
public enum FaultReason {
  /** The access is allowed. */
  NONE(-1),
  /** No page table covers the address: nothing was ever mapped in its 128 MiB. */
  PT_NOT_PRESENT(0),
  /** The page is not mapped, or its memory was taken away. */
  PAGE_NOT_PRESENT(2),
  /** The address is outside the 40-bit address space. */
  VM_LIMIT_EXCEEDED(3),
  /** A write to memory that was handed over for reading only. */
  READ_ONLY(6);

  private final int code;

  FaultReason(int code) {
    this.code = code;
  }

  /** The hardware's code; -1 for {@link #NONE}. */
  public int code() {
    return code;
  }
}
