package io.sluice.gpu.sm.texture;

import io.sluice.gpu.sm.isa.TextureForm;
import io.sluice.gpu.sm.memory.GlobalMemory;
import io.sluice.gpu.sm.warp.Grid;
import java.util.Arrays;

/**
 * The texture unit as one worker of a grid has it: fetches, samples and gathers texels for one lane
 * after the other. Interpreter and compiled code call it.
 *
 * <p>Coordinates are made numbers with 8 fractional bits for filtering, as the CUDA programming
 * guide has it; the sum is computed in double precision and rounded once. A texel whose weight is
 * zero counts nothing, whatever it is. Integers are not filtered.
 */
public final class TextureUnit {
  private static final int FRACTION_BITS = 8;
  private static final int ONE = 1 << FRACTION_BITS;
  private static final int FRACTION = ONE - 1;

  /** Larger coordinates are no different for any texture. */
  private static final double LARGEST_PLACE = 1L << 44;

  /** Floats from here on are integers. */
  private static final float INTEGERS = 1 << 24;

  private static final int NAN_BITS = 0x7fffffff;
  private static final int LAYER_FIELD = 0xffff;

  /** The texels that TLD4 gathers, in order: steps along x, and along y. */
  private static final int[][] GATHERED = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};

  private final ImagePools pools;
  private final TexelReader reader;
  private final double[] sums = new double[TextureForm.COMPONENTS];
  private final int[] results = new int[TextureForm.COMPONENTS];

  /**
   * @param grid whose textures they are
   * @param memory where the worker reads them
   */
  public TextureUnit(Grid grid, GlobalMemory memory) {
    this.pools = new ImagePools(grid.images(), memory);
    this.reader = new TexelReader(memory);
  }

  /** A component of what the last instruction gave. */
  public int result(int component) {
    return results[component];
  }

  /**
   * Executes an instruction for a lane.
   *
   * @param word the instruction
   * @param first the first of its coordinates, as a register's word; those it does not have are not
   *     looked at
   */
  public void execute(long word, int first, int second, int third) {
    Texture texture = pools.texture(TextureForm.texture(word));
    int operation = TextureForm.operation(word);
    if (operation == TextureForm.QUERY) {
      query(texture.image());
      return;
    }
    boolean array = TextureForm.isArray(word);
    int dimensions = TextureForm.dimensions(word);
    if (!texture.suits(dimensions, array)) {
      throw ImagePools.fault();
    }
    int layer = array ? Math.min(first & LAYER_FIELD, texture.image().layers() - 1) : 0;
    int x = array ? second : first;
    int y = dimensions == 1 ? 0 : array ? third : second;
    if (operation == TextureForm.FETCH) {
      reader.fetch(texture, layer, x, y);
      give(texture);
      return;
    }
    Sampler sampler = pools.sampler(TextureForm.texture(word), TextureForm.sampler(word));
    double u = place(texture, sampler.u(), x, texture.image().width());
    double v = dimensions == 1 ? 0 : place(texture, sampler.v(), y, texture.image().height());
    if (operation == TextureForm.GATHER) {
      gather(texture, sampler, layer, u, v, TextureForm.gathered(word));
    } else if (sampler.linear() && !texture.type().isInteger()) {
      filter(texture, sampler, layer, u, v, dimensions);
    } else {
      reader.sample(texture, sampler, layer, (long) Math.floor(u), (long) Math.floor(v));
      give(texture);
    }
  }

  /** Width, height, layers and levels. */
  private void query(Image image) {
    results[0] = image.width();
    results[1] = image.height();
    results[2] = image.layers();
    results[3] = 1;
  }

  /** A coordinate in texels; what is not a number counts as zero. */
  private static double place(Texture texture, AddressMode mode, int word, int size) {
    double coordinate = Float.intBitsToFloat(word);
    if (texture.normalized()) {
      boolean far = Math.abs(coordinate) >= INTEGERS && mode.repeats();
      coordinate = (far ? coordinate % 2 : coordinate) * size;
    }
    return Double.isNaN(coordinate) ? 0 : Math.clamp(coordinate, -LARGEST_PLACE, LARGEST_PLACE);
  }

  /** What is read becomes the result. */
  private void give(Texture texture) {
    for (int i = 0; i < TextureForm.COMPONENTS; i++) {
      results[i] = reader.select(texture.source(i));
    }
  }

  /** A place in texels, from the middle of the first one, with a fraction of 8 bits. */
  private static long fixed(double place) {
    return (long) Math.floor(place * ONE - (ONE - 1) / 2.0);
  }

  private void gather(
      Texture texture, Sampler sampler, int layer, double u, double v, int component) {
    long i = fixed(u) >> FRACTION_BITS;
    long j = fixed(v) >> FRACTION_BITS;
    for (int n = 0; n < GATHERED.length; n++) {
      reader.sample(texture, sampler, layer, i + GATHERED[n][0], j + GATHERED[n][1]);
      results[n] = reader.select(texture.source(component));
    }
  }

  private void filter(
      Texture texture, Sampler sampler, int layer, double u, double v, int dimensions) {
    long x = fixed(u);
    long y = dimensions == 1 ? 0 : fixed(v);
    int right = (int) x & FRACTION;
    int below = (int) y & FRACTION;
    Arrays.fill(sums, 0);
    add(texture, sampler, layer, x, y, (ONE - right) * (ONE - below));
    add(texture, sampler, layer, x + ONE, y, right * (ONE - below));
    add(texture, sampler, layer, x, y + ONE, (ONE - right) * below);
    add(texture, sampler, layer, x + ONE, y + ONE, right * below);
    for (int i = 0; i < TextureForm.COMPONENTS; i++) {
      results[i] = sum(texture.source(i));
    }
  }

  private void add(Texture texture, Sampler sampler, int layer, long x, long y, int weight) {
    if (weight == 0) {
      return;
    }
    reader.sample(texture, sampler, layer, x >> FRACTION_BITS, y >> FRACTION_BITS);
    for (int c = 0; c < texture.format().components(); c++) {
      sums[c] += weight * reader.value(c);
    }
  }

  /** The word that a header's SOURCE field selects from the sums. */
  private int sum(int source) {
    return switch (source) {
      case Texture.SOURCE_ZERO -> 0;
      case Texture.SOURCE_ONE_INTEGER -> 1;
      case Texture.SOURCE_ONE_FLOAT -> Texture.ONE_FLOAT_BITS;
      default -> {
        float value = (float) (sums[source - Texture.SOURCE_FIRST] / (ONE * ONE));
        yield Float.isNaN(value) ? NAN_BITS : Float.floatToRawIntBits(value);
      }
    };
  }
}
