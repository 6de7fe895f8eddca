package io.sluice.gpu.sm.texture;

import io.sluice.gpu.sm.isa.Instruction;
import java.util.Optional;

/**
 * A texture sampler (cl9097tex.h, TEXSAMP).
 *
 * @param u how x goes on beyond the edge
 * @param v how y does
 * @param linear whether it filters
 * @param border the border's color, as words of registers
 */
@SuppressWarnings("ArrayRecordComponent") // Read, never compared.
record Sampler(AddressMode u, AddressMode v, boolean linear, int[] border) {
  private static final int NEAREST = 1;
  private static final int LINEAR = 2;
  private static final int DEPTH_COMPARE = 9;
  private static final int BORDER_WORD = 4;
  private static final int COMPONENTS = 4;

  /**
   * Reads a sampler. Its filter is the one for magnification: textures have no levels here.
   *
   * @param words its eight words
   * @return nothing if it asks for what is not known
   */
  static Optional<Sampler> of(int[] words) {
    Optional<AddressMode> u = AddressMode.of(words[0] & 7);
    Optional<AddressMode> v = AddressMode.of(words[0] >>> 3 & 7);
    int filter = words[1] & 3;
    boolean known = filter == NEAREST || filter == LINEAR;
    if (u.isEmpty() || v.isEmpty() || !known || Instruction.bit(words[0], DEPTH_COMPARE)) {
      return Optional.empty();
    }
    int[] border = new int[COMPONENTS];
    System.arraycopy(words, BORDER_WORD, border, 0, COMPONENTS);
    return Optional.of(new Sampler(u.get(), v.get(), filter == LINEAR, border));
  }
}
