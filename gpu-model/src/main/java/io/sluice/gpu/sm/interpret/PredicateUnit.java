package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.math.VideoMath;
import io.sluice.gpu.sm.warp.Warp;

/** Comparisons into predicates or registers, and moves of predicates, of one lane. */
final class PredicateUnit {
  private static final int FLOAT_ONE = 0x3f800000;
  private static final int PREDICATES = 0x7f;

  /** Where the condition code stands in what P2R gives. */
  private static final int CC_SHIFT = 12;

  private static final int CC_MASK = 0xf;

  private final Operands operands;
  private final IntegerUnit integers;
  private final FloatUnit floats;

  PredicateUnit(Operands operands, IntegerUnit integers, FloatUnit floats) {
    this.operands = operands;
    this.integers = integers;
    this.floats = floats;
  }

  void execute(Opcode opcode, Instruction i, Warp w, int lane) {
    switch (opcode) {
      case ISETP -> toPredicates(i, w, lane, integers.compares(i, w, lane));
      case FSETP -> toPredicates(i, w, lane, floats.compares(i, w, lane));
      case DSETP -> toPredicates(i, w, lane, floats.comparesDouble(i, w, lane));
      case VSETP -> toPredicates(i, w, lane, comparesVideo(i, w, lane));
      case PSETP -> toPredicates(i, w, lane, ofPredicates(i, w, lane));
      case CSETP -> toPredicates(i, w, lane, ConditionCode.holds(i.bits(24, 20), w.cc[lane]));
      case ISET -> toRegister(i, w, lane, integers.compares(i, w, lane), i.bit(7));
      case FSET -> toRegister(i, w, lane, floats.compares(i, w, lane), i.bit(5));
      case DSET -> toRegister(i, w, lane, floats.comparesDouble(i, w, lane), i.bit(5));
      case PSET -> toRegister(i, w, lane, ofPredicates(i, w, lane), i.bit(5));
      case CSET ->
          toRegister(i, w, lane, ConditionCode.holds(i.bits(24, 20), w.cc[lane]), i.bit(5));
      case SEL ->
          w.set(
              i.dst(),
              lane,
              source3(i, w, lane) ? w.get(i.src1(), lane) : operands.second(i, w, lane));
      case P2R -> {
        int mask = operands.second(i, w, lane);
        int flags = flags(w.allPredicates(lane), w.cc[lane]);
        w.set(i.dst(), lane, w.get(i.src1(), lane) & ~mask | flags & mask);
      }
      case R2P -> {
        int mask = operands.second(i, w, lane);
        int flags = flags(w.allPredicates(lane), w.cc[lane]) & ~mask | w.get(i.src1(), lane) & mask;
        w.setAllPredicates(lane, flags & PREDICATES);
        w.cc[lane] = flags >>> CC_SHIFT & CC_MASK;
      }
      default -> throw new AssertionError(opcode);
    }
  }

  /** Predicates and condition code in one word. */
  static int flags(int predicates, int cc) {
    return predicates & PREDICATES | cc << CC_SHIFT;
  }

  /** The predicate at bits 51:49, negated by bit 52. */
  static boolean source3(Instruction i, Warp w, int lane) {
    return w.predicate(i.bits(51, 49), lane) != i.bit(52);
  }

  /** The lanes in which that predicate holds. */
  static int source3(Instruction i, Warp w) {
    return w.holding(i.bits(51, 49), i.bit(52));
  }

  private static boolean comparesVideo(Instruction i, Warp w, int lane) {
    int a = w.get(i.src1(), lane);
    return VideoMath.compares(i.word(), a, Operands.secondVideo(i, w, lane));
  }

  private static boolean ofPredicates(Instruction i, Warp w, int lane) {
    boolean p = w.predicate(i.bits(22, 20), lane) != i.bit(23);
    boolean q = w.predicate(i.bits(28, 26), lane) != i.bit(29);
    return combine(i.bits(31, 30), p, q);
  }

  /** The comparison, combined with the third source; the second target gets its complement. */
  private static void toPredicates(Instruction i, Warp w, int lane, boolean comparison) {
    boolean other = source3(i, w, lane);
    int operation = i.bits(54, 53);
    boolean result = combine(operation, comparison, other);
    boolean complement = combine(operation, !comparison, other);
    w.setPredicate(i.bits(19, 17), lane, result);
    w.setPredicate(i.bits(16, 14), lane, complement);
  }

  private static void toRegister(
      Instruction i, Warp w, int lane, boolean comparison, boolean asFloat) {
    boolean result = combine(i.bits(54, 53), comparison, source3(i, w, lane));
    int value = !result ? 0 : asFloat ? FLOAT_ONE : -1;
    w.set(i.dst(), lane, value);
    if (i.writesCc()) {
      w.cc[lane] = asFloat ? ConditionCode.ofFloat(value) : ConditionCode.ofInteger(value);
    }
  }

  /** Combines a comparison with a predicate: and, or, xor. */
  static boolean combine(int operation, boolean p, boolean q) {
    return switch (operation) {
      case 0 -> p && q;
      case 1 -> p || q;
      default -> p != q;
    };
  }
}
