package io.sluice.gpu.sm;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * Emits floating point. Sums, products and fused ones that round to nearest are emitted as Java's
 * own operations, so that HotSpot can keep a chain of them in vector registers; the rest as calls
 * of {@link FloatMath}.
 */
final class FloatEmitter {
  private static final String MATH = "FloatMath";
  private static final ClassDesc JAVA_MATH = ClassDesc.of("java.lang.Math");
  private static final MethodTypeDesc FLOAT_TO_FLOAT = MethodTypeDesc.ofDescriptor("(F)F");
  private static final MethodTypeDesc FMA =
      MethodTypeDesc.of(
          ConstantDescs.CD_float,
          ConstantDescs.CD_float,
          ConstantDescs.CD_float,
          ConstantDescs.CD_float);

  private final CodeBuilder code;
  private final LaneState lane;
  private final OperandEmitter operands;

  FloatEmitter(CodeBuilder code, LaneState lane, OperandEmitter operands) {
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
      case MUFU -> {
        operands.word(i);
        operands.first(i);
        operands.call(MATH, "special", "(JI)I");
        lane.popRegister(i.dst());
      }
      default -> emitDouble(opcode, i);
    }
  }

  private void emitDouble(Opcode opcode, Instruction i) {
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
    if (lane.wantsSigns(i)) {
      code.dup2();
      operands.call("ConditionCode", "ofDouble", "(J)I");
      lane.popSigns();
    }
    lane.clearCarry(i);
    lane.popPair(i.dst());
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
    if (lane.wantsSigns(i)) {
      code.dup();
      operands.call("ConditionCode", "ofFloat", "(I)I");
      lane.popSigns();
    }
    lane.clearCarry(i);
    lane.popRegister(i.dst());
  }

  // ---- Java's own operations ----

  private static boolean roundsToNearest(Instruction i) {
    return i.bits(56, 55) == 0;
  }

  /** The float on the stack with its signs, and flushed if asked. */
  private void modify(boolean absolute, boolean negated, boolean ftz) {
    if (absolute) {
      code.invokestatic(JAVA_MATH, "abs", FLOAT_TO_FLOAT);
    }
    if (negated) {
      code.fneg();
    }
    flush(ftz);
  }

  private void flush(boolean ftz) {
    if (ftz) {
      operands.call("Fp32", "flush", "(F)F");
    }
  }

  /** The float on the stack as bits, the one NaN among them. */
  private void asBits(Instruction i, boolean ftz) {
    flush(ftz);
    boolean kept = i.isAlways() && i.dst() != Instruction.RZ;
    if (kept) {
      code.dup();
      lane.keepFloat(i.dst());
    }
    operands.call("Fp32", "canonical", "(F)I");
    finish(i);
    if (kept) {
      lane.hasFloat(i.dst());
    }
  }

  private void add(Instruction i) {
    if (!roundsToNearest(i) || i.bit(49)) {
      call(i, "add", () -> binary(i));
      return;
    }
    boolean ftz = i.bit(5);
    lane.pushFloat(i.src1());
    modify(i.bit(7), i.bit(9), ftz);
    operands.secondAsFloat(i);
    modify(i.bit(6), i.bit(8), ftz);
    code.fadd();
    asBits(i, ftz);
  }

  private void multiply(Instruction i) {
    boolean plain = roundsToNearest(i) && !i.bit(7) && !i.bit(5) && i.bits(51, 49) == 0;
    if (!plain) {
      call(i, "multiply", () -> binary(i));
      return;
    }
    boolean ftz = i.bit(6);
    lane.pushFloat(i.src1());
    modify(false, i.bit(57), ftz);
    operands.secondAsFloat(i);
    modify(false, false, ftz);
    code.fmul();
    asBits(i, ftz);
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
    modify(false, i.bit(9), ftz);
    operands.secondAsFloat(i);
    modify(false, false, ftz);
    operands.thirdAsFloat(i);
    modify(false, i.bit(8), ftz);
    code.invokestatic(JAVA_MATH, "fma", FMA);
    asBits(i, ftz);
  }
}
