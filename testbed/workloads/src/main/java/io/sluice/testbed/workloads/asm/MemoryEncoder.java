package io.sluice.testbed.workloads.asm;

import java.util.List;
import java.util.Map;

/** Loads, stores, atomics. {@code .E} says that the address is 64 bits in a register pair. */
final class MemoryEncoder {
  private static final List<String> SIZES = List.of("U8", "S8", "U16", "S16", "32", "64", "128");
  private static final int WORD = 4;
  private static final int EXTENDED = 58;
  private static final List<String> OPERATIONS =
      List.of("ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR");
  private static final List<String> LEVELS = List.of("CTA", "GL", "SYS");

  private MemoryEncoder() {}

  static void register(Map<String, Encoder> all) {
    all.put("LD", (s, _) -> load(s, generic(s, 0x8000000000000005L, 1)));
    all.put("LDU", (s, _) -> load(s, generic(s, 0x8800000000000005L, 1)));
    all.put("ST", (s, _) -> store(s, generic(s, 0x9000000000000005L, 0)));
    all.put("LDL", (s, _) -> load(s, near(s, 0xc000000000000005L, 1)));
    all.put("LDS", (s, _) -> load(s, near(s, 0xc100000000000005L, 1)));
    all.put("STL", (s, _) -> store(s, near(s, 0xc800000000000005L, 0)));
    all.put("STS", (s, _) -> store(s, near(s, 0xc900000000000005L, 0)));
    all.put("LDSLK", (s, _) -> lock(s));
    all.put("STSUL", (s, _) -> store(s, near(s, 0xcc00000000000005L, 0)));
    all.put("LDC", (s, _) -> constant(s));
    all.put("RED", (s, _) -> reduce(s));
    all.put("ATOM", (s, _) -> atomic(s));
    all.put("MEMBAR", (s, _) -> membar(s));
  }

  /** The size of an access, as its field has it. */
  static int size(Statement s) {
    for (String modifier : s.modifiers()) {
      int index = SIZES.indexOf(modifier);
      if (index >= 0) {
        return index;
      }
    }
    return WORD;
  }

  private static Word generic(Statement s, long opcode, int address) {
    Word word = new Word(s, opcode).guard().flag(EXTENDED, s.has("E"));
    Operand.Memory memory = word.memory(address);
    return word.set(20, 6, memory.register()).setSigned(26, 32, memory.offset());
  }

  private static Word near(Statement s, long opcode, int address) {
    Word word = new Word(s, opcode).guard();
    Operand.Memory memory = word.memory(address);
    return word.set(20, 6, memory.register()).setSigned(26, 24, memory.offset());
  }

  private static long load(Statement s, Word word) {
    return word.target(0).set(5, 3, size(s)).bits();
  }

  private static long store(Statement s, Word word) {
    return word.target(1).set(5, 3, size(s)).bits();
  }

  /** {@code LDSLK P0, R1, [R2]}. */
  private static long lock(Statement s) {
    Word word = near(s, 0xc400000000000005L, 2);
    return word.target(1).set(5, 3, size(s)).set(50, 3, word.predicate(0).number()).bits();
  }

  private static long constant(Statement s) {
    Word word = new Word(s, 0x1400000000000006L).guard().target(0).set(5, 3, size(s));
    if (!(word.operand(1) instanceof Operand.Constant constant)) {
      throw s.error("a constant is needed");
    }
    return word.set(20, 6, constant.register())
        .setSigned(26, 16, constant.offset())
        .set(42, 5, constant.bank())
        .bits();
  }

  /** {@code RED.E.ADD.S32 [R4], R2}; u32 without a type. */
  private static long reduce(Statement s) {
    if (s.has("F32")) {
      return generic(s, 0x2800000000000205L, 0).target(1).bits();
    }
    boolean signed = s.has("S32");
    Word word = generic(s, signed ? 0x1800000000000205L : 0x1000000000000005L, 0).target(1);
    return word.flag(9, s.has("64") || signed).set(5, 4, FloatEncoder.oneOf(s, OPERATIONS)).bits();
  }

  /** {@code ATOM.E.ADD R6, [R4], R2}, {@code ATOM.E.CAS R6, [R4], R2, R7}. */
  private static long atomic(Statement s) {
    boolean cas = s.has("CAS");
    boolean signed = s.has("S32");
    long opcode =
        s.has("F32") ? 0x6800000000000205L : signed ? 0x5800000000000205L : 0x5000000000000005L;
    Word word = new Word(s, opcode).guard().flag(EXTENDED, s.has("E"));
    Operand.Memory memory = word.memory(1);
    long offset = memory.offset();
    if (offset < -(1 << 19) || offset >= 1 << 19) {
      throw s.error("offset " + offset + " does not fit into 20 signed bits");
    }
    word.set(43, 6, word.register(0).number()).set(20, 6, memory.register());
    word.set(26, 17, offset & 0x1ffff).set(55, 3, offset >> 17 & 7);
    word.target(2).set(49, 6, cas ? word.register(3).number() : Operand.RZ);
    if (cas || s.has("EXCH")) {
      return word.set(5, 4, cas ? 9 : 8).flag(9, s.has("64")).bits();
    }
    if (!s.has("F32")) {
      word.set(5, 4, FloatEncoder.oneOf(s, OPERATIONS)).flag(9, s.has("64") || signed);
    }
    return word.bits();
  }

  private static long membar(Statement s) {
    Word word = new Word(s, 0xe000000000000005L).guard();
    return word.set(5, 2, FloatEncoder.oneOf(s, LEVELS)).bits();
  }
}
