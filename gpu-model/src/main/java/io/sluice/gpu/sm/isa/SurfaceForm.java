package io.sluice.gpu.sm.isa;

/**
 * The fields of SULD.B and SUST.B, which access bytes of a bound surface, and of SUST.P, which
 * stores a sample of it.
 *
 * <pre>
 *  63 58|57 53|52 49|48 47|46 |45 44|43    32|31  26|25 20|19 14|13 10|9  8|7 5|4 |3  0
 *   code|     | mask|beyond|imm| dim |        | slot | src1| data| pred|cache|size|.S|group
 * </pre>
 *
 * <p>The coordinates are in registers from src1 up: x, then y. X is in bytes; of SUST.P, in
 * samples. The mask names the components that SUST.P stores, from the lowest bit R, G, B, A: a
 * register each, from data up. PTX makes vectors of one, two and four of them.
 */
public final class SurfaceForm {
  /** What is beyond the surface reads as zero and is not written. */
  public static final int ZERO = 0;

  /** What is beyond it is the closest inside. */
  public static final int CLAMP = 1;

  /** An access beyond it is a fault. */
  public static final int TRAP = 2;

  /** Most components of a sample. */
  public static final int COMPONENTS = 4;

  private static final int LARGEST_SLOT = 7;
  private static final int R = 1;
  private static final int RG = 3;
  private static final int RGBA = 0xf;

  private SurfaceForm() {}

  /** Whether it is one whose effect is known: of one or two dimensions, with its slot in it. */
  public static boolean exists(Instruction i) {
    return i.bit(46)
        && !i.bit(45)
        && i.bits(48, 47) <= TRAP
        && i.bits(57, 53) == 0
        && hasKnownMask(i)
        && i.bits(43, 32) == 0
        && slot(i.word()) <= LARGEST_SLOT
        && i.accessSize() <= AccessSize.B128;
  }

  private static boolean hasKnownMask(Instruction i) {
    return switch (mask(i.word())) {
      case 0 -> true;
      case R, RG, RGBA -> i.accessSize() == 0;
      default -> false;
    };
  }

  private static int mask(long word) {
    return Instruction.bits(word, 52, 49);
  }

  /** Whether it is SUST.P. */
  public static boolean isFormatted(long word) {
    return mask(word) != 0;
  }

  /** How many components SUST.P stores. */
  public static int components(long word) {
    return Integer.bitCount(mask(word));
  }

  /** The surface's slot. */
  public static int slot(long word) {
    return Instruction.bits(word, 31, 26);
  }

  /** Dimensions: 1 or 2. */
  public static int dimensions(long word) {
    return Instruction.bits(word, 44, 44) + 1;
  }

  /** What an access beyond the surface does. */
  public static int beyond(long word) {
    return Instruction.bits(word, 48, 47);
  }
}
