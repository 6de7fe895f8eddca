package io.sluice.testbed.workloads.asm;

import io.sluice.testbed.workloads.asm.Word.Immediates;
import java.util.List;
import java.util.Map;

/** Floating point arithmetic. */
final class FloatEncoder {
  private static final int WIDE_CC = 58;
  private static final List<String> ROUNDINGS = List.of("RN", "RM", "RP", "RZ");
  private static final List<String> FUNCTIONS =
      List.of("COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H");
  private static final List<String> SCALES = List.of("", "D2", "D4", "D8", "M8", "M4", "M2");

  private FloatEncoder() {}

  static void register(Map<String, Encoder> all) {
    all.put("FADD", (s, _) -> add(s));
    all.put("FADD32I", (s, _) -> addWide(s));
    all.put("FMUL", (s, _) -> multiply(s));
    all.put("FMUL32I", (s, _) -> multiplyWide(s));
    all.put("FFMA", (s, _) -> fma(s));
    all.put("FMNMX", (s, _) -> minMax(s, 0x0800000000000000L, Immediates.FLOAT));
    all.put("FCMP", (s, _) -> choose(s));
    all.put("MUFU", (s, _) -> special(s));
    all.put("RRO", (s, _) -> reduceRange(s));
    all.put("DADD", (s, _) -> addDouble(s));
    all.put("DMUL", (s, _) -> multiplyDouble(s));
    all.put("DFMA", (s, _) -> fmaDouble(s));
    all.put("DMNMX", (s, _) -> minMax(s, 0x0800000000000001L, Immediates.DOUBLE));
  }

  static int oneOf(Statement s, List<String> names) {
    for (int i = 0; i < names.size(); i++) {
      if (s.has(names.get(i))) {
        return i;
      }
    }
    return 0;
  }

  private static boolean negated(Operand operand) {
    return switch (operand) {
      case Operand.Register register -> register.negated();
      case Operand.Constant constant -> constant.negated();
      default -> false;
    };
  }

  private static boolean absolute(Operand operand) {
    return switch (operand) {
      case Operand.Register register -> register.absolute();
      case Operand.Constant constant -> constant.absolute();
      default -> false;
    };
  }

  /** Signs of the first operand: bits 9 and 7. */
  static Word firstSigns(Word word, int index) {
    Operand operand = word.operand(index);
    return word.flag(9, negated(operand)).flag(7, absolute(operand));
  }

  /** Signs of the second operand: bits 8 and 6. */
  static Word secondSigns(Word word, int index) {
    Operand operand = word.operand(index);
    return word.flag(8, negated(operand)).flag(6, absolute(operand));
  }

  private static Word binary(Statement s, long opcode, Immediates immediates) {
    return new Word(s, opcode).guard().target(0).first(1).second(2, immediates);
  }

  private static long add(Statement s) {
    Word word = binary(s, 0x5000000000000000L, Immediates.FLOAT);
    secondSigns(firstSigns(word, 1), 2);
    return word.flag(5, s.has("FTZ")).flag(49, s.has("SAT")).set(55, 2, oneOf(s, ROUNDINGS)).bits();
  }

  private static long addWide(Statement s) {
    Word word = new Word(s, 0x2800000000000002L).guard().target(0, WIDE_CC).first(1).wide(2);
    return firstSigns(word, 1).flag(5, s.has("FTZ")).bits();
  }

  private static Word modes(Statement s, Word word) {
    return word.flag(6, s.has("FTZ")).flag(7, s.has("FMZ")).flag(5, s.has("SAT"));
  }

  private static long multiply(Statement s) {
    Word word = modes(s, binary(s, 0x5800000000000000L, Immediates.FLOAT));
    word.flag(57, negated(word.operand(1)) != negated(word.operand(2)));
    return word.set(55, 2, oneOf(s, ROUNDINGS)).set(49, 3, oneOf(s, SCALES)).bits();
  }

  private static long multiplyWide(Statement s) {
    Word word = new Word(s, 0x3000000000000002L).guard().target(0, WIDE_CC).first(1).wide(2);
    return modes(s, word).bits();
  }

  private static long fma(Statement s) {
    Word word = new Word(s, 0x3000000000000000L).guard().target(0).first(1);
    modes(s, word.secondAndThird(2, 3, Immediates.FLOAT));
    word.flag(9, negated(word.operand(1)) != negated(word.operand(2)));
    return word.flag(8, negated(word.operand(3))).set(55, 2, oneOf(s, ROUNDINGS)).bits();
  }

  private static long minMax(Statement s, long opcode, Immediates immediates) {
    Word word = binary(s, opcode, immediates).flag(5, s.has("FTZ"));
    secondSigns(firstSigns(word, 1), 2);
    return word.predicateSource(word.predicate(3)).bits();
  }

  private static long choose(Statement s) {
    Word word = new Word(s, 0x3800000000000000L).guard().target(0).first(1);
    word.secondAndThird(2, 3, Immediates.FLOAT).flag(5, s.has("FTZ"));
    return word.set(55, 4, CompareEncoder.condition(s)).bits();
  }

  private static long special(Statement s) {
    Word word = new Word(s, 0xc800000000000000L).guard().target(0).first(1);
    int function = FUNCTIONS.indexOf(s.modifiers().isEmpty() ? "" : s.modifiers().get(0));
    if (function < 0) {
      throw s.error("no such function");
    }
    return firstSigns(word, 1).set(26, 3, function).flag(5, s.has("SAT")).bits();
  }

  private static long reduceRange(Statement s) {
    Word word = new Word(s, 0x6000000000000000L).guard().target(0);
    return secondSigns(word.second(1, Immediates.FLOAT), 1).flag(5, s.has("EX2")).bits();
  }

  private static long addDouble(Statement s) {
    Word word = binary(s, 0x4800000000000001L, Immediates.DOUBLE);
    return secondSigns(firstSigns(word, 1), 2).set(55, 2, oneOf(s, ROUNDINGS)).bits();
  }

  private static long multiplyDouble(Statement s) {
    Word word = binary(s, 0x5000000000000001L, Immediates.DOUBLE);
    word.flag(9, negated(word.operand(1)) != negated(word.operand(2)));
    return word.set(55, 2, oneOf(s, ROUNDINGS)).bits();
  }

  private static long fmaDouble(Statement s) {
    Word word = new Word(s, 0x2000000000000001L).guard().target(0).first(1);
    word.secondAndThird(2, 3, Immediates.DOUBLE);
    word.flag(9, negated(word.operand(1)) != negated(word.operand(2)));
    return word.flag(8, negated(word.operand(3))).set(55, 2, oneOf(s, ROUNDINGS)).bits();
  }
}
