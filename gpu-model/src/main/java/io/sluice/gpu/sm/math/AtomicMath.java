package io.sluice.gpu.sm.math;

import static io.sluice.gpu.sm.isa.Instruction.bit;
import static io.sluice.gpu.sm.isa.Instruction.bits;

import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;

/** Arithmetic of reductions and atomics, and the fields that tell them apart. */
public final class AtomicMath {
  private static final int ADD = 0;
  private static final int MIN = 1;
  private static final int MAX = 2;
  private static final int INC = 3;
  private static final int DEC = 4;
  private static final int AND = 5;
  private static final int OR = 6;
  private static final int XOR = 7;
  private static final int EXCHANGE = 8;
  private static final int COMPARE_AND_SWAP = 9;

  /** Bits 61:59 of the word: the type. */
  private static final int SIGNED = 3;

  private static final int FLOAT = 5;

  private AtomicMath() {}

  /** Whether it works on eight bytes. */
  public static boolean isWide(Opcode opcode, Instruction i) {
    return switch (opcode) {
      case RED, ATOM, ATOM_EXCH, ATOM_CAS -> i.bit(9);
      default -> false;
    };
  }

  /** Whether there is such a reduction: 64 bits and floats only add, s32 has no logic. */
  public static boolean exists(Opcode opcode, Instruction i) {
    int operation = i.bits(8, 5);
    return switch (opcode) {
      case RED, ATOM -> isWide(opcode, i) ? operation == ADD : operation <= XOR;
      case RED_S32, ATOM_S32 -> operation <= MAX;
      default -> true;
    };
  }

  public static boolean isCompareAndSwap(long word) {
    return bits(word, 8, 5) == COMPARE_AND_SWAP;
  }

  /** The new value of four bytes. */
  public static int reduce(long word, int old, int operand) {
    boolean signed = bits(word, 61, 59) == SIGNED;
    boolean less = signed ? old < operand : Integer.compareUnsigned(old, operand) < 0;
    return switch (bits(word, 8, 5)) {
      case ADD ->
          bits(word, 61, 59) == FLOAT
              ? Fp32.add(old, operand, Rounding.RN, true, false)
              : old + operand;
      case MIN -> less ? old : operand;
      case MAX -> less ? operand : old;
      case INC -> less ? old + 1 : 0;
      case DEC -> old == 0 || Integer.compareUnsigned(old, operand) > 0 ? operand : old - 1;
      case AND -> old & operand;
      case OR -> old | operand;
      case XOR -> old ^ operand;
      case EXCHANGE -> operand;
      default -> throw new AssertionError(word);
    };
  }

  /** The new value of eight bytes. */
  public static long reduce(long word, long old, long operand) {
    return bit(word, 8) ? operand : old + operand;
  }
}
