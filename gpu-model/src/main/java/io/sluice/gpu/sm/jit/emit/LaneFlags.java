package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.decode.Effects;
import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.jit.plan.Liveness;
import io.sluice.gpu.sm.jit.plan.Segment;
import io.sluice.gpu.sm.warp.Warp;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/**
 * The predicates and condition code of a lane as local variables of a segment's method.
 *
 * <p>A warp has the lanes in which a predicate holds in one word. A lane takes its bit from what
 * the word was before the segment, and adds it to another word for after it: so no lane waits for
 * the one before. The condition code is kept in three parts, because most of what writes it is read
 * for its carry alone, or not at all: zero and sign, carry, overflow.
 */
final class LaneFlags {
  private static final ClassDesc WARP = HostClass.of(Warp.class);
  private static final ClassDesc CONDITION_CODE = HostClass.of(ConditionCode.class);
  private static final ClassDesc INTS = ConstantDescs.CD_int.arrayType();
  private static final MethodTypeDesc HOLDS =
      MethodTypeDesc.of(ConstantDescs.CD_boolean, ConstantDescs.CD_int, ConstantDescs.CD_int);
  private static final int WARP_ARGUMENT = 1;
  private static final int LANES_ARGUMENT = 2;
  private static final int CONDITION = Liveness.SIGNS | Liveness.CARRY | Liveness.OVERFLOW;
  private static final int NONE = -1;

  private final CodeBuilder code;
  private final Liveness liveness;
  private final int lane;
  private final int predicates;
  private final int conditions;
  private final int signs;
  private final int carry;
  private final int overflow;
  private final int[] slots = new int[Instruction.PT];

  /** Of each predicate the lanes in which it held before the segment. */
  private final int[] before = new int[Instruction.PT];

  /** Of each predicate that is stored those in which it holds afterwards. */
  private final int[] after = new int[Instruction.PT];

  /** Predicates and parts of the condition code that may be read before they are written. */
  private final int live;

  private final boolean usesCc;
  private final boolean storesCc;

  /** The same that may be read after what is emitted now. */
  private int flagsAfter;

  /**
   * @param lane local variable with the lane's number
   */
  LaneFlags(CodeBuilder code, Segment segment, Liveness liveness, int lane) {
    this.code = code;
    this.liveness = liveness;
    this.lane = lane;
    predicates = code.allocateLocal(TypeKind.REFERENCE);
    conditions = code.allocateLocal(TypeKind.REFERENCE);
    signs = code.allocateLocal(TypeKind.INT);
    carry = code.allocateLocal(TypeKind.INT);
    overflow = code.allocateLocal(TypeKind.INT);
    int end = segment.pc() + (segment.instructions().size() - 1) * Instruction.BYTES;
    int wanted = liveness.flagsAfter(end);
    live = liveness.flagsBefore(segment.pc());
    int used = 0;
    int written = 0;
    boolean uses = false;
    boolean writes = false;
    for (Instruction i : segment.instructions()) {
      Effects effects = Effects.of(i.form(), i);
      used |= effects.predicateReads() | effects.predicateWrites();
      written |= effects.predicateWrites();
      uses |= effects.readsCc() || effects.writesCc();
      writes |= effects.writesCc();
    }
    usesCc = uses;
    storesCc = writes && (wanted & CONDITION) != 0;
    for (int p = 0; p < Instruction.PT; p++) {
      slots[p] = isIn(used, p) ? code.allocateLocal(TypeKind.INT) : NONE;
      before[p] = isIn(used & live, p) ? code.allocateLocal(TypeKind.INT) : NONE;
      after[p] = isIn(written & wanted, p) ? code.allocateLocal(TypeKind.INT) : NONE;
    }
  }

  private static boolean isIn(int set, int predicate) {
    return (set >>> predicate & 1) != 0;
  }

  /** The local variables of the predicates. */
  int[] slots() {
    return slots;
  }

  // ---- around the body ----

  /** What is the same for all lanes. */
  void prepare() {
    code.aload(WARP_ARGUMENT).getfield(WARP, "predicates", INTS).astore(predicates);
    code.aload(WARP_ARGUMENT).getfield(WARP, "cc", INTS).astore(conditions);
    for (int p = 0; p < Instruction.PT; p++) {
      if (before[p] != NONE) {
        code.aload(predicates).loadConstant(p).iaload().istore(before[p]);
      }
      if (after[p] != NONE) {
        code.aload(predicates).loadConstant(p).iaload();
        code.iload(LANES_ARGUMENT).iconst_m1().ixor().iand().istore(after[p]);
      }
    }
  }

  /** Loads a lane's. */
  void load() {
    for (int p = 0; p < Instruction.PT; p++) {
      if (before[p] != NONE) {
        code.iload(before[p]).iload(lane).iushr().iconst_1().iand().istore(slots[p]);
      } else if (slots[p] != NONE) {
        code.iconst_0().istore(slots[p]);
      }
    }
    if (!usesCc) {
      return;
    }
    if ((live & CONDITION) == 0) {
      code.iconst_0().istore(signs).iconst_0().istore(carry).iconst_0().istore(overflow);
      return;
    }
    code.aload(conditions).iload(lane).iaload();
    popCc();
  }

  /** Stores what the body may have written and somebody may read. */
  void store() {
    for (int p = 0; p < Instruction.PT; p++) {
      if (after[p] != NONE) {
        code.iload(slots[p]).iload(lane).ishl().iload(after[p]).ior().istore(after[p]);
      }
    }
    if (storesCc) {
      code.aload(conditions).iload(lane);
      pushCc();
      code.iastore();
    }
  }

  /** A lane that has faulted keeps its predicates: it may be interpreted instead. */
  void keep() {
    for (int p = 0; p < Instruction.PT; p++) {
      if (after[p] != NONE) {
        code.aload(predicates).loadConstant(p).iaload().iconst_1().iload(lane).ishl().iand();
        code.iload(after[p]).ior().istore(after[p]);
      }
    }
  }

  /** Stores what is gathered of all lanes: their predicates. */
  void finish() {
    for (int p = 0; p < Instruction.PT; p++) {
      if (after[p] != NONE) {
        code.aload(predicates).loadConstant(p).iload(after[p]).iastore();
      }
    }
  }

  // ---- predicates ----

  /** Pushes 1 or 0. */
  void pushPredicate(int predicate, boolean negated) {
    if (predicate == Instruction.PT) {
      code.loadConstant(negated ? 0 : 1);
      return;
    }
    code.iload(slots[predicate]);
    if (negated) {
      code.iconst_1().ixor();
    }
  }

  /** Stores the 1 or 0 on the stack. */
  void popPredicate(int predicate) {
    if (predicate == Instruction.PT) {
      code.pop();
    } else {
      code.istore(slots[predicate]);
    }
  }

  /** Pushes all predicates in one word. */
  void pushPredicates() {
    code.iconst_0();
    for (int p = 0; p < Instruction.PT; p++) {
      code.iload(slots[p]).loadConstant(p).ishl().ior();
    }
  }

  /** Sets all predicates from the word on the stack. */
  void popPredicates() {
    for (int p = 0; p < Instruction.PT; p++) {
      code.dup().loadConstant(p).ishr().iconst_1().iand().istore(slots[p]);
    }
    code.pop();
  }

  /** Whether an instruction tests the condition code. */
  private static boolean tests(Instruction i) {
    return i.bits(9, 5) != ConditionCode.TRUE;
  }

  /**
   * Pushes whether an instruction's predicate holds, and if asked its test of the condition code: 1
   * or 0.
   */
  void pushHolds(Instruction i, boolean tested) {
    pushPredicate(i.predicate(), i.predicateNegated());
    if (tested && tests(i)) {
      pushTest(i);
      code.iand();
    }
  }

  /** Goes to a label unless that is so. */
  void skipUnless(Instruction i, boolean tested, Label label) {
    if (i.predicate() == Instruction.PT) {
      if (i.predicateNegated()) {
        code.goto_(label);
        return;
      }
    } else {
      code.iload(slots[i.predicate()]);
      if (i.predicateNegated()) {
        code.ifne(label);
      } else {
        code.ifeq(label);
      }
    }
    if (tested && tests(i)) {
      pushTest(i);
      code.ifeq(label);
    }
  }

  private void pushTest(Instruction i) {
    code.loadConstant(i.bits(9, 5));
    pushCc();
    code.invokestatic(CONDITION_CODE, "holds", HOLDS);
  }

  // ---- condition code ----

  void pushCc() {
    code.iload(signs).iload(carry).ior().iload(overflow).ior();
  }

  /** Pushes the carry as a condition code. */
  void pushCarry() {
    code.iload(carry);
  }

  /** Stores zero and sign from the stack. */
  void popSigns() {
    code.istore(signs);
  }

  void popCarry() {
    code.istore(carry);
  }

  void popOverflow() {
    code.istore(overflow);
  }

  /** Sets carry and overflow to 0, if an instruction writes the condition code. */
  void clearCarry(Instruction i) {
    if (wantsCarry(i)) {
      code.iconst_0().istore(carry);
    }
    if (wantsOverflow(i)) {
      code.iconst_0().istore(overflow);
    }
  }

  /** Whether the condition code may be read after an instruction. */
  boolean isConditionLive(int pc) {
    return (liveness.flagsAfter(pc) & CONDITION) != 0;
  }

  /** Takes notice of the instruction that is emitted next. */
  void enter(int pc) {
    flagsAfter = liveness.flagsAfter(pc);
  }

  /** Whether an instruction writes the condition code and a part of it may be read. */
  boolean wantsCc(Instruction i) {
    return i.writesCc() && (flagsAfter & CONDITION) != 0;
  }

  boolean wantsSigns(Instruction i) {
    return i.writesCc() && (flagsAfter & Liveness.SIGNS) != 0;
  }

  boolean wantsCarry(Instruction i) {
    return i.writesCc() && (flagsAfter & Liveness.CARRY) != 0;
  }

  boolean wantsOverflow(Instruction i) {
    return i.writesCc() && (flagsAfter & Liveness.OVERFLOW) != 0;
  }

  /** Sets the condition code from the stack. */
  void popCc() {
    code.istore(signs);
    code.iload(signs).loadConstant(ConditionCode.CARRY).iand().istore(carry);
    code.iload(signs).loadConstant(ConditionCode.OVERFLOW).iand().istore(overflow);
    code.iload(signs).loadConstant(ConditionCode.ZERO | ConditionCode.SIGN).iand().istore(signs);
  }
}
