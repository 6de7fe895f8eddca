package io.sluice.testbed.workloads;

/**
 * A header and a sampler as their pools hold them (cl9097tex.h), for a texture of floats that is
 * not tiled.
 */
public final class TextureWords {
  /** Words of a header, and of a sampler. */
  public static final int ENTRY_WORDS = 8;

  private static final int R32 = 0x0f;
  private static final int FLOAT = 7;
  private static final int FIRST = 2;
  private static final int ONE = 7;
  private static final int TWO_D_NO_MIPMAP = 7;
  private static final int PITCH = 1 << 18;
  private static final int VERSION_2 = 1 << 31;
  private static final int CLAMP_TO_EDGE = 2;
  private static final int LINEAR = 2;
  private static final int NO_LEVELS = 1;

  private TextureWords() {}

  /** The header of a texture at a GPU address. */
  static int[] header(Workload.Texture texture, long address) {
    int types = FLOAT << 6 | FLOAT << 9 | FLOAT << 12 | FLOAT << 15;
    int sources = FIRST << 18 | ONE << 27;
    return new int[] {
      R32 | types | sources,
      (int) address,
      (int) (address >>> 32) | TWO_D_NO_MIPMAP << 14 | PITCH,
      texture.width() * Float.BYTES,
      VERSION_2 | texture.width(),
      1 << 16 | texture.height(),
      0,
      0
    };
  }

  /** A pool with the one sampler, and behind it one with the one header. */
  public static int[] pools(Workload.Texture texture, long address) {
    int[] pools = new int[2 * ENTRY_WORDS];
    pools[0] = CLAMP_TO_EDGE | CLAMP_TO_EDGE << 3 | CLAMP_TO_EDGE << 6;
    pools[1] = LINEAR | LINEAR << 4 | NO_LEVELS << 6;
    System.arraycopy(header(texture, address), 0, pools, ENTRY_WORDS, ENTRY_WORDS);
    return pools;
  }
}
