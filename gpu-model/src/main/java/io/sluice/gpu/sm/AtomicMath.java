package io.sluice.gpu.sm;

/** What reductions and atomics compute, and how they are told apart. */
final class AtomicMath {
  private static final int ADD = 0;
  private static final int MIN = 1;
  private static final int MAX = 2;
  private static final int INC = 3;
  private static final int DEC = 4;
  private static final int AND = 5;
  private static final int OR = 6;
  private static final int XOR = 7;

  private AtomicMath() {}

  /** Whether it works on eight bytes. */
  static boolean isWide(Opcode opcode, Instruction i) {
    return switch (opcode) {
      case RED, ATOM, ATOM_EXCH, ATOM_CAS -> i.bit(9);
      default -> false;
    };
  }

  /** Whether there is such a reduction: 64 bits and floats only add, s32 has no logic. */
  static boolean exists(Opcode opcode, Instruction i) {
    int operation = i.bits(8, 5);
    return switch (opcode) {
      case RED, ATOM -> isWide(opcode, i) ? operation == ADD : operation <= XOR;
      case RED_S32, ATOM_S32 -> operation <= MAX;
      default -> true;
    };
  }

  /** The new value of four bytes. */
  static int reduce(Opcode opcode, Instruction i, int old, int operand) {
    return switch (opcode) {
      case RED_F32, ATOM_F32 -> Fp32.add(old, operand, Rounding.RN, true, false);
      case RED_S32, ATOM_S32 -> signed(i.bits(8, 5), old, operand);
      case ATOM_EXCH -> operand;
      default -> unsigned(i.bits(8, 5), old, operand);
    };
  }

  private static int signed(int operation, int old, int operand) {
    return switch (operation) {
      case ADD -> old + operand;
      case MIN -> Math.min(old, operand);
      case MAX -> Math.max(old, operand);
      default -> throw new AssertionError(operation);
    };
  }

  private static int unsigned(int operation, int old, int operand) {
    boolean less = Integer.compareUnsigned(old, operand) < 0;
    return switch (operation) {
      case ADD -> old + operand;
      case MIN -> less ? old : operand;
      case MAX -> less ? operand : old;
      case INC -> less ? old + 1 : 0;
      case DEC -> old == 0 || Integer.compareUnsigned(old, operand) > 0 ? operand : old - 1;
      case AND -> old & operand;
      case OR -> old | operand;
      case XOR -> old ^ operand;
      default -> throw new AssertionError(operation);
    };
  }
}
