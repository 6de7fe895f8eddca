package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.math.ConversionMath;
import io.sluice.gpu.sm.warp.Warp;

/** Conversions between number formats, and moves, of one lane: fetches, computes, stores. */
public final class ConversionUnit {
  private final Operands operands;

  ConversionUnit(Operands operands) {
    this.operands = operands;
  }

  void execute(Opcode opcode, Instruction i, Warp w, int lane) {
    switch (opcode) {
      case MOV -> move(i, w, lane, operands.second(i, w, lane));
      case MOV32I -> move(i, w, lane, i.imm32());
      default -> {
        long result = convert(opcode, i, w, lane);
        if (ConversionMath.writesPair(i)) {
          w.setPair(i.dst(), lane, result);
        } else {
          w.set(i.dst(), lane, (int) result);
        }
        if (i.writesCc()) {
          w.cc[lane] =
              opcode == Opcode.F2F || opcode == Opcode.I2F
                  ? ConversionMath.floatFlags(result, i.word())
                  : ConversionMath.integerFlags(result, i.word());
        }
      }
    }
  }

  private long convert(Opcode opcode, Instruction i, Warp w, int lane) {
    return switch (opcode) {
      case F2F -> ConversionMath.floatToFloat(i.word(), floatSource(i, w, lane));
      case F2I -> ConversionMath.floatToInteger(i.word(), floatSource(i, w, lane));
      case I2F -> ConversionMath.integerToFloat(i.word(), integerSource(i, w, lane));
      case I2I -> ConversionMath.integerToInteger(i.word(), integerSource(i, w, lane));
      default -> throw new AssertionError(opcode);
    };
  }

  private long floatSource(Instruction i, Warp w, int lane) {
    return switch (ConversionMath.sourceBytes(i)) {
      case 2 -> operands.second(i, w, lane);
      case 4 -> operands.secondFloat(i, w, lane);
      default -> operands.secondDouble(i, w, lane);
    };
  }

  private long integerSource(Instruction i, Warp w, int lane) {
    return ConversionMath.readsPair(i)
        ? operands.secondWide(i, w, lane)
        : operands.second(i, w, lane);
  }

  /** A move happens in those lanes of each four that its lane field names. */
  private static void move(Instruction i, Warp w, int lane, int value) {
    if (movesLane(i.word(), lane)) {
      w.set(i.dst(), lane, value);
    }
  }

  /** Whether a MOV or MOV32I happens in a lane. */
  public static boolean movesLane(long word, int lane) {
    return Instruction.bit(word, 5 + (lane & 3));
  }
}
