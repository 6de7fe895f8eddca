package io.sluice.gpu.sm.jit.plan;

import io.sluice.gpu.sm.decode.Effects;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;

/**
 * Two instructions that together compute 64 bits: the lower word with its carry, then the upper
 * word with it. Programs are full of them, because addresses have 64 bits and registers 32. They
 * become one operation on longs:
 *
 * <pre>
 *   IMAD.CC Rn, a, b, lo;  IMAD.HI.X Rn+1, a, b, hi    Rn+1:Rn = a * b + hi:lo
 *   IADD.CC Rn, a, b;      IADD.X Rn+1, c, d           Rn+1:Rn = c:a + d:b
 * </pre>
 */
public final class PairFusion {
  private PairFusion() {}

  /** Whether two instructions that follow each other are such a pair. The carry must be dead. */
  public static boolean matches(Instruction low, Instruction high) {
    Opcode opcode = low.form();
    boolean together = low.isAlways() && high.isAlways() && !low.join() && !high.join();
    if (opcode != high.form() || !together) {
      return false;
    }
    boolean targets =
        low.dst() != Instruction.RZ
            && high.dst() == low.dst() + 1
            && high.dst() != Instruction.RZ
            && low.writesCc()
            && !high.writesCc();
    boolean early = (Effects.of(opcode, high).reads() >>> low.dst() & 1) != 0;
    if (!targets || early) {
      return false;
    }
    return switch (opcode) {
      case IADD -> isPlainSum(low) && isPlainSum(high) && !low.bit(6) && high.bit(6);
      case IMAD -> areProducts(low, high);
      default -> false;
    };
  }

  private static boolean isPlainSum(Instruction i) {
    return i.bits(9, 8) == 0 && !i.bit(5);
  }

  private static boolean areProducts(Instruction low, Instruction high) {
    boolean plain = isPlainMad(low) && isPlainMad(high);
    boolean words = !low.bit(6) && high.bit(6) && !low.bit(55) && high.bit(55);
    return plain && words && low.src1() == high.src1() && sameSecond(low, high);
  }

  private static boolean isPlainMad(Instruction i) {
    return i.bits(9, 8) == 0 && !i.bit(56);
  }

  private static boolean sameSecond(Instruction low, Instruction high) {
    if (low.mode() != high.mode()) {
      return false;
    }
    return switch (low.mode()) {
      case Instruction.REGISTER -> low.src2() == high.src2();
      case Instruction.CONST_THIRD -> low.src3() == high.src3();
      case Instruction.IMMEDIATE -> low.imm20() == high.imm20();
      default -> low.constBank() == high.constBank() && low.constOffset() == high.constOffset();
    };
  }
}
