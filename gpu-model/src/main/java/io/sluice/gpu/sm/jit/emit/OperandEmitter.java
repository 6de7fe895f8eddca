package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.interpret.Operands;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.math.VideoMath;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * The emitter of operands, as {@link Operands} fetches them, and of calls of what computes with
 * them.
 */
final class OperandEmitter {
  private final CodeBuilder code;
  private final LaneState lane;

  OperandEmitter(CodeBuilder code, LaneState lane) {
    this.code = code;
    this.lane = lane;
  }

  /** Pushes the instruction word, which carries the modifiers. */
  void word(Instruction i) {
    code.loadConstant(i.word());
  }

  void first(Instruction i) {
    lane.pushRegister(i.src1());
  }

  void firstPair(Instruction i) {
    lane.pushPair(i.src1());
  }

  /** The second operand as an integer. */
  void second(Instruction i) {
    if (i.mode() == Instruction.IMMEDIATE) {
      code.loadConstant(i.imm20());
    } else {
      secondOrConst(i);
    }
  }

  /** The second operand of a video instruction. */
  void secondVideo(Instruction i) {
    if (VideoMath.hasSecondRegister(i)) {
      lane.pushRegister(i.src2());
    } else {
      code.loadConstant(i.imm16());
    }
  }

  /** The second operand as float bits. */
  void secondFloat(Instruction i) {
    if (i.mode() == Instruction.IMMEDIATE) {
      code.loadConstant(i.imm20Float());
    } else {
      secondOrConst(i);
    }
  }

  /** The second operand as a float. */
  void secondAsFloat(Instruction i) {
    switch (i.mode()) {
      case Instruction.REGISTER -> lane.pushFloat(i.src2());
      case Instruction.CONST_THIRD -> lane.pushFloat(i.src3());
      default -> {
        secondFloat(i);
        bitsToFloat();
      }
    }
  }

  /** The third operand as a float. */
  void thirdAsFloat(Instruction i) {
    if (i.mode() == Instruction.CONST_THIRD) {
      third(i);
      bitsToFloat();
    } else {
      lane.pushFloat(i.src3());
    }
  }

  /** The second operand as a double. */
  void secondAsDouble(Instruction i) {
    switch (i.mode()) {
      case Instruction.REGISTER -> lane.pushDouble(i.src2());
      case Instruction.CONST_THIRD -> lane.pushDouble(i.src3());
      default -> {
        secondDouble(i);
        bitsToDouble();
      }
    }
  }

  /** The third operand as a double. */
  void thirdAsDouble(Instruction i) {
    if (i.mode() == Instruction.CONST_THIRD) {
      thirdDouble(i);
      bitsToDouble();
    } else {
      lane.pushDouble(i.src3());
    }
  }

  private void bitsToDouble() {
    code.invokestatic(
        ClassDesc.of("java.lang.Double"), "longBitsToDouble", MethodTypeDesc.ofDescriptor("(J)D"));
  }

  private void bitsToFloat() {
    code.invokestatic(
        ClassDesc.of("java.lang.Float"), "intBitsToFloat", MethodTypeDesc.ofDescriptor("(I)F"));
  }

  private void secondOrConst(Instruction i) {
    switch (i.mode()) {
      case Instruction.REGISTER -> lane.pushRegister(i.src2());
      case Instruction.CONST_SECOND -> lane.pushConstant(i.constBank(), i.constOffset());
      default -> lane.pushRegister(i.src3());
    }
  }

  /** The second operand as a 64-bit integer. */
  void secondWide(Instruction i) {
    if (i.mode() == Instruction.IMMEDIATE) {
      code.loadConstant((long) i.imm20());
    } else {
      secondDouble(i);
    }
  }

  /** The second operand as double bits. */
  void secondDouble(Instruction i) {
    switch (i.mode()) {
      case Instruction.REGISTER -> lane.pushPair(i.src2());
      case Instruction.CONST_SECOND -> constantPair(i);
      case Instruction.CONST_THIRD -> lane.pushPair(i.src3());
      default -> code.loadConstant(i.imm20Double());
    }
  }

  void third(Instruction i) {
    if (i.mode() == Instruction.CONST_THIRD) {
      lane.pushConstant(i.constBank(), i.constOffset());
    } else {
      lane.pushRegister(i.src3());
    }
  }

  void thirdDouble(Instruction i) {
    if (i.mode() == Instruction.CONST_THIRD) {
      constantPair(i);
    } else {
      lane.pushPair(i.src3());
    }
  }

  private void constantPair(Instruction i) {
    lane.pushConstant(i.constBank(), i.constOffsetWide());
    code.i2l().loadConstant(0xffff_ffffL).land();
    lane.pushConstant(i.constBank(), i.constOffsetWide() + Integer.BYTES);
    code.i2l().bipush(32).lshl().lor();
  }

  /** The predicate at bits 51:49, as 1 or 0. */
  void predicate(Instruction i) {
    lane.flags().pushPredicate(i.bits(51, 49), i.bit(52));
  }

  /** Calls a static method of ours. */
  void call(Class<?> type, String method, String descriptor) {
    code.invokestatic(HostClass.of(type), method, MethodTypeDesc.ofDescriptor(descriptor));
  }

  /** Calls a static method of Integer. */
  void callInteger(String method, String descriptor) {
    code.invokestatic(ConstantDescs.CD_Integer, method, MethodTypeDesc.ofDescriptor(descriptor));
  }

  /** Calls a method of an object of ours. */
  void callOn(Class<?> type, String method, String descriptor) {
    code.invokevirtual(HostClass.of(type), method, MethodTypeDesc.ofDescriptor(descriptor));
  }
}
