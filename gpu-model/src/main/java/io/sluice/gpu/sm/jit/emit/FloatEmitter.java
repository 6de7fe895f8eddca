package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.math.FloatMath;
import io.sluice.gpu.sm.math.Fp32;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * The emitter of floating point. Sums, products and fused ones that round to nearest are emitted as
 * Java's own operations, so that HotSpot can keep a chain of them in vector registers; the rest as
 * calls of {@link FloatMath}.
 */
final class FloatEmitter {
  private static final Class<?> MATH = FloatMath.class;
  private static final ClassDesc JAVA_MATH = ClassDesc.of("java.lang.Math");
  private static final MethodTypeDesc DOUBLE_FMA = MethodTypeDesc.ofDescriptor("(DDD)D");
  private static final int RECIPROCAL = 4;
  private static final int RECIPROCAL_ROOT = 5;
  private static final MethodTypeDesc FMA =
      MethodTypeDesc.of(
          ConstantDescs.CD_float,
          ConstantDescs.CD_float,
          ConstantDescs.CD_float,
          ConstantDescs.CD_float);

  private final CodeBuilder code;
  private final LaneState lane;
  private final OperandEmitter operands;
  private final ResultEmitter results;

  FloatEmitter(CodeBuilder code, LaneState lane, OperandEmitter operands, ResultEmitter results) {
    this.results = results;
    this.code = code;
    this.lane = lane;
    this.operands = operands;
  }

  void emit(Opcode opcode, Instruction i) {
    switch (opcode) {
      case FADD -> add(i);
      case FMUL -> multiply(i);
      case FFMA -> fma(i);
      case FADD32I -> call(i, "addImmediate", () -> immediate(i));
      case FMUL32I -> call(i, "multiplyImmediate", () -> immediate(i));
      case FFMA32I -> {
        operands.word(i);
        operands.first(i);
        code.loadConstant(i.imm32());
        lane.pushRegister(i.dst());
        operands.call(MATH, "fmaImmediate", "(JIII)I");
        finish(i);
      }
      case FMNMX -> {
        binary(i);
        operands.predicate(i);
        operands.call(MATH, "minMax", "(JIIZ)I");
        finish(i);
      }
      case FCMP -> {
        operands.word(i);
        operands.third(i);
        operands.call(MATH, "chooses", "(JI)Z");
        code.ifThenElse(then -> operands.first(i), otherwise -> operands.secondFloat(i));
        lane.popRegister(i.dst());
      }
      case RRO -> {
        operands.word(i);
        operands.secondFloat(i);
        operands.call(MATH, "reduceRange", "(JI)I");
        finish(i);
      }
      case MUFU -> special(i);
      default -> emitDouble(opcode, i);
    }
  }

  /** Reciprocals are Java's own operations on doubles; the others are called. */
  private void special(Instruction i) {
    int function = i.bits(28, 26);
    if (function != RECIPROCAL && function != RECIPROCAL_ROOT || i.bit(5)) {
      operands.word(i);
      operands.first(i);
      operands.call(MATH, "special", "(JI)I");
      lane.popRegister(i.dst());
      return;
    }
    boolean root = function == RECIPROCAL_ROOT;
    if (!root) {
      code.dconst_1();
    }
    lane.pushFloat(i.src1());
    results.modify(i.bit(7), i.bit(9), !root);
    if (root) {
      operands.call(Fp32.class, "reciprocalRoot", "(F)F");
    } else {
      code.f2d().ddiv().d2f();
    }
    // No reciprocal of a root is a denormal.
    results.storeFloat(i, !root, false);
  }

  private void emitDouble(Opcode opcode, Instruction i) {
    if (opcode != Opcode.DMNMX && roundsToNearest(i)) {
      nearestDouble(opcode, i);
      return;
    }
    operands.word(i);
    operands.firstPair(i);
    operands.secondDouble(i);
    switch (opcode) {
      case DADD -> operands.call(MATH, "add64", "(JJJ)J");
      case DMUL -> operands.call(MATH, "multiply64", "(JJJ)J");
      case DFMA -> {
        operands.thirdDouble(i);
        operands.call(MATH, "fma64", "(JJJJ)J");
      }
      case DMNMX -> {
        operands.predicate(i);
        operands.call(MATH, "minMax64", "(JJJZ)J");
      }
      default -> throw new AssertionError(opcode);
    }
    results.conditionOfDouble(i);
    lane.popPair(i.dst());
  }

  private void nearestDouble(Opcode opcode, Instruction i) {
    boolean sum = opcode == Opcode.DADD;
    lane.pushDouble(i.src1());
    results.modifyDouble(sum && i.bit(7), i.bit(9));
    operands.secondAsDouble(i);
    results.modifyDouble(sum && i.bit(6), sum && i.bit(8));
    switch (opcode) {
      case DADD -> code.dadd();
      case DMUL -> code.dmul();
      case DFMA -> {
        operands.thirdAsDouble(i);
        results.modifyDouble(false, i.bit(8));
        code.invokestatic(JAVA_MATH, "fma", DOUBLE_FMA);
      }
      default -> throw new AssertionError(opcode);
    }
    results.storeDouble(i);
  }

  private void binary(Instruction i) {
    operands.word(i);
    operands.first(i);
    operands.secondFloat(i);
  }

  private void immediate(Instruction i) {
    operands.word(i);
    operands.first(i);
    code.loadConstant(i.imm32());
  }

  private void call(Instruction i, String method, Runnable push) {
    push.run();
    operands.call(MATH, method, "(JII)I");
    finish(i);
  }

  private void finish(Instruction i) {
    results.conditionOfFloat(i);
    lane.popRegister(i.dst());
  }

  // ---- Java's own operations ----

  private static boolean roundsToNearest(Instruction i) {
    return i.bits(56, 55) == 0;
  }

  private void add(Instruction i) {
    if (!roundsToNearest(i) || i.bit(49)) {
      call(i, "add", () -> binary(i));
      return;
    }
    boolean ftz = i.bit(5);
    lane.pushFloat(i.src1());
    results.modify(i.bit(7), i.bit(9), ftz);
    operands.secondAsFloat(i);
    results.modify(i.bit(6), i.bit(8), ftz);
    code.fadd();
    results.storeFloat(i, ftz, true);
  }

  private void multiply(Instruction i) {
    boolean plain = roundsToNearest(i) && !i.bit(7) && !i.bit(5) && i.bits(51, 49) == 0;
    if (!plain) {
      call(i, "multiply", () -> binary(i));
      return;
    }
    boolean ftz = i.bit(6);
    lane.pushFloat(i.src1());
    results.modify(false, i.bit(57), ftz);
    operands.secondAsFloat(i);
    results.modify(false, false, ftz);
    code.fmul();
    results.storeFloat(i, ftz, true);
  }

  private void fma(Instruction i) {
    if (!roundsToNearest(i) || i.bit(7) || i.bit(5)) {
      binary(i);
      operands.third(i);
      operands.call(MATH, "fma", "(JIII)I");
      finish(i);
      return;
    }
    boolean ftz = i.bit(6);
    lane.pushFloat(i.src1());
    results.modify(false, i.bit(9), ftz);
    operands.secondAsFloat(i);
    results.modify(false, false, ftz);
    operands.thirdAsFloat(i);
    results.modify(false, i.bit(8), ftz);
    code.invokestatic(JAVA_MATH, "fma", FMA);
    results.storeFloat(i, ftz, true);
  }
}
