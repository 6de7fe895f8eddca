package io.sluice.testbed.workloads.asm;

import io.sluice.testbed.workloads.asm.Word.Immediates;
import java.util.List;
import java.util.Map;

/** Moves, conversions, selections, votes and barriers. */
final class MoveEncoder {
  private static final int ALL_LANES = 0xf;
  private static final List<String> ROUNDINGS = List.of("RN", "FLOOR", "CEIL", "TRUNC");
  private static final List<String> DIRECTED = List.of("RN", "RM", "RP", "RZ");
  private static final List<String> PERMUTATIONS =
      List.of("", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16");
  private static final List<String> VOTES = List.of("ALL", "ANY", "EQ");
  private static final int NOP_TEST = 0x1e0;

  private static final Map<String, Integer> SPECIAL =
      Map.ofEntries(
          Map.entry("LANEID", 0x00),
          Map.entry("NPHYSID", 0x02),
          Map.entry("PHYSID", 0x03),
          Map.entry("TID", 0x20),
          Map.entry("TID.X", 0x21),
          Map.entry("TID.Y", 0x22),
          Map.entry("TID.Z", 0x23),
          Map.entry("LAUNCHARG", 0x24),
          Map.entry("CTAID.X", 0x25),
          Map.entry("CTAID.Y", 0x26),
          Map.entry("CTAID.Z", 0x27),
          Map.entry("NTID", 0x28),
          Map.entry("NTID.X", 0x29),
          Map.entry("NTID.Y", 0x2a),
          Map.entry("NTID.Z", 0x2b),
          Map.entry("GRIDID", 0x2c),
          Map.entry("NCTAID.X", 0x2d),
          Map.entry("NCTAID.Y", 0x2e),
          Map.entry("NCTAID.Z", 0x2f),
          Map.entry("SWINBASE", 0x30),
          Map.entry("SWINSZ", 0x31),
          Map.entry("SMEMSZ", 0x32),
          Map.entry("LWINBASE", 0x34),
          Map.entry("LWINSZ", 0x35),
          Map.entry("LPOSSZ", 0x36),
          Map.entry("LNEGSTART", 0x37),
          Map.entry("EQMASK", 0x38),
          Map.entry("LTMASK", 0x39),
          Map.entry("LEMASK", 0x3a),
          Map.entry("GTMASK", 0x3b),
          Map.entry("GEMASK", 0x3c),
          Map.entry("CLOCKLO", 0x50),
          Map.entry("CLOCKHI", 0x51));

  private MoveEncoder() {}

  static void register(Map<String, Encoder> all) {
    all.put("MOV", (s, _) -> move(s));
    all.put("MOV32I", (s, _) -> moveWide(s));
    all.put("S2R", (s, _) -> special(s));
    all.put("SEL", (s, _) -> select(s));
    all.put("PRMT", (s, _) -> permute(s));
    all.put("F2F", (s, _) -> convert(s, 0x1000000000000004L));
    all.put("F2I", (s, _) -> convert(s, 0x1400000000000004L));
    all.put("I2F", (s, _) -> convert(s, 0x1800000000000004L));
    all.put("I2I", (s, _) -> convert(s, 0x1c00000000000004L));
    all.put("P2R", (s, _) -> IntegerEncoder.binary(s, 0x3000000000000004L).bits());
    all.put("R2P", (s, _) -> toPredicates(s));
    all.put("VOTE", (s, _) -> vote(s));
    all.put("BAR", (s, _) -> barrier(s));
    all.put("NOP", (s, _) -> new Word(s, 0x4000000000000004L | NOP_TEST).guard().bits());
  }

  private static long move(Statement s) {
    Word word = new Word(s, 0x2800000000000004L).guard().target(0);
    return word.second(1, Immediates.INTEGER).set(5, 4, ALL_LANES).bits();
  }

  private static long moveWide(Statement s) {
    Word word = new Word(s, 0x1800000000000002L).guard().target(0);
    return word.wide(1).set(5, 4, ALL_LANES).bits();
  }

  private static long special(Statement s) {
    Word word = new Word(s, 0x2c00000000000004L).guard().target(0);
    if (!(word.operand(1) instanceof Operand.Name name)) {
      throw s.error("a special register is needed");
    }
    Integer index = SPECIAL.get(name.text().replaceFirst("^SR_", ""));
    if (index == null) {
      throw s.error("no such special register: " + name.text());
    }
    return word.set(26, 8, index).bits();
  }

  private static long select(Statement s) {
    Word word = IntegerEncoder.binary(s, 0x2000000000000004L);
    return word.predicateSource(word.predicate(3)).bits();
  }

  private static long permute(Statement s) {
    Word word = IntegerEncoder.ternary(s, 0x2400000000000004L);
    return word.set(5, 3, FloatEncoder.oneOf(s, PERMUTATIONS)).bits();
  }

  /** The first two modifiers are target and source: {@code F2I.S32.F32.TRUNC R0, R1}. */
  private static long convert(Statement s, long opcode) {
    if (s.modifiers().size() < 2) {
      throw s.error("target and source formats are needed");
    }
    String to = s.modifiers().get(0);
    String from = s.modifiers().get(1);
    Word word = new Word(s, opcode).guard().target(0).second(1, immediates(from));
    FloatEncoder.secondSigns(word, 1);
    word.set(20, 2, sizeOf(s, to)).set(23, 2, sizeOf(s, from));
    word.flag(7, to.startsWith("S") || s.has("ROUND")).flag(9, from.startsWith("S"));
    int rounding = FloatEncoder.oneOf(s, ROUNDINGS);
    word.set(49, 2, rounding != 0 ? rounding : FloatEncoder.oneOf(s, DIRECTED));
    word.flag(5, s.has("SAT")).flag(55, s.has("FTZ"));
    return part(s, word).bits();
  }

  /** Which byte or half of the source word. */
  private static Word part(Statement s, Word word) {
    for (int n = 0; n < 4; n++) {
      if (s.has("B" + n)) {
        return word.set(55, 2, n);
      }
    }
    return word.flag(56, s.has("H1"));
  }

  private static Immediates immediates(String format) {
    return switch (format) {
      case "F32" -> Immediates.FLOAT;
      case "F64" -> Immediates.DOUBLE;
      default -> Immediates.INTEGER;
    };
  }

  private static int sizeOf(Statement s, String format) {
    return switch (format.substring(1)) {
      case "8" -> 0;
      case "16" -> 1;
      case "32" -> 2;
      case "64" -> 3;
      default -> throw s.error("no such format: " + format);
    };
  }

  private static long toPredicates(Statement s) {
    Word word = new Word(s, 0x3400000000000004L).guard();
    return word.first(0).second(1, Immediates.INTEGER).bits();
  }

  /** {@code VOTE.ANY R0, P1, P2}: ballot, result, and what each lane votes. */
  private static long vote(Statement s) {
    Word word = new Word(s, 0x4800000000000004L).guard().target(0);
    word.set(54, 3, word.predicate(1).number());
    word.set(20, 3, word.predicate(2).number()).flag(23, word.predicate(2).negated());
    return word.set(5, 2, FloatEncoder.oneOf(s, VOTES)).bits();
  }

  /**
   * {@code BAR.SYNC 0}, {@code BAR.SYNC 1, 64}, {@code BAR.ARV 1, 64}, {@code BAR.RED.POPC R0, P1,
   * 0, 0, P2}: register and predicate for the result, barrier, threads, and what each lane says.
   */
  private static long barrier(Statement s) {
    Word word = new Word(s, 0x5000000000000004L).guard();
    boolean reduces = s.has("RED");
    int id = 0;
    if (reduces) {
      word.target(0).set(53, 3, word.predicate(1).number());
      id = 2;
    } else {
      word.set(14, 6, Operand.RZ).set(53, 3, Operand.PT);
    }
    int operation = s.has("ARV") ? 4 : s.has("AND") ? 1 : s.has("OR") ? 2 : 0;
    word.set(5, 3, operation);
    switch (word.operand(id)) {
      case Operand.Immediate immediate -> word.set(20, 4, immediate.value()).flag(47, true);
      default -> word.first(id);
    }
    boolean hasThreads = id + 1 < s.operands().size();
    if (!hasThreads) {
      word.set(26, 6, Operand.RZ);
    } else if (word.operand(id + 1) instanceof Operand.Immediate immediate) {
      word.set(26, 12, immediate.value()).flag(46, true);
    } else {
      word.set(26, 6, word.register(id + 1).number());
    }
    return word.predicateSource(
            reduces ? word.predicate(id + 2) : new Operand.Predicate(Operand.PT, false))
        .bits();
  }
}
