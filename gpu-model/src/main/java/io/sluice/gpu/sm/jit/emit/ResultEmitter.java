package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.math.Fp32;
import io.sluice.gpu.sm.math.Fp64;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * The emitter of what stands around Java's own floating-point operations: signs and flushing of
 * what is on the stack, and storing it as bits. A value is kept as what it is beside its bits, so
 * that a chain of operations stays in vector registers.
 */
final class ResultEmitter {
  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final MethodTypeDesc FLOAT_TO_FLOAT = MethodTypeDesc.ofDescriptor("(F)F");
  private static final MethodTypeDesc DOUBLE_TO_DOUBLE = MethodTypeDesc.ofDescriptor("(D)D");

  private final CodeBuilder code;
  private final LaneState lane;
  private final OperandEmitter operands;

  ResultEmitter(CodeBuilder code, LaneState lane, OperandEmitter operands) {
    this.code = code;
    this.lane = lane;
    this.operands = operands;
  }

  /** The float on the stack with its signs, and flushed if asked. */
  void modify(boolean absolute, boolean negated, boolean ftz) {
    if (absolute) {
      code.invokestatic(MATH, "abs", FLOAT_TO_FLOAT);
    }
    if (negated) {
      code.fneg();
    }
    flush(ftz);
  }

  /** The double on the stack with its signs. */
  void modifyDouble(boolean absolute, boolean negated) {
    if (absolute) {
      code.invokestatic(MATH, "abs", DOUBLE_TO_DOUBLE);
    }
    if (negated) {
      code.dneg();
    }
  }

  private void flush(boolean ftz) {
    if (ftz) {
      operands.call(Fp32.class, "flush", "(F)F");
    }
  }

  /**
   * Stores the float on the stack: its bits, the one NaN among them.
   *
   * @param condition whether the instruction may write the condition code
   */
  void storeFloat(Instruction i, boolean ftz, boolean condition) {
    flush(ftz);
    boolean kept = i.isAlways() && i.dst() != Instruction.RZ;
    if (kept) {
      code.dup();
      lane.keepFloat(i.dst());
    }
    operands.call(Fp32.class, "canonical", "(F)I");
    if (condition) {
      conditionOfFloat(i);
    }
    lane.popRegister(i.dst());
    if (kept) {
      lane.hasFloat(i.dst());
    }
  }

  /** The condition code of the float bits on the stack, which stay there. */
  void conditionOfFloat(Instruction i) {
    if (lane.flags().wantsSigns(i)) {
      code.dup();
      operands.call(ConditionCode.class, "ofFloat", "(I)I");
      lane.flags().popSigns();
    }
    lane.flags().clearCarry(i);
  }

  /** Stores the double on the stack likewise. */
  void storeDouble(Instruction i) {
    boolean kept = i.isAlways() && i.dst() != Instruction.RZ;
    if (kept) {
      code.dup2();
      lane.keepDouble(i.dst());
    }
    operands.call(Fp64.class, "canonical", "(D)J");
    conditionOfDouble(i);
    lane.popPair(i.dst());
    if (kept) {
      lane.hasDouble(i.dst());
    }
  }

  /** The condition code of the double bits on the stack, which stay there. */
  void conditionOfDouble(Instruction i) {
    if (lane.flags().wantsSigns(i)) {
      code.dup2();
      operands.call(ConditionCode.class, "ofDouble", "(J)I");
      lane.flags().popSigns();
    }
    lane.flags().clearCarry(i);
  }
}
