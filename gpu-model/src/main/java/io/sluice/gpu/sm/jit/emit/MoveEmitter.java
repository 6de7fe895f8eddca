package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.interpret.ConversionUnit;
import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.math.ConversionMath;
import io.sluice.gpu.sm.warp.Block;
import io.sluice.gpu.sm.warp.Warp;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** The emitter of moves and conversions. */
final class MoveEmitter {
  private static final int ALL_LANES = 0xf;
  private static final int LANE_ID = 0;
  private static final int SIZE_32 = 2;
  private static final int SIZE_64 = 3;
  private static final int NEAREST = 0;
  private static final int ZERO = 3;
  private static final int TID_X = 0x21;
  private static final int TID_Y = 0x22;
  private static final int TID_Z = 0x23;
  private static final int CTAID_X = 0x25;
  private static final int CTAID_Y = 0x26;
  private static final int CTAID_Z = 0x27;
  private static final ClassDesc CONTEXT = HostClass.of(LaneContext.class);
  private static final ClassDesc BLOCK = HostClass.of(Block.class);
  private static final ClassDesc WARP = HostClass.of(Warp.class);

  private final CodeBuilder code;
  private final LaneState lane;
  private final OperandEmitter operands;
  private final ResultEmitter results;

  MoveEmitter(CodeBuilder code, LaneState lane, OperandEmitter operands, ResultEmitter results) {
    this.results = results;
    this.code = code;
    this.lane = lane;
    this.operands = operands;
  }

  void emit(Opcode opcode, Instruction i, int pc) {
    switch (opcode) {
      case MOV -> move(i, () -> operands.second(i));
      case MOV32I -> move(i, () -> code.loadConstant(i.imm32()));
      case S2R -> special(i);
      case LEPC -> {
        code.loadConstant(pc + Instruction.BYTES);
        lane.popRegister(i.dst());
      }
      case F2F -> {
        if (!betweenFloats(i)) {
          convert(i, "floatToFloat", true, true);
        }
      }
      case F2I -> {
        if (!truncate(i)) {
          convert(i, "floatToInteger", true, false);
        }
      }
      case I2F -> {
        if (!fromInteger(i)) {
          convert(i, "integerToFloat", false, true);
        }
      }
      case I2I -> convert(i, "integerToInteger", false, false);
      default -> throw new AssertionError(opcode);
    }
  }

  private void move(Instruction i, Runnable push) {
    Label not = code.newLabel();
    if (i.bits(8, 5) != ALL_LANES) {
      operands.word(i);
      code.iload(lane.lane());
      operands.call(ConversionUnit.class, "movesLane", "(JI)Z");
      code.ifeq(not);
    }
    push.run();
    lane.popRegister(i.dst());
    code.labelBinding(not);
  }

  private void special(Instruction i) {
    int index = i.bits(33, 26);
    switch (index) {
      case LANE_ID -> code.iload(lane.lane());
      case TID_X -> thread("threadX");
      case TID_Y -> thread("threadY");
      case TID_Z -> thread("threadZ");
      case CTAID_X -> block("x");
      case CTAID_Y -> block("y");
      case CTAID_Z -> block("z");
      default -> {
        code.aload(0).loadConstant(index).aload(1).iload(lane.lane());
        operands.callOn(LaneContext.class, "special", "(I" + WARP.descriptorString() + "I)I");
      }
    }
    lane.popRegister(i.dst());
  }

  private void thread(String field) {
    code.aload(1).getfield(WARP, field, ConstantDescs.CD_int.arrayType());
    code.iload(lane.lane()).iaload();
  }

  private void block(String coordinate) {
    code.aload(0).getfield(CONTEXT, "block", BLOCK);
    code.invokevirtual(BLOCK, coordinate, MethodTypeDesc.of(ConstantDescs.CD_int));
  }

  // ---- conversions that are Java's own; they say whether they were ----

  private static boolean isBetween(Instruction i, int to, int from) {
    return i.bits(21, 20) == to && i.bits(24, 23) == from;
  }

  /**
   * F2F between single and double, rounded to nearest, neither to an integral value nor clamped.
   */
  private boolean betweenFloats(Instruction i) {
    boolean plain = !i.bit(5) && !i.bit(7);
    if (plain && isBetween(i, SIZE_64, SIZE_32)) {
      operands.secondAsFloat(i);
      results.modify(false, false, i.bit(55));
      results.modify(i.bit(6), i.bit(8), false);
      code.f2d();
      results.storeDouble(i);
      return true;
    }
    if (plain && isBetween(i, SIZE_32, SIZE_64) && i.bits(50, 49) == NEAREST) {
      operands.secondAsDouble(i);
      results.modifyDouble(i.bit(6), i.bit(8));
      code.d2f();
      results.storeFloat(i, i.bit(55), true);
      return true;
    }
    return false;
  }

  /** F2I from single to signed words, towards zero: as Java's cast, clamped and 0 for NaN. */
  private boolean truncate(Instruction i) {
    if (!isBetween(i, SIZE_32, SIZE_32) || !i.bit(7) || i.bits(50, 49) != ZERO) {
      return false;
    }
    operands.secondAsFloat(i);
    results.modify(i.bit(6), i.bit(8), false);
    code.f2i();
    if (lane.flags().wantsSigns(i)) {
      code.dup();
      operands.call(ConditionCode.class, "ofInteger", "(I)I");
      lane.flags().popSigns();
    }
    lane.flags().clearCarry(i);
    lane.popRegister(i.dst());
    return true;
  }

  /** I2F from signed words to single, rounded to nearest. */
  private boolean fromInteger(Instruction i) {
    boolean plain = i.bit(9) && !i.bit(6) && !i.bit(8);
    if (!plain || !isBetween(i, SIZE_32, SIZE_32) || i.bits(50, 49) != NEAREST) {
      return false;
    }
    operands.second(i);
    code.i2f();
    results.storeFloat(i, false, true);
    return true;
  }

  private void convert(Instruction i, String method, boolean fromFloat, boolean toFloat) {
    operands.word(i);
    if (ConversionMath.readsPair(i)) {
      if (fromFloat) {
        operands.secondDouble(i);
      } else {
        operands.secondWide(i);
      }
    } else if (fromFloat && ConversionMath.sourceBytes(i) == Float.BYTES) {
      operands.secondFloat(i);
      code.i2l();
    } else {
      operands.second(i);
      code.i2l();
    }
    operands.call(ConversionMath.class, method, "(JJ)J");
    if (lane.flags().wantsSigns(i)) {
      code.dup2();
      operands.word(i);
      operands.call(ConversionMath.class, toFloat ? "floatFlags" : "integerFlags", "(JJ)I");
      lane.flags().popSigns();
    }
    lane.flags().clearCarry(i);
    if (ConversionMath.writesPair(i)) {
      lane.popPair(i.dst());
    } else {
      code.l2i();
      lane.popRegister(i.dst());
    }
  }
}
