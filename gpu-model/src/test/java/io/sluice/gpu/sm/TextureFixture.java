package io.sluice.gpu.sm;

import io.sluice.gpu.sm.warp.ImageBindings;
import io.sluice.gpu.sm.warp.SurfaceTarget;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * A texture with random texels, its header and its sampler, of which a test knows what they mean:
 * the header's words are put together here, and never read again.
 *
 * @param dimensions 1 or 2
 * @param array whether it has layers
 * @param width in texels
 * @param height in texels
 * @param layers how many
 * @param bits of a component
 * @param components 1, 2 or 4
 * @param type 1 snorm, 2 unorm, 3 sint, 4 uint, 7 float
 * @param normalized whether coordinates go from 0 to 1
 * @param modes 0 wrap, 1 mirror, 2 clamp, 3 border; along x, and along y
 * @param linear whether it is filtered
 * @param shift log2 of a block's height, -1 a linear layout
 * @param sources where each component of a result comes from
 * @param border its color, as words
 * @param texels its components, unsigned: component by component, line by line, layer by layer
 */
@SuppressWarnings("ArrayRecordComponent") // Read, never compared.
record TextureFixture(
    int dimensions,
    boolean array,
    int width,
    int height,
    int layers,
    int bits,
    int components,
    int type,
    boolean normalized,
    int[] modes,
    boolean linear,
    int shift,
    int[] sources,
    int[] border,
    int[] texels)
    implements OneInstruction.Surroundings {
  static final int TEXTURE_SLOT = 5;
  static final int SAMPLER_SLOT = 3;
  static final int SURFACE_SLOT = 2;
  static final int SNORM = 1;
  static final int UNORM = 2;
  static final int SINT = 3;
  static final int UINT = 4;
  static final int FLOAT = 7;
  static final long HEADERS = OneInstruction.FREE;
  static final long SAMPLERS = OneInstruction.FREE + 0x200;
  static final long TEXELS = OneInstruction.FREE + 0x400;

  private static final int HEADER_INDEX = 6;
  private static final int SAMPLER_INDEX = 9;
  private static final int WRAP = 0;
  private static final int MIRROR = 1;
  private static final int[] BITS = {8, 16, 32};
  private static final int[] COMPONENTS = {1, 2, 4};

  /** A random one. */
  static TextureFixture random(RandomGenerator random) {
    int dimensions = 1 + random.nextInt(2);
    boolean array = random.nextInt(3) == 0;
    int shift = array || random.nextBoolean() ? random.nextInt(3) : -1;
    int bits = BITS[random.nextInt(BITS.length)];
    int type = type(random, bits);
    int width = 1 + random.nextInt(40);
    int height = dimensions == 1 ? 1 : 1 + random.nextInt(24);
    int layers = array ? 1 + random.nextInt(2) : 1;
    int components = COMPONENTS[random.nextInt(COMPONENTS.length)];
    boolean integer = type == SINT || type == UINT;
    boolean linear = !integer && random.nextBoolean();
    int[] texels = new int[width * height * layers * components];
    for (int i = 0; i < texels.length; i++) {
      texels[i] = texel(random, bits, type, linear);
    }
    int[] sources = {2, 3, 4, 5};
    if (random.nextInt(3) == 0) {
      for (int i = 0; i < sources.length; i++) {
        int source = random.nextInt(7);
        sources[i] = source == 0 ? 0 : source + 1;
      }
    }
    int[] border = new int[4];
    for (int i = 0; i < border.length; i++) {
      border[i] = integer ? random.nextInt() : Float.floatToRawIntBits(1 + random.nextFloat());
    }
    return new TextureFixture(
        dimensions,
        array,
        width,
        height,
        layers,
        bits,
        components,
        type,
        random.nextBoolean(),
        new int[] {random.nextInt(4), random.nextInt(4)},
        linear,
        shift,
        sources,
        border,
        texels);
  }

  private static int type(RandomGenerator random, int bits) {
    return switch (bits) {
      case 8 -> 1 + random.nextInt(4);
      case 16 -> new int[] {SNORM, UNORM, SINT, UINT, FLOAT}[random.nextInt(5)];
      default -> new int[] {SINT, UINT, FLOAT}[random.nextInt(3)];
    };
  }

  /** Those that are filtered are of about the same size: so their sum is exact in a double. */
  private static int texel(RandomGenerator random, int bits, int type, boolean linear) {
    if (!linear || bits == 8) {
      return random.nextInt() >>> 32 - bits;
    }
    if (type == FLOAT) {
      float value = (1 + random.nextFloat()) * (random.nextBoolean() ? 1 : -8);
      return bits == 16 ? Float.floatToFloat16(value) & 0xffff : Float.floatToRawIntBits(value);
    }
    return random.nextInt(5) == 0 ? 0 : 0x4000 | random.nextInt(1 << 14);
  }

  /** The size of a texel. */
  int texelBytes() {
    return bits / 8 * components;
  }

  private int pitch() {
    return (width * texelBytes() + 31) / 32 * 32;
  }

  /** Where a byte of a line is. */
  long addressOf(int layer, int line, int offset) {
    if (shift < 0) {
      return TEXELS + (long) line * pitch() + offset;
    }
    int blockLines = 8 << shift;
    int across = (width * texelBytes() + 63) / 64;
    int down = (height + blockLines - 1) / blockLines;
    int block = (layer * down + line / blockLines) * across + offset / 64;
    int gob = line % blockLines / 8;
    return TEXELS + (long) block * blockLines * 64 + gob * 512L + line % 8 * 64 + offset % 64;
  }

  /** A component of a texel. */
  int raw(int layer, int line, int x, int component) {
    return texels[((layer * height + line) * width + x) * components + component];
  }

  /** The header's words. */
  int[] header() {
    int size =
        switch (bits * 10 + components) {
          case 324 -> 0x01;
          case 164 -> 0x03;
          case 322 -> 0x04;
          case 84 -> 0x08;
          case 162 -> 0x0c;
          case 321 -> 0x0f;
          case 82 -> 0x18;
          case 161 -> 0x1b;
          default -> 0x1d;
        };
    int types = type << 6 | type << 9 | type << 12 | type << 15;
    int from = sources[0] << 18 | sources[1] << 21 | sources[2] << 24 | sources[3] << 27;
    int kind = dimensions - 1 + (array ? 4 : 0);
    int second = (int) (TEXELS >>> 32) | kind << 14 | (normalized ? 1 << 31 : 0);
    second |= shift < 0 ? 1 << 18 : shift << 22;
    int lines = dimensions == 1 ? 0 : height;
    return new int[] {
      size | types | from,
      (int) TEXELS,
      second,
      shift < 0 ? pitch() : 0,
      1 << 31 | width,
      (array ? layers : 1) << 16 | lines,
      0,
      0
    };
  }

  /** The sampler's words. */
  int[] sampler() {
    int filter = linear ? 2 : 1;
    return new int[] {
      modes[0] | modes[1] << 3,
      filter | filter << 4 | 1 << 6,
      0,
      0,
      border[0],
      border[1],
      border[2],
      border[3]
    };
  }

  @Override
  public ImageBindings images() {
    // A color format with elements as large as a texel: what they are does not count.
    int format =
        switch (texelBytes()) {
          case 1 -> 0xf6;
          case 2 -> 0xee;
          case 4 -> 0xe4;
          case 8 -> 0xcd;
          default -> 0xc2;
        };
    SurfaceTarget surface =
        shift < 0
            ? new SurfaceTarget(TEXELS, (long) width * texelBytes(), 1 | 1 << 20, format << 4, 0)
            : new SurfaceTarget(TEXELS, width, height, format << 4, shift << 4);
    SurfaceTarget none = new SurfaceTarget(0, 0, 0, 0, 0);
    return new ImageBindings(
        new ImageBindings.Pool(HEADERS, HEADER_INDEX),
        new ImageBindings.Pool(SAMPLERS, SAMPLER_INDEX),
        Map.of(TEXTURE_SLOT, HEADER_INDEX),
        Map.of(SAMPLER_SLOT, SAMPLER_INDEX),
        false,
        List.of(none, none, surface));
  }

  @Override
  public void fill(FlatMemory memory) {
    int[] header = header();
    int[] sampler = sampler();
    for (int i = 0; i < header.length; i++) {
      memory.store32(HEADERS + HEADER_INDEX * 32 + i * 4, header[i]);
      memory.store32(SAMPLERS + SAMPLER_INDEX * 32 + i * 4, sampler[i]);
    }
    for (int layer = 0; layer < layers; layer++) {
      for (int line = 0; line < height; line++) {
        for (int x = 0; x < width * components; x++) {
          int raw = raw(layer, line, x / components, x % components);
          for (int b = 0; b < bits / 8; b++) {
            memory.store8(addressOf(layer, line, x * bits / 8 + b), raw >>> 8 * b);
          }
        }
      }
    }
  }

  /** Whether places come again along an axis. */
  boolean repeats(int axis) {
    return normalized && (modes[axis] == WRAP || modes[axis] == MIRROR);
  }
}
