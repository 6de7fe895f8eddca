package io.sluice.gpu.sm.decode;

import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;

/** The decoder of instruction words. */
public final class InstructionDecoder {
  private InstructionDecoder() {}

  /**
   * The instruction of a word; without a form if it is none, or one whose effect we do not know.
   */
  public static Instruction decode(long word) {
    Opcode opcode = Opcode.of(word);
    Instruction decoded = new Instruction(opcode, word);
    boolean legal = opcode != null && Legality.isLegal(opcode, decoded);
    return legal ? decoded : new Instruction(null, word);
  }
}
