package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.jit.plan.PairFusion;
import io.sluice.gpu.sm.math.IntegerMath;
import io.sluice.gpu.sm.math.VideoMath;
import java.lang.classfile.CodeBuilder;

/**
 * The emitter of integer arithmetic and logic. What programs are full of is emitted as bytecode,
 * the rest as calls of {@link IntegerMath}.
 */
final class IntegerEmitter {
  private static final Class<?> MATH = IntegerMath.class;
  private static final String BINARY = "(JII)I";
  private static final String TERNARY = "(JIII)I";
  private static final int ADD = 0;
  private static final int SUBTRACT = 1;
  private static final int SUBTRACT_REVERSED = 2;

  private final CodeBuilder code;
  private final LaneState lane;
  private final OperandEmitter operands;

  IntegerEmitter(CodeBuilder code, LaneState lane, OperandEmitter operands) {
    this.code = code;
    this.lane = lane;
    this.operands = operands;
  }

  void emit(Opcode opcode, Instruction i) {
    switch (opcode) {
      case IADD, IADD32I -> add(opcode, i);
      case IMAD -> multiplyAdd(i);
      case IMAD32I -> sum(i, "multiplyAddImmediate", TERNARY, () -> immediateProduct(i));
      case ISCADD -> shiftAdd(i);
      case ISCADD32I -> sum(i, "shiftAddImmediate", BINARY, () -> immediate(i));
      case IMUL, IMUL32I -> multiply(opcode, i);
      case SHL -> shift(i, true);
      case SHR -> shift(i, false);
      case LOP, LOP32I -> logic(opcode, i);
      case ICMP -> choose(i);
      case PRMT -> {
        ternary(i);
        operands.call(MATH, "permute", TERNARY);
        lane.popRegister(i.dst());
      }
      case VADD, VMNMX, VABSDIFF, VSET, VSHR, VSHL, VMAD -> video(i);
      case POPC -> {
        binary(i);
        operands.call(MATH, "populationCount", BINARY);
        lane.popRegister(i.dst());
      }
      default -> other(opcode, i);
    }
  }

  /** Emits what {@link PairFusion} has found. */
  void emitPair(Instruction low, Instruction high) {
    if (low.form() == Opcode.IMAD) {
      extend(() -> operands.first(low), high.bit(7));
      extend(() -> operands.second(low), high.bit(5));
      code.lmul();
      join(() -> operands.third(low), () -> operands.third(high));
    } else {
      if (low.src1() != Instruction.RZ && high.src1() == low.src1() + 1) {
        lane.pushPair(low.src1());
      } else {
        join(() -> operands.first(low), () -> operands.first(high));
      }
      join(() -> operands.second(low), () -> operands.second(high));
    }
    code.ladd();
    lane.popPair(low.dst());
  }

  private void extend(Runnable push, boolean signed) {
    push.run();
    code.i2l();
    if (!signed) {
      code.loadConstant(0xffff_ffffL).land();
    }
  }

  /** Pushes two words as a long. */
  private void join(Runnable low, Runnable high) {
    extend(low, false);
    high.run();
    code.i2l().bipush(32).lshl().lor();
  }

  private void other(Opcode opcode, Instruction i) {
    switch (opcode) {
      case IMNMX -> {
        binary(i);
        operands.predicate(i);
        operands.call(MATH, "minMax", "(JIIZ)I");
      }
      case ISAD -> {
        ternary(i);
        operands.call(MATH, "sumAbsoluteDifference", TERNARY);
      }
      case BFE -> {
        binary(i);
        operands.call(MATH, "extract", BINARY);
      }
      case BFI -> {
        operands.first(i);
        operands.second(i);
        operands.third(i);
        operands.call(MATH, "insert", "(III)I");
      }
      case FLO -> {
        operands.word(i);
        operands.second(i);
        operands.call(MATH, "highestBit", "(JI)I");
      }
      default -> throw new AssertionError(opcode);
    }
    finish(i);
  }

  private void binary(Instruction i) {
    operands.word(i);
    operands.first(i);
    operands.second(i);
  }

  private void ternary(Instruction i) {
    binary(i);
    operands.third(i);
  }

  private void video(Instruction i) {
    operands.word(i);
    operands.first(i);
    operands.secondVideo(i);
    lane.pushRegister(VideoMath.usesThird(i) ? i.src3() : Instruction.RZ);
    operands.call(VideoMath.class, "compute", TERNARY);
    lane.popRegister(i.dst());
  }

  private void immediate(Instruction i) {
    operands.word(i);
    operands.first(i);
    code.loadConstant(i.imm32());
  }

  private void immediateProduct(Instruction i) {
    immediate(i);
    lane.pushRegister(i.dst());
  }

  /** A result whose carry and overflow are 0. */
  private void finish(Instruction i) {
    signs(i);
    lane.flags().clearCarry(i);
    lane.popRegister(i.dst());
  }

  /**
   * A sum with its flags. Carry and overflow are computed before the target changes, which may be
   * one of the operands.
   */
  private void sum(Instruction i, String method, String descriptor, Runnable push) {
    boolean carries = lane.flags().wantsCarry(i);
    boolean overflows = lane.flags().wantsOverflow(i);
    if (overflows) {
      push.run();
      operands.call(MATH, method + "Overflow", descriptor);
    }
    if (carries) {
      push.run();
      operands.call(MATH, method + "Carry", descriptor);
    }
    push.run();
    operands.call(MATH, method, descriptor);
    signs(i);
    lane.popRegister(i.dst());
    if (carries) {
      lane.flags().popCarry();
    }
    if (overflows) {
      lane.flags().popOverflow();
    }
  }

  /** Zero and sign of the int on the stack. */
  private void signs(Instruction i) {
    if (lane.flags().wantsSigns(i)) {
      code.dup();
      operands.call(ConditionCode.class, "ofInteger", "(I)I");
      lane.flags().popSigns();
    }
  }

  private void add(Opcode opcode, Instruction i) {
    boolean wide = opcode == Opcode.IADD32I;
    boolean extended = i.bit(6);
    Runnable second = () -> addend(i, wide);
    if (!extended && !i.bit(5) && !lane.flags().wantsCc(i)) {
      plainSum(i.bits(9, 8), () -> operands.first(i), second);
      lane.popRegister(i.dst());
      return;
    }
    sum(
        i,
        "add",
        TERNARY,
        () -> {
          operands.word(i);
          operands.first(i);
          second.run();
          pushCc(extended);
        });
  }

  private void addend(Instruction i, boolean wide) {
    if (wide) {
      code.loadConstant(i.imm32());
    } else {
      operands.second(i);
    }
  }

  private void pushCc(boolean needed) {
    if (needed) {
      lane.flags().pushCarry();
    } else {
      code.iconst_0();
    }
  }

  private void plainSum(int operation, Runnable first, Runnable second) {
    switch (operation) {
      case ADD -> {
        first.run();
        second.run();
        code.iadd();
      }
      case SUBTRACT -> {
        first.run();
        second.run();
        code.isub();
      }
      case SUBTRACT_REVERSED -> {
        second.run();
        first.run();
        code.isub();
      }
      default -> {
        first.run();
        second.run();
        code.iadd().iconst_1().iadd();
      }
    }
  }

  private void multiplyAdd(Instruction i) {
    boolean extended = i.bit(55);
    boolean saturates = i.bit(56);
    if (!extended && !saturates && !lane.flags().wantsCc(i) && !i.bit(6)) {
      plainSum(i.bits(9, 8), () -> product(i), () -> operands.third(i));
      lane.popRegister(i.dst());
      return;
    }
    sum(
        i,
        "multiplyAdd",
        "(JIIII)I",
        () -> {
          ternary(i);
          pushCc(extended);
        });
  }

  private void product(Instruction i) {
    operands.first(i);
    operands.second(i);
    code.imul();
  }

  private void multiply(Opcode opcode, Instruction i) {
    operands.word(i);
    operands.first(i);
    if (opcode == Opcode.IMUL32I) {
      code.loadConstant(i.imm32());
    } else {
      operands.second(i);
    }
    operands.call(MATH, "multiply", BINARY);
    finish(i);
  }

  private void shiftAdd(Instruction i) {
    if (lane.flags().wantsCc(i)) {
      sum(i, "shiftAdd", BINARY, () -> binary(i));
      return;
    }
    plainSum(
        i.bits(56, 55),
        () -> {
          operands.first(i);
          code.loadConstant(i.bits(9, 5)).ishl();
        },
        () -> operands.second(i));
    lane.popRegister(i.dst());
  }

  private void shift(Instruction i, boolean left) {
    boolean constant = i.mode() == Instruction.IMMEDIATE;
    boolean inRange = i.imm20() >= 0 && i.imm20() < Integer.SIZE;
    if (constant && inRange && !i.bit(8)) {
      operands.first(i);
      code.loadConstant(i.imm20());
      if (left) {
        code.ishl();
      } else if (i.bit(5)) {
        code.ishr();
      } else {
        code.iushr();
      }
    } else {
      binary(i);
      operands.call(MATH, left ? "shiftLeft" : "shiftRight", BINARY);
    }
    finish(i);
  }

  private void logic(Opcode opcode, Instruction i) {
    if (opcode == Opcode.LOP32I) {
      immediate(i);
    } else {
      binary(i);
    }
    operands.call(MATH, "logic", BINARY);
    finish(i);
  }

  private void choose(Instruction i) {
    operands.word(i);
    operands.third(i);
    code.iconst_0();
    operands.call(MATH, "compare", "(JII)Z");
    code.ifThenElse(then -> operands.first(i), otherwise -> operands.second(i));
    lane.popRegister(i.dst());
  }
}
