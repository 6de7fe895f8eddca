package io.sluice.gpu.sm.fault;

/**
 * The reasons for which a warp is stopped; the numbers are those of PGRAPH's warp error register.
 */
public enum WarpError {
  /** The call and reconvergence stack is too deep, or a return has no partner. */
  STACK_ERROR(1),
  /** A word that is no instruction. */
  INVALID_OPCODE(9),
  /** A register the program did not ask for. */
  GPR_OUT_OF_BOUNDS(13),
  /** An address outside memory. */
  MEM_OUT_OF_BOUNDS(14),
  /** An address that is not a multiple of the access size. */
  UNALIGNED(15),
  /** An address of a kind the instruction does not access. */
  INVALID_ADDR_SPACE(16),
  /** An operand value the instruction does not take. */
  INVALID_PARAM(17);

  private final int code;

  WarpError(int code) {
    this.code = code;
  }

  /** The number in the warp error register. */
  public int code() {
    return code;
  }
}
