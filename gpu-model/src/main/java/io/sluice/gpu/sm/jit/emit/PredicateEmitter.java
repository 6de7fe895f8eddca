package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.math.Fp32;
import io.sluice.gpu.sm.math.IntegerMath;
import io.sluice.gpu.sm.math.VideoMath;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.function.Consumer;

/** The emitter of comparisons, selections, and moves of predicates. */
final class PredicateEmitter {
  private static final int FLOAT_ONE = 0x3f800000;
  private static final int AND = 0;
  private static final int OR = 1;
  private static final int CC_SHIFT = 12;
  private static final int CC_MASK = 0xf;
  private static final int PREDICATES = 0x7f;

  // What a comparison accepts.
  private static final int LESS = 1;
  private static final int EQUAL = 2;
  private static final int UNEQUAL = 5;
  private static final int RELATIONS = 7;
  private static final int UNORDERED = 8;

  private final CodeBuilder code;
  private final LaneState lane;
  private final OperandEmitter operands;
  private final ResultEmitter results;

  PredicateEmitter(
      CodeBuilder code, LaneState lane, OperandEmitter operands, ResultEmitter results) {
    this.results = results;
    this.code = code;
    this.lane = lane;
    this.operands = operands;
  }

  void emit(Opcode opcode, Instruction i) {
    switch (opcode) {
      case ISETP, FSETP, DSETP, PSETP, CSETP, VSETP -> {
        compare(opcode, i);
        toPredicates(i);
      }
      case ISET -> toRegister(opcode, i, i.bit(7));
      case FSET, DSET, PSET, CSET -> toRegister(opcode, i, i.bit(5));
      case SEL -> {
        operands.predicate(i);
        code.ifThenElse(then -> operands.first(i), otherwise -> operands.second(i));
        lane.popRegister(i.dst());
      }
      case P2R -> {
        lane.pushRegister(i.src1());
        operands.second(i);
        code.iconst_m1().ixor().iand();
        flags();
        operands.second(i);
        code.iand().ior();
        lane.popRegister(i.dst());
      }
      case R2P -> toFlags(i);
      default -> throw new AssertionError(opcode);
    }
  }

  /** Pushes predicates and condition code in one word. */
  private void flags() {
    lane.flags().pushPredicates();
    lane.flags().pushCc();
    code.loadConstant(CC_SHIFT).ishl().ior();
  }

  private void toFlags(Instruction i) {
    flags();
    operands.second(i);
    code.iconst_m1().ixor().iand();
    lane.pushRegister(i.src1());
    operands.second(i);
    code.iand().ior();
    code.dup().loadConstant(CC_SHIFT).iushr().loadConstant(CC_MASK).iand();
    lane.flags().popCc();
    code.loadConstant(PREDICATES).iand();
    lane.flags().popPredicates();
  }

  /** Pushes 1 if the comparison holds, otherwise 0. */
  private void compare(Opcode opcode, Instruction i) {
    switch (opcode) {
      case ISETP, ISET -> compareIntegers(i);
      case FSETP, FSET -> {
        int accepted = i.bits(58, 55);
        boolean direct = isDirect(accepted);
        if (!direct) {
          code.loadConstant(accepted);
        }
        lane.pushFloat(i.src1());
        results.modify(i.bit(7), i.bit(9), i.bit(59));
        extendUnless(direct);
        operands.secondAsFloat(i);
        results.modify(i.bit(6), i.bit(8), i.bit(59));
        extendUnless(direct);
        if (direct) {
          branchFloats(accepted, CodeBuilder::fcmpl, CodeBuilder::fcmpg);
        } else {
          operands.call(Fp32.class, "compare", "(IDD)Z");
        }
      }
      case DSETP, DSET -> {
        int accepted = i.bits(58, 55);
        boolean direct = isDirect(accepted);
        if (!direct) {
          code.loadConstant(accepted);
        }
        lane.pushDouble(i.src1());
        results.modifyDouble(i.bit(7), i.bit(9));
        operands.secondAsDouble(i);
        results.modifyDouble(i.bit(6), i.bit(8));
        if (direct) {
          branchFloats(accepted, CodeBuilder::dcmpl, CodeBuilder::dcmpg);
        } else {
          operands.call(Fp32.class, "compare", "(IDD)Z");
        }
      }
      case VSETP -> {
        operands.word(i);
        operands.first(i);
        operands.secondVideo(i);
        operands.call(VideoMath.class, "compares", "(JII)Z");
      }
      case PSETP, PSET -> {
        lane.flags().pushPredicate(i.bits(22, 20), i.bit(23));
        lane.flags().pushPredicate(i.bits(28, 26), i.bit(29));
        combine(i.bits(31, 30));
      }
      default -> {
        code.loadConstant(i.bits(24, 20));
        lane.flags().pushCc();
        operands.call(ConditionCode.class, "holds", "(II)Z");
      }
    }
  }

  private void compareIntegers(Instruction i) {
    if (i.bit(6)) {
      operands.word(i);
      operands.first(i);
      operands.second(i);
      lane.flags().pushCc();
      operands.call(IntegerMath.class, "compareExtended", "(JIII)Z");
      return;
    }
    int accepted = i.bits(58, 55) & RELATIONS;
    if (accepted == 0 || accepted == RELATIONS) {
      code.loadConstant(accepted == 0 ? 0 : 1);
      return;
    }
    operands.first(i);
    operands.second(i);
    if (i.bit(5)) {
      branchSigned(accepted);
    } else {
      code.invokestatic(
          ConstantDescs.CD_Integer,
          "compareUnsigned",
          MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, ConstantDescs.CD_int));
      branchOnResult(accepted);
    }
  }

  /** Whether one comparison of Java's says what floats are accepted; see {@link Fp32#compare}. */
  private static boolean isDirect(int accepted) {
    return switch (accepted & RELATIONS) {
      case 1, 3, 4, 6 -> true;
      case 2 -> (accepted & UNORDERED) == 0;
      case 5 -> (accepted & UNORDERED) != 0;
      default -> false;
    };
  }

  private void extendUnless(boolean direct) {
    if (!direct) {
      code.f2d();
    }
  }

  /**
   * Compares two floats or doubles.
   *
   * @param nanIsLess the instruction that takes a NaN for less
   * @param nanIsGreater the one that takes it for greater
   */
  private void branchFloats(
      int accepted, Consumer<CodeBuilder> nanIsLess, Consumer<CodeBuilder> nanIsGreater) {
    int relation = accepted & RELATIONS;
    boolean wantsLess = (relation & LESS) != 0;
    boolean wantsNan = (accepted & UNORDERED) != 0;
    // A NaN is neither equal nor unequal by itself: as less it is not equal.
    boolean asLess = relation == EQUAL || relation == UNEQUAL || wantsLess == wantsNan;
    (asLess ? nanIsLess : nanIsGreater).accept(code);
    branchOnResult(relation);
  }

  private void branchSigned(int accepted) {
    code.ifThenElse(
        switch (accepted) {
          case 1 -> java.lang.classfile.Opcode.IF_ICMPLT;
          case 2 -> java.lang.classfile.Opcode.IF_ICMPEQ;
          case 3 -> java.lang.classfile.Opcode.IF_ICMPLE;
          case 4 -> java.lang.classfile.Opcode.IF_ICMPGT;
          case 5 -> java.lang.classfile.Opcode.IF_ICMPNE;
          default -> java.lang.classfile.Opcode.IF_ICMPGE;
        },
        CodeBuilder::iconst_1,
        CodeBuilder::iconst_0);
  }

  /** Goes by the result of a comparison on the stack: below, at or above 0. */
  private void branchOnResult(int accepted) {
    code.ifThenElse(
        switch (accepted) {
          case 1 -> java.lang.classfile.Opcode.IFLT;
          case 2 -> java.lang.classfile.Opcode.IFEQ;
          case 3 -> java.lang.classfile.Opcode.IFLE;
          case 4 -> java.lang.classfile.Opcode.IFGT;
          case 5 -> java.lang.classfile.Opcode.IFNE;
          default -> java.lang.classfile.Opcode.IFGE;
        },
        CodeBuilder::iconst_1,
        CodeBuilder::iconst_0);
  }

  /** Combines two of 1 or 0. */
  private void combine(int operation) {
    switch (operation) {
      case AND -> code.iand();
      case OR -> code.ior();
      default -> code.ixor();
    }
  }

  /** Combines the comparison on the stack with the third source. */
  private void combineWithThird(Instruction i) {
    boolean noop = i.bits(54, 53) == AND && i.bits(51, 49) == Instruction.PT && !i.bit(52);
    if (!noop) {
      operands.predicate(i);
      combine(i.bits(54, 53));
    }
  }

  /** The second target gets the complement's combination. */
  private void toPredicates(Instruction i) {
    int first = i.bits(19, 17);
    int second = i.bits(16, 14);
    if (second == Instruction.PT) {
      combineWithThird(i);
      lane.flags().popPredicate(first);
      return;
    }
    code.dup();
    combineWithThird(i);
    code.swap();
    code.iconst_1().ixor();
    combineWithThird(i);
    // The second is stored last, as in the interpreter.
    code.swap();
    lane.flags().popPredicate(first);
    lane.flags().popPredicate(second);
  }

  private void toRegister(Opcode opcode, Instruction i, boolean asFloat) {
    compare(opcode, i);
    combineWithThird(i);
    code.ifThenElse(
        then -> then.loadConstant(asFloat ? FLOAT_ONE : -1), otherwise -> otherwise.iconst_0());
    if (lane.flags().wantsSigns(i)) {
      code.dup();
      operands.call(ConditionCode.class, asFloat ? "ofFloat" : "ofInteger", "(I)I");
      lane.flags().popSigns();
    }
    lane.flags().clearCarry(i);
    lane.popRegister(i.dst());
  }
}
