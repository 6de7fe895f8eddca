package io.sluice.testbed.workloads.asm;

import io.sluice.testbed.workloads.asm.Word.Immediates;
import java.util.List;
import java.util.Map;

/** Integer arithmetic and logic. */
final class IntegerEncoder {
  private static final int WIDE_CC = 58;
  private static final int ADD = 0;
  private static final int SUBTRACT = 1;
  private static final int SUBTRACT_REVERSED = 2;
  private static final int ADD_ONE = 3;

  private IntegerEncoder() {}

  static void register(Map<String, Encoder> all) {
    all.put("IADD", (s, _) -> add(s, 0x4800000000000003L));
    all.put("IADD32I", (s, _) -> addWide(s));
    all.put("IMUL", (s, _) -> multiply(s));
    all.put("IMUL32I", (s, _) -> multiplyWide(s));
    all.put("IMAD", (s, _) -> multiplyAdd(s));
    all.put("ISCADD", (s, _) -> shiftAdd(s));
    all.put("SHL", (s, _) -> binary(s, 0x6000000000000003L).flag(9, s.has("W")).bits());
    all.put("SHR", (s, _) -> shiftRight(s));
    all.put("LOP", (s, _) -> logic(s));
    all.put("LOP32I", (s, _) -> logicWide(s));
    all.put("IMNMX", (s, _) -> minMax(s));
    all.put("ICMP", (s, _) -> choose(s));
    all.put("ISAD", (s, _) -> ternary(s, 0x3800000000000003L).flag(5, s.has("S32")).bits());
    all.put("BFE", (s, _) -> extract(s));
    all.put("BFI", (s, _) -> ternary(s, 0x2800000000000003L).bits());
    all.put("FLO", (s, _) -> highestBit(s));
    all.put("POPC", (s, _) -> populationCount(s));
  }

  static Word binary(Statement s, long opcode) {
    return new Word(s, opcode).guard().target(0).first(1).second(2, Immediates.INTEGER);
  }

  static Word ternary(Statement s, long opcode) {
    return new Word(s, opcode).guard().target(0).first(1).secondAndThird(2, 3, Immediates.INTEGER);
  }

  private static boolean negated(Operand operand) {
    return switch (operand) {
      case Operand.Register register -> register.negated();
      case Operand.Constant constant -> constant.negated();
      default -> false;
    };
  }

  private static int operation(Statement s, boolean firstNegated, boolean secondNegated) {
    if (s.has("PO")) {
      return ADD_ONE;
    }
    if (firstNegated && secondNegated) {
      throw s.error("only one operand can be negated");
    }
    return firstNegated ? SUBTRACT_REVERSED : secondNegated ? SUBTRACT : ADD;
  }

  private static long add(Statement s, long opcode) {
    Word word = binary(s, opcode);
    int operation = operation(s, word.register(1).negated(), negated(word.operand(2)));
    return word.set(8, 2, operation).flag(6, s.has("X")).flag(5, s.has("SAT")).bits();
  }

  private static long addWide(Statement s) {
    Word word = new Word(s, 0x0800000000000002L).guard().target(0, WIDE_CC).first(1).wide(2);
    int operation = operation(s, word.register(1).negated(), false);
    return word.set(8, 2, operation).flag(6, s.has("X")).flag(5, s.has("SAT")).bits();
  }

  /** {@code .S32} makes both factors signed, {@code .HI} takes the upper half. */
  private static Word factors(Statement s, Word word) {
    return word.flag(6, s.has("HI")).flag(7, s.has("S32")).flag(5, s.has("S32"));
  }

  private static long multiply(Statement s) {
    return factors(s, binary(s, 0x5000000000000003L)).bits();
  }

  private static long multiplyWide(Statement s) {
    Word word = new Word(s, 0x1000000000000002L).guard().target(0, WIDE_CC).first(1).wide(2);
    return factors(s, word).bits();
  }

  private static long multiplyAdd(Statement s) {
    Word word = factors(s, ternary(s, 0x2000000000000003L));
    int operation = operation(s, word.register(1).negated(), negated(word.operand(3)));
    return word.set(8, 2, operation).flag(55, s.has("X")).flag(56, s.has("SAT")).bits();
  }

  private static long shiftAdd(Statement s) {
    Word word = binary(s, 0x4000000000000003L);
    int operation = operation(s, word.register(1).negated(), negated(word.operand(2)));
    return word.set(55, 2, operation).set(5, 5, word.immediate(3)).bits();
  }

  private static long shiftRight(Statement s) {
    Word word = binary(s, 0x5800000000000003L);
    return word.flag(9, s.has("W")).flag(5, s.has("S32")).flag(8, s.has("BREV")).bits();
  }

  private static int logicOperation(Statement s) {
    List<String> names = List.of("AND", "OR", "XOR", "PASS_B");
    for (int i = 0; i < names.size(); i++) {
      if (s.has(names.get(i))) {
        return i;
      }
    }
    throw s.error("AND, OR, XOR or PASS_B is missing");
  }

  private static long logic(Statement s) {
    Word word = binary(s, 0x6800000000000003L).set(6, 2, logicOperation(s));
    return word.flag(9, word.register(1).negated()).flag(8, negated(word.operand(2))).bits();
  }

  private static long logicWide(Statement s) {
    Word word = new Word(s, 0x3800000000000002L).guard().target(0, WIDE_CC).first(1).wide(2);
    return word.set(6, 2, logicOperation(s)).flag(9, word.register(1).negated()).bits();
  }

  private static long minMax(Statement s) {
    Word word = binary(s, 0x0800000000000003L).flag(5, s.has("S32"));
    return word.predicateSource(word.predicate(3)).bits();
  }

  private static long choose(Statement s) {
    Word word = ternary(s, 0x3000000000000003L).flag(5, s.has("S32"));
    return word.set(55, 4, CompareEncoder.condition(s)).bits();
  }

  private static long extract(Statement s) {
    Word word = binary(s, 0x7000000000000003L);
    return word.flag(5, s.has("S32")).flag(8, s.has("BREV")).bits();
  }

  private static long highestBit(Statement s) {
    Word word = new Word(s, 0x7800000000000003L).guard().target(0).second(1, Immediates.INTEGER);
    return word.flag(5, s.has("S32")).flag(6, s.has("SH")).flag(8, negated(word.operand(1))).bits();
  }

  private static long populationCount(Statement s) {
    Word word = binary(s, 0x5400000000000004L);
    return word.flag(9, word.register(1).negated()).flag(8, negated(word.operand(2))).bits();
  }
}
