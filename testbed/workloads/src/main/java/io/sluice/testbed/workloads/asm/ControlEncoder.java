package io.sluice.testbed.workloads.asm;

import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/** Branches, calls and reconvergence. A number as target is relative to the next instruction. */
final class ControlEncoder {
  private static final int ALWAYS = 0xf;
  private static final int BYTES = 8;
  private static final List<String> TESTS =
      List.of(
          "CC.F", "CC.LT", "CC.EQ", "CC.LE", "CC.GT", "CC.NE", "CC.GE", "CC.NUM", "CC.NAN",
          "CC.LTU", "CC.EQU", "CC.LEU", "CC.GTU", "CC.NEU", "CC.GEU", "CC.T", "CC.OFF", "CC.LO",
          "CC.SFF", "CC.LS", "CC.HI", "CC.SFT", "CC.HS", "CC.OFT");

  private ControlEncoder() {}

  static void register(Map<String, Encoder> all) {
    all.put("BRA", (s, l) -> relative(s, l, 0x4000000000000007L, true).flag(15, s.has("U")).bits());
    all.put("CAL", (s, l) -> relative(s, l, 0x5000000000000007L, false).bits());
    all.put("SSY", (s, l) -> relative(s, l, 0x6000000000000007L, false).bits());
    all.put("PBK", (s, l) -> relative(s, l, 0x6800000000000007L, false).bits());
    all.put("PCNT", (s, l) -> relative(s, l, 0x7000000000000007L, false).bits());
    all.put("PRET", (s, l) -> relative(s, l, 0x7800000000000007L, false).bits());
    all.put("JMP", (s, l) -> absolute(s, l, 0x0000000000000007L, true));
    all.put("JCAL", (s, l) -> absolute(s, l, 0x1000000000000007L, false));
    all.put("BRX", (s, _) -> indexed(s));
    all.put("EXIT", (s, _) -> plain(s, 0x8000000000000007L));
    all.put("RET", (s, _) -> plain(s, 0x9000000000000007L));
    all.put("BRK", (s, _) -> plain(s, 0xa800000000000007L));
    all.put("CONT", (s, _) -> plain(s, 0xb000000000000007L));
    all.put("BPT", (s, _) -> new Word(s, 0xd00000000000c007L).bits());
  }

  /** A test of the condition code may stand first; without one the code does not matter. */
  private static int test(Statement s) {
    if (!s.operands().isEmpty() && s.operands().get(0) instanceof Operand.Name name) {
      return TESTS.indexOf(name.text());
    }
    return -1;
  }

  private static Word tested(Statement s, long opcode) {
    int test = test(s);
    return new Word(s, opcode).guard().set(5, 5, test < 0 ? ALWAYS : test);
  }

  private static int target(Statement s, ToIntFunction<String> labels, int index) {
    return switch (index < s.operands().size() ? s.operands().get(index) : new Operand.Name("")) {
      case Operand.Name name -> labels.applyAsInt(name.text());
      case Operand.Immediate immediate -> (int) immediate.value() + s.address() + BYTES;
      default -> throw s.error("a label is needed");
    };
  }

  private static Word relative(
      Statement s, ToIntFunction<String> labels, long opcode, boolean guarded) {
    Word word = guarded ? tested(s, opcode) : new Word(s, opcode);
    int target = target(s, labels, guarded && test(s) >= 0 ? 1 : 0);
    return word.setSigned(26, 24, target - s.address() - BYTES);
  }

  private static long absolute(
      Statement s, ToIntFunction<String> labels, long opcode, boolean guarded) {
    Word word = guarded ? tested(s, opcode) : new Word(s, opcode);
    return word.set(26, 32, target(s, labels, guarded && test(s) >= 0 ? 1 : 0)).bits();
  }

  /** {@code BRX R0, -0x20}: register and offset are added to the next instruction's address. */
  private static long indexed(Statement s) {
    Word word = tested(s, 0x4800000000000007L).first(0);
    return word.setSigned(26, 24, s.operands().size() > 1 ? word.immediate(1) : 0).bits();
  }

  private static long plain(Statement s, long opcode) {
    return tested(s, opcode).bits();
  }
}
