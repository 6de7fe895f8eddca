package io.sluice.testbed.workloads.asm;

import io.sluice.testbed.workloads.asm.Word.Immediates;
import java.util.List;
import java.util.Map;

/**
 * Comparisons: into predicates ({@code ISETP.LT.S32.AND P0, P1, R2, R3, P4}, where the second
 * target and the combined predicate may be left out) or registers ({@code ISET.LT.AND R0, R2, R3,
 * PT}).
 */
final class CompareEncoder {
  private static final List<String> CONDITIONS =
      List.of(
          "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU",
          "GEU", "T");
  private static final List<String> COMBINATIONS = List.of("AND", "OR", "XOR");

  private CompareEncoder() {}

  static void register(Map<String, Encoder> all) {
    all.put(
        "ISETP", (s, _) -> integer(s, toPredicates(s, 0x1800000000000003L, Immediates.INTEGER)));
    all.put(
        "ISET", (s, _) -> integer(s, toRegister(s, 0x1000000000000003L, Immediates.INTEGER, 7)));
    all.put("FSETP", (s, _) -> real(s, toPredicates(s, 0x2000000000000000L, Immediates.FLOAT)));
    all.put("FSET", (s, _) -> real(s, toRegister(s, 0x1000000000000000L, Immediates.FLOAT, 5)));
    all.put("DSETP", (s, _) -> real(s, toPredicates(s, 0x1800000000000001L, Immediates.DOUBLE)));
    all.put("DSET", (s, _) -> real(s, toRegister(s, 0x1000000000000001L, Immediates.DOUBLE, 5)));
    all.put("PSETP", (s, _) -> ofPredicates(s));
  }

  /** The condition among the modifiers. */
  static int condition(Statement s) {
    for (String modifier : s.modifiers()) {
      int index = CONDITIONS.indexOf(modifier);
      if (index >= 0) {
        return index;
      }
    }
    throw s.error("the condition is missing");
  }

  private static long integer(Statement s, Word word) {
    return word.flag(5, s.has("S32")).flag(6, s.has("X")).bits();
  }

  private static long real(Statement s, Word word) {
    int first = word.operand(1) instanceof Operand.Predicate ? 2 : 1;
    FloatEncoder.secondSigns(FloatEncoder.firstSigns(word, first), first + 1);
    return word.flag(59, s.has("FTZ")).bits();
  }

  private static Word toPredicates(Statement s, long opcode, Immediates immediates) {
    Word word = new Word(s, opcode).guard();
    boolean both = word.operand(1) instanceof Operand.Predicate;
    int first = both ? 2 : 1;
    word.set(17, 3, word.predicate(0).number());
    word.set(14, 3, both ? word.predicate(1).number() : Operand.PT);
    word.first(first).second(first + 1, immediates);
    return combine(s, word, first + 2);
  }

  private static Word toRegister(Statement s, long opcode, Immediates immediates, int asFloat) {
    Word word = new Word(s, opcode).guard().target(0).first(1).second(2, immediates);
    return combine(s, word, 3).flag(asFloat, s.has("BF"));
  }

  private static Word combine(Statement s, Word word, int index) {
    word.set(55, 4, condition(s)).set(53, 2, FloatEncoder.oneOf(s, COMBINATIONS));
    boolean given = index < s.operands().size();
    return word.predicateSource(
        given ? word.predicate(index) : new Operand.Predicate(Operand.PT, false));
  }

  /** {@code PSETP.AND.OR P0, P1, P2, P3, P4}: (P2 and P3) or P4. */
  private static long ofPredicates(Statement s) {
    Word word = new Word(s, 0x0c00000000000004L).guard();
    word.set(17, 3, word.predicate(0).number()).set(14, 3, word.predicate(1).number());
    word.set(20, 3, word.predicate(2).number()).flag(23, word.predicate(2).negated());
    word.set(26, 3, word.predicate(3).number()).flag(29, word.predicate(3).negated());
    if (s.modifiers().size() < 2) {
      throw s.error("two combinations are needed");
    }
    word.set(30, 2, combination(s, 0)).set(53, 2, combination(s, 1));
    return word.predicateSource(word.predicate(4)).bits();
  }

  private static int combination(Statement s, int index) {
    int combination = COMBINATIONS.indexOf(s.modifiers().get(index));
    if (combination < 0) {
      throw s.error("no such combination: " + s.modifiers().get(index));
    }
    return combination;
  }
}
