package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.math.FloatMath;
import io.sluice.gpu.sm.warp.Warp;

/** Single and double precision of one lane: fetches, computes, stores. */
final class FloatUnit {
  private final Operands operands;

  FloatUnit(Operands operands) {
    this.operands = operands;
  }

  void execute(Opcode opcode, Instruction i, Warp w, int lane) {
    long word = i.word();
    int a = w.get(i.src1(), lane);
    switch (opcode) {
      case FADD -> finish(i, w, lane, FloatMath.add(word, a, operands.secondFloat(i, w, lane)));
      case FADD32I -> finish(i, w, lane, FloatMath.addImmediate(word, a, i.imm32()));
      case FMUL ->
          finish(i, w, lane, FloatMath.multiply(word, a, operands.secondFloat(i, w, lane)));
      case FMUL32I -> finish(i, w, lane, FloatMath.multiplyImmediate(word, a, i.imm32()));
      case FFMA -> {
        int b = operands.secondFloat(i, w, lane);
        finish(i, w, lane, FloatMath.fma(word, a, b, operands.third(i, w, lane)));
      }
      case FFMA32I -> {
        int c = w.get(i.dst(), lane);
        finish(i, w, lane, FloatMath.fmaImmediate(word, a, i.imm32(), c));
      }
      case FMNMX -> {
        boolean min = PredicateUnit.source3(i, w, lane);
        finish(i, w, lane, FloatMath.minMax(word, a, operands.secondFloat(i, w, lane), min));
      }
      case FCMP -> {
        boolean chosen = FloatMath.chooses(word, operands.third(i, w, lane));
        w.set(i.dst(), lane, chosen ? a : operands.secondFloat(i, w, lane));
      }
      case RRO -> finish(i, w, lane, FloatMath.reduceRange(word, operands.secondFloat(i, w, lane)));
      case MUFU -> w.set(i.dst(), lane, FloatMath.special(word, a));
      default -> finishDouble(i, w, lane, doublePrecision(opcode, i, w, lane));
    }
  }

  private long doublePrecision(Opcode opcode, Instruction i, Warp w, int lane) {
    long word = i.word();
    long a = w.getPair(i.src1(), lane);
    long b = operands.secondDouble(i, w, lane);
    return switch (opcode) {
      case DADD -> FloatMath.add64(word, a, b);
      case DMUL -> FloatMath.multiply64(word, a, b);
      case DFMA -> FloatMath.fma64(word, a, b, operands.thirdDouble(i, w, lane));
      case DMNMX -> FloatMath.minMax64(word, a, b, PredicateUnit.source3(i, w, lane));
      default -> throw new AssertionError(opcode);
    };
  }

  /** Whether FSET's or FSETP's comparison holds. */
  boolean compares(Instruction i, Warp w, int lane) {
    int b = operands.secondFloat(i, w, lane);
    return FloatMath.compare(i.word(), w.get(i.src1(), lane), b);
  }

  /** Whether DSET's or DSETP's comparison holds. */
  boolean comparesDouble(Instruction i, Warp w, int lane) {
    long b = operands.secondDouble(i, w, lane);
    return FloatMath.compare64(i.word(), w.getPair(i.src1(), lane), b);
  }

  private static void finish(Instruction i, Warp w, int lane, int result) {
    w.set(i.dst(), lane, result);
    if (i.writesCc()) {
      w.cc[lane] = ConditionCode.ofFloat(result);
    }
  }

  private static void finishDouble(Instruction i, Warp w, int lane, long result) {
    w.setPair(i.dst(), lane, result);
    if (i.writesCc()) {
      w.cc[lane] = ConditionCode.ofDouble(result);
    }
  }
}
