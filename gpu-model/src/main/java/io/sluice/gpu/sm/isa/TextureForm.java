package io.sluice.gpu.sm.isa;

/**
 * The fields of the instructions of the texture unit: TEX, TLD, TLD4 and TXQ.
 *
 * <pre>
 *  63 60|59 57|56|55 54|53 52|51|50|49 46|45|44   40|39    32|31 26|25 20|19 14|13 10|9|8 7|6  5|4 |3  0
 *   code| lod |z |offs | dim |a |i | mask|  |sampler| texture| src2| src1| dst | pred| |t/p|comp|.S|group
 * </pre>
 *
 * <p>The coordinates are in registers from src1 up: the layer first, if the texture is an array
 * ({@code a}), then x and y. The results are in registers from dst up, one for each component that
 * the mask names.
 */
public final class TextureForm {
  /** Most components of a result. */
  public static final int COMPONENTS = 4;

  /** Most coordinates. */
  public static final int COORDINATES = 3;

  /** The operation of TLD. */
  public static final int FETCH = 9;

  /** The operation of TLD4. */
  public static final int GATHER = 0xa;

  /** The operation of TXQ. */
  public static final int QUERY = 0xc;

  private static final int LEVEL_AUTO = 0;
  private static final int LEVEL_ZERO = 1;
  private static final int LARGEST_SCHEDULING = 2;

  private TextureForm() {}

  /**
   * Whether it is one whose effect is known: of textures of one or two dimensions or arrays of
   * them, bound to slots, at their base level, without offsets, comparisons and samples.
   */
  public static boolean exists(Opcode opcode, Instruction i) {
    boolean bound = !i.bit(50) && i.bits(8, 7) <= LARGEST_SCHEDULING;
    boolean flat = !i.bit(53);
    return switch (opcode) {
      case TEX -> {
        int level = i.bits(59, 57);
        boolean base = level == LEVEL_AUTO || level == LEVEL_ZERO;
        yield bound && flat && base && i.bits(56, 54) == 0 && i.bits(6, 5) == 0;
      }
      case TLD -> bound && flat && i.bits(59, 54) == 0 && i.bits(6, 5) == 0;
      case TLD4 -> bound && flat && i.bit(52) && i.bits(59, 54) == 0;
      case TXQ -> bound && i.bits(59, 54) == 0 && i.bits(53, 51) == 0 && i.bits(6, 5) == 0;
      default -> throw new AssertionError(opcode);
    };
  }

  /** The operation: of TEX none of those above. */
  public static int operation(long word) {
    return (int) (word >>> 60);
  }

  /** The texture's slot. */
  public static int texture(long word) {
    return Instruction.bits(word, 39, 32);
  }

  /** The sampler's slot. */
  public static int sampler(long word) {
    return Instruction.bits(word, 44, 40);
  }

  /** Whether the first coordinate is a layer. */
  public static boolean isArray(long word) {
    return Instruction.bit(word, 51);
  }

  /** Dimensions: 1 or 2. */
  public static int dimensions(long word) {
    return Instruction.bits(word, 53, 52) + 1;
  }

  /** The component that TLD4 gathers. */
  public static int gathered(long word) {
    return Instruction.bits(word, 6, 5);
  }

  /** The components that are written, by bit. */
  public static int mask(long word) {
    return Instruction.bits(word, 49, 46);
  }

  /** Registers with coordinates; of TXQ the one with the level. */
  public static int coordinates(Opcode opcode, Instruction i) {
    return opcode == Opcode.TXQ ? 1 : dimensions(i.word()) + (isArray(i.word()) ? 1 : 0);
  }
}
