package io.sluice.testbed.workloads.asm;

import java.util.List;
import java.util.Map;

/**
 * Textures and surfaces.
 *
 * <pre>
 * TEX R0, R4, 5, 3, 2D, 0x3      slots of texture and sampler; 1D, 2D, ARRAY_1D, ARRAY_2D; the mask
 * TLD R0, R4, 5, 1D, 0x1         without a sampler
 * TLD4.G R0, R4, 5, 3, 2D, 0xf   a component of four texels
 * TXQ R0, RZ, 5, 0x3             width, height, layers, levels
 * SULD.32.2D.TRAP R0, 2, R4      size, dimensions, beyond the edge: ZERO, CLAMP, TRAP
 * SUST.32.2D.TRAP 2, R4, R0
 * SUST.P.2D.TRAP.RG 2, R4, R0    a sample; its components: R, RG, RGBA
 * </pre>
 */
final class ImageEncoder {
  private static final List<String> KINDS = List.of("1D", "ARRAY_1D", "2D", "ARRAY_2D");
  private static final List<String> COMPONENTS = List.of("R", "G", "B", "A");
  private static final List<String> BEYOND = List.of("ZERO", "CLAMP", "TRAP");
  private static final List<String> LINES = List.of("1D", "2D");

  private ImageEncoder() {}

  static void register(Map<String, Encoder> all) {
    all.put("TEX", (s, _) -> sampled(s, 0x8000000000000006L).flag(57, s.has("LZ")).bits());
    all.put("TLD", (s, _) -> kind(s, texture(s, 0x9000000000000006L), 3).bits());
    all.put("TLD4", (s, _) -> gathered(s));
    all.put("TXQ", (s, _) -> mask(texture(s, 0xc000000000000006L), 3).bits());
    all.put("SULD", (s, _) -> surface(s, 0xd400000000000005L, 0, 1).bits());
    all.put("SUST", (s, _) -> stored(s));
  }

  private static Word texture(Statement s, long opcode) {
    Word word = new Word(s, opcode).guard().target(0).first(1).set(26, 6, Operand.RZ);
    return word.flag(7, s.has("T")).flag(8, s.has("P")).set(32, 8, word.immediate(2));
  }

  private static Word sampled(Statement s, long opcode) {
    Word word = texture(s, opcode);
    return kind(s, word.set(40, 5, word.immediate(3)), 4);
  }

  private static long gathered(Statement s) {
    return sampled(s, 0xa000000000000006L).set(5, 2, FloatEncoder.oneOf(s, COMPONENTS)).bits();
  }

  /** The texture's kind, and behind it the mask. */
  private static Word kind(Statement s, Word word, int index) {
    int kind = kind(s, index);
    return mask(word.flag(51, kind % 2 == 1).set(52, 1, kind / 2), index + 1);
  }

  private static int kind(Statement s, int index) {
    boolean named = index < s.operands().size();
    int kind =
        named && s.operands().get(index) instanceof Operand.Name(String name)
            ? KINDS.indexOf(name)
            : -1;
    if (kind < 0) {
      throw s.error("operand " + (index + 1) + " is none of " + KINDS);
    }
    return kind;
  }

  private static Word mask(Word word, int index) {
    return word.set(46, 4, word.immediate(index));
  }

  private static long stored(Statement s) {
    Word word = surface(s, 0xdc00000000000005L, 2, 0);
    return s.has("P") ? word.set(49, 4, (1 << samples(s)) - 1).bits() : word.bits();
  }

  /** Components of a sample that SUST.P stores. */
  private static int samples(Statement s) {
    return s.has("RGBA") ? 4 : s.has("RG") ? 2 : 1;
  }

  private static Word surface(Statement s, long opcode, int data, int slot) {
    Word word = new Word(s, opcode).guard().target(data).first(slot + 1).flag(46, true);
    return word.set(26, 3, word.immediate(slot))
        .set(5, 3, s.has("P") ? 0 : MemoryEncoder.size(s))
        .set(44, 1, FloatEncoder.oneOf(s, LINES))
        .set(47, 2, FloatEncoder.oneOf(s, BEYOND));
  }

  private static int lines(Statement s) {
    return s.has("2D") ? 2 : 1;
  }

  /** Registers that an operand of an instruction takes. */
  static int width(Statement s, int operand) {
    boolean sampled = s.mnemonic().equals("TEX") || s.mnemonic().equals("TLD4");
    int last = s.operands().size() - 1;
    return switch (s.mnemonic()) {
      case "TEX", "TLD", "TLD4", "TXQ" -> {
        if (operand == 0) {
          yield s.operands().get(last) instanceof Operand.Immediate(long mask)
              ? Long.bitCount(mask)
              : 1;
        }
        int kind = s.mnemonic().equals("TXQ") ? 0 : kind(s, sampled ? 4 : 3);
        yield 1 + kind / 2 + kind % 2;
      }
      case "SUST" -> s.has("P") && operand == 2 ? samples(s) : lines(s);
      default -> lines(s);
    };
  }
}
