package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.math.VideoMath;
import io.sluice.gpu.sm.memory.ConstantMemory;
import io.sluice.gpu.sm.warp.Warp;

/** The fetching of the second and third operand of an ALU instruction, by its mode field. */
public final class Operands {
  private final ConstantMemory constants;

  Operands(ConstantMemory constants) {
    this.constants = constants;
  }

  /** The constant banks. */
  ConstantMemory constants() {
    return constants;
  }

  /** The second operand as an integer. */
  int second(Instruction i, Warp warp, int lane) {
    return i.mode() == Instruction.IMMEDIATE ? i.imm20() : secondOrConst(i, warp, lane);
  }

  /** The second operand as float bits. */
  int secondFloat(Instruction i, Warp warp, int lane) {
    return i.mode() == Instruction.IMMEDIATE ? i.imm20Float() : secondOrConst(i, warp, lane);
  }

  /** The second operand as a 64-bit integer. */
  long secondWide(Instruction i, Warp warp, int lane) {
    return i.mode() == Instruction.IMMEDIATE ? i.imm20() : secondDouble(i, warp, lane);
  }

  /** The second operand as double bits. */
  long secondDouble(Instruction i, Warp warp, int lane) {
    return switch (i.mode()) {
      case Instruction.REGISTER -> warp.getPair(i.src2(), lane);
      case Instruction.CONST_SECOND -> constants.load64(i.constBank(), i.constOffsetWide());
      case Instruction.CONST_THIRD -> warp.getPair(i.src3(), lane);
      default -> i.imm20Double();
    };
  }

  /** The second operand of a video instruction. */
  static int secondVideo(Instruction i, Warp warp, int lane) {
    return VideoMath.hasSecondRegister(i) ? warp.get(i.src2(), lane) : i.imm16();
  }

  /** The third operand. */
  int third(Instruction i, Warp warp, int lane) {
    return i.mode() == Instruction.CONST_THIRD
        ? constants.load32(i.constBank(), i.constOffset())
        : warp.get(i.src3(), lane);
  }

  /** The third operand as double bits. */
  long thirdDouble(Instruction i, Warp warp, int lane) {
    return i.mode() == Instruction.CONST_THIRD
        ? constants.load64(i.constBank(), i.constOffsetWide())
        : warp.getPair(i.src3(), lane);
  }

  private int secondOrConst(Instruction i, Warp warp, int lane) {
    return switch (i.mode()) {
      case Instruction.REGISTER -> warp.get(i.src2(), lane);
      case Instruction.CONST_SECOND -> constants.load32(i.constBank(), i.constOffset());
      default -> warp.get(i.src3(), lane);
    };
  }
}
