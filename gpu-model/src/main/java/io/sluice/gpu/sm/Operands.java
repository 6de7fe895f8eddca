package io.sluice.gpu.sm;

/** Fetches the second and third operand of an ALU instruction, by its mode field. */
final class Operands {
  private static final int REGISTER = 0;
  private static final int CONST_SECOND = 1;
  private static final int CONST_THIRD = 2;
  private static final int IMMEDIATE = 3;

  private final Grid grid;
  private final SmMemory memory;

  Operands(Grid grid, SmMemory memory) {
    this.grid = grid;
    this.memory = memory;
  }

  /** The second operand as an integer. */
  int second(Instruction i, Warp warp, int lane) {
    return i.mode() == IMMEDIATE ? i.imm20() : secondOrConst(i, warp, lane);
  }

  /** The second operand as float bits. */
  int secondFloat(Instruction i, Warp warp, int lane) {
    return i.mode() == IMMEDIATE ? i.imm20Float() : secondOrConst(i, warp, lane);
  }

  /** The second operand as double bits. */
  long secondDouble(Instruction i, Warp warp, int lane) {
    return switch (i.mode()) {
      case REGISTER -> warp.getPair(i.src2(), lane);
      case CONST_SECOND -> constant64(i.constBank(), i.constOffset());
      case CONST_THIRD -> warp.getPair(i.src3(), lane);
      default -> i.imm20Double();
    };
  }

  /** The third operand. */
  int third(Instruction i, Warp warp, int lane) {
    return i.mode() == CONST_THIRD
        ? constant(i.constBank(), i.constOffset())
        : warp.get(i.src3(), lane);
  }

  /** The third operand as double bits. */
  long thirdDouble(Instruction i, Warp warp, int lane) {
    return i.mode() == CONST_THIRD
        ? constant64(i.constBank(), i.constOffset())
        : warp.getPair(i.src3(), lane);
  }

  /** A word of a constant bank. */
  int constant(int bank, int offset) {
    return memory.load32(address(bank, offset, Integer.BYTES));
  }

  /** Two words of a constant bank. */
  long constant64(int bank, int offset) {
    return Integer.toUnsignedLong(constant(bank, offset))
        | (long) constant(bank, offset + Integer.BYTES) << 32;
  }

  /** The address of part of a constant bank. */
  long address(int bank, int offset, int bytes) {
    if (bank >= grid.banks().size()
        || offset < 0
        || (long) offset + bytes > grid.banks().get(bank).bytes()) {
      throw new WarpFault(WarpError.INVALID_CONST, offset);
    }
    return grid.banks().get(bank).address() + offset;
  }

  private int secondOrConst(Instruction i, Warp warp, int lane) {
    return switch (i.mode()) {
      case REGISTER -> warp.get(i.src2(), lane);
      case CONST_SECOND -> constant(i.constBank(), i.constOffset());
      default -> warp.get(i.src3(), lane);
    };
  }
}
