package io.sluice.gpu.sm.decode;

import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.isa.SurfaceForm;
import io.sluice.gpu.sm.isa.TextureForm;
import io.sluice.gpu.sm.math.AtomicMath;
import io.sluice.gpu.sm.math.ConversionMath;
import io.sluice.gpu.sm.math.VideoMath;

/**
 * The refusal of what the decoder's masks let through although it is no instruction, or one whose
 * effect we do not know: better an illegal instruction than a wrong result.
 */
final class Legality {
  private static final int LARGEST_ACCESS = 6;
  private static final int LARGEST_PERMUTE_MODE = 6;
  private static final int LARGEST_TEST = 0x17;
  private static final int COMBINATIONS = 3;
  private static final int BARRIER_LEVELS = 3;

  private Legality() {}

  static boolean isLegal(Opcode opcode, Instruction i) {
    return switch (opcode) {
      case SHL -> twoOperands(i) && !i.bit(6);
      case SHR -> twoOperands(i) && !i.bit(6) && !i.bit(7);
      case LOP -> twoOperands(i) && !i.bit(5);
      case LOP32I -> !i.bit(5);
      case FMUL -> twoOperands(i) && i.bits(51, 49) != 7;
      case FADD, FMNMX, IADD, IMUL, IMNMX, ISCADD, BFE, FLO, POPC, MOV, RRO, DADD, DMUL, DMNMX ->
          twoOperands(i);
      case SEL -> twoOperands(i);
      case P2R, R2P -> twoOperands(i) && !i.bit(5);
      case PRMT -> i.bits(7, 5) <= LARGEST_PERMUTE_MODE;
      case F2F, F2I, I2F, I2I -> twoOperands(i) && ConversionMath.exists(opcode, i);
      case ISETP, ISET, FSETP, FSET, DSETP, DSET -> twoOperands(i) && combines(i);
      case PSETP, PSET -> combines(i) && i.bits(31, 30) < COMBINATIONS;
      case CSETP, CSET -> combines(i) && i.bits(24, 20) <= LARGEST_TEST;
      case VADD, VMNMX, VABSDIFF, VSET, VSHR, VSHL, VMAD -> VideoMath.exists(opcode, i);
      case VSETP -> VideoMath.exists(opcode, i) && combines(i);
      case VOTE -> i.bits(6, 5) < 3;
      case BAR -> i.bits(7, 5) <= 2 || i.bits(7, 5) == 4;
      case LD, LDU, ST, LDL, LDS, STL, STS, LDSLK, STSUL, LDC -> i.accessSize() <= LARGEST_ACCESS;
      case TEX, TLD, TLD4, TXQ -> TextureForm.exists(opcode, i);
      case SULD, SUST, SUST_P -> SurfaceForm.exists(i);
      case RED, RED_S32, ATOM, ATOM_S32 -> AtomicMath.exists(opcode, i);
      case BRA, JMP, BRX, JMX, EXIT, RET, BRK, CONT, KIL -> i.bits(9, 5) <= LARGEST_TEST;
      case NOP -> i.bits(9, 5) == ConditionCode.TRUE || !i.join() && i.bits(9, 5) <= LARGEST_TEST;
      case MEMBAR -> i.bits(6, 5) < BARRIER_LEVELS;
      default -> true;
    };
  }

  /** Without a third operand nothing can push the second one out of its place. */
  private static boolean twoOperands(Instruction i) {
    return i.mode() != Instruction.CONST_THIRD;
  }

  private static boolean combines(Instruction i) {
    return i.bits(54, 53) < COMBINATIONS;
  }
}
