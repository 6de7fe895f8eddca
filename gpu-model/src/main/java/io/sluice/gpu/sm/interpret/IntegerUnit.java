package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.math.IntegerMath;
import io.sluice.gpu.sm.math.VideoMath;
import io.sluice.gpu.sm.warp.Warp;

/** Integer arithmetic and logic of one lane: fetches, computes, stores. */
final class IntegerUnit {
  private final Operands operands;

  IntegerUnit(Operands operands) {
    this.operands = operands;
  }

  void execute(Opcode opcode, Instruction i, Warp w, int lane) {
    long word = i.word();
    int a = w.get(i.src1(), lane);
    int cc = w.cc[lane];
    switch (opcode) {
      case IADD -> {
        int b = operands.second(i, w, lane);
        int flags = IntegerMath.addCarry(word, a, b, cc) | IntegerMath.addOverflow(word, a, b, cc);
        sum(i, w, lane, IntegerMath.add(word, a, b, cc), flags);
      }
      case IADD32I -> {
        int b = i.imm32();
        int flags = IntegerMath.addCarry(word, a, b, cc) | IntegerMath.addOverflow(word, a, b, cc);
        sum(i, w, lane, IntegerMath.add(word, a, b, cc), flags);
      }
      case IMAD -> multiplyAdd(i, w, lane, a);
      case IMAD32I -> {
        int c = w.get(i.dst(), lane);
        int b = i.imm32();
        int flags =
            IntegerMath.multiplyAddImmediateCarry(word, a, b, c)
                | IntegerMath.multiplyAddImmediateOverflow(word, a, b, c);
        sum(i, w, lane, IntegerMath.multiplyAddImmediate(word, a, b, c), flags);
      }
      case ISCADD -> {
        int b = operands.second(i, w, lane);
        int flags =
            IntegerMath.shiftAddCarry(word, a, b) | IntegerMath.shiftAddOverflow(word, a, b);
        sum(i, w, lane, IntegerMath.shiftAdd(word, a, b), flags);
      }
      case ISCADD32I -> {
        int b = i.imm32();
        int flags =
            IntegerMath.shiftAddImmediateCarry(word, a, b)
                | IntegerMath.shiftAddImmediateOverflow(word, a, b);
        sum(i, w, lane, IntegerMath.shiftAddImmediate(word, a, b), flags);
      }
      case ICMP -> {
        boolean chosen = IntegerMath.compare(word, operands.third(i, w, lane), 0);
        w.set(i.dst(), lane, chosen ? a : operands.second(i, w, lane));
      }
      case PRMT -> {
        int c = operands.third(i, w, lane);
        w.set(i.dst(), lane, IntegerMath.permute(word, a, operands.second(i, w, lane), c));
      }
      case POPC ->
          w.set(i.dst(), lane, IntegerMath.populationCount(word, a, operands.second(i, w, lane)));
      case VADD, VMNMX, VABSDIFF, VSET, VSHR, VSHL, VMAD -> {
        int c = w.get(i.src3(), lane);
        w.set(i.dst(), lane, VideoMath.compute(word, a, Operands.secondVideo(i, w, lane), c));
      }
      default -> finish(i, w, lane, simple(opcode, i, w, lane, a));
    }
  }

  /** Those whose condition code follows from the result. */
  private int simple(Opcode opcode, Instruction i, Warp w, int lane, int a) {
    long word = i.word();
    return switch (opcode) {
      case IMUL -> IntegerMath.multiply(word, a, operands.second(i, w, lane));
      case IMUL32I -> IntegerMath.multiply(word, a, i.imm32());
      case SHL -> IntegerMath.shiftLeft(word, a, operands.second(i, w, lane));
      case SHR -> IntegerMath.shiftRight(word, a, operands.second(i, w, lane));
      case LOP -> IntegerMath.logic(word, a, operands.second(i, w, lane));
      case LOP32I -> IntegerMath.logic(word, a, i.imm32());
      case IMNMX -> {
        boolean min = PredicateUnit.source3(i, w, lane);
        yield IntegerMath.minMax(word, a, operands.second(i, w, lane), min);
      }
      case ISAD -> {
        int c = operands.third(i, w, lane);
        yield IntegerMath.sumAbsoluteDifference(word, a, operands.second(i, w, lane), c);
      }
      case BFE -> IntegerMath.extract(word, a, operands.second(i, w, lane));
      case BFI -> {
        int base = operands.third(i, w, lane);
        yield IntegerMath.insert(a, operands.second(i, w, lane), base);
      }
      case FLO -> IntegerMath.highestBit(word, operands.second(i, w, lane));
      default -> throw new AssertionError(opcode);
    };
  }

  private void multiplyAdd(Instruction i, Warp w, int lane, int a) {
    int b = operands.second(i, w, lane);
    int c = operands.third(i, w, lane);
    int cc = w.cc[lane];
    int flags =
        IntegerMath.multiplyAddCarry(i.word(), a, b, c, cc)
            | IntegerMath.multiplyAddOverflow(i.word(), a, b, c, cc);
    sum(i, w, lane, IntegerMath.multiplyAdd(i.word(), a, b, c, cc), flags);
  }

  /** Whether ISET's or ISETP's comparison holds; {@code .X} continues a longer subtraction. */
  boolean compares(Instruction i, Warp w, int lane) {
    int a = w.get(i.src1(), lane);
    int b = operands.second(i, w, lane);
    return i.bit(6)
        ? IntegerMath.compareExtended(i.word(), a, b, w.cc[lane])
        : IntegerMath.compare(i.word(), a, b);
  }

  /** Stores a sum, and if asked its carry and overflow with the signs of the result. */
  private static void sum(Instruction i, Warp w, int lane, int result, int flags) {
    w.set(i.dst(), lane, result);
    if (i.writesCc()) {
      w.cc[lane] = ConditionCode.ofInteger(result) | flags;
    }
  }

  private static void finish(Instruction i, Warp w, int lane, int result) {
    sum(i, w, lane, result, 0);
  }
}
