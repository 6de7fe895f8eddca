package io.sluice.gpu.sm.texture;

import io.sluice.gpu.sm.memory.GlobalMemory;
import org.jspecify.annotations.Nullable;

/**
 * One texel after the other, as one worker of a grid reads them. What stands for a texel beyond the
 * edge is the border's color, or zero.
 */
final class TexelReader {
  private static final int[] ZERO = new int[Texture.COMPONENTS];

  private final GlobalMemory memory;
  private @Nullable Texture texture;
  private long address;

  /** The color that stands for the texel; null for one that is in memory. */
  private int @Nullable [] color;

  TexelReader(GlobalMemory memory) {
    this.memory = memory;
  }

  /** Goes to a texel; beyond the edge is zero. */
  void fetch(Texture from, int layer, int x, int y) {
    Image image = from.image();
    boolean inside =
        Integer.compareUnsigned(x, image.width()) < 0
            && Integer.compareUnsigned(y, image.height()) < 0;
    go(from, layer, x, y, inside ? null : ZERO);
  }

  /** Goes to a texel, or to what a sampler says is in its place. */
  void sample(Texture from, Sampler sampler, int layer, long i, long j) {
    Image image = from.image();
    int x = from.mode(sampler.u()).texel(i, image.width());
    int y = from.mode(sampler.v()).texel(j, image.height());
    boolean inside = x != AddressMode.OUTSIDE && y != AddressMode.OUTSIDE;
    go(from, layer, x, y, inside ? null : sampler.border());
  }

  private void go(Texture from, int layer, int x, int y, int @Nullable [] instead) {
    texture = from;
    color = instead;
    if (instead == null) {
      Image image = from.image();
      address = image.addressOf(layer, y, (long) x * image.elementBytes());
    }
  }

  /** A component of the texel as a register's word; zero for one it does not have. */
  int word(int component) {
    Texture from = current();
    if (component >= from.format().components()) {
      return 0;
    }
    if (color != null) {
      return color[component];
    }
    int raw = from.format().read(memory, address, component);
    return from.type().word(raw, from.format().bits());
  }

  /** The same as a number. */
  double value(int component) {
    return Float.intBitsToFloat(word(component));
  }

  /** The word that a header's SOURCE field selects from this texel. */
  int select(int source) {
    return switch (source) {
      case Texture.SOURCE_ZERO -> 0;
      case Texture.SOURCE_ONE_INTEGER -> 1;
      case Texture.SOURCE_ONE_FLOAT -> Texture.ONE_FLOAT_BITS;
      default -> word(source - Texture.SOURCE_FIRST);
    };
  }

  private Texture current() {
    if (texture == null) {
      throw new AssertionError("no texel was read");
    }
    return texture;
  }
}
