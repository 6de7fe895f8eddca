package io.sluice.gpu.sm.texture;

import java.util.Optional;

/** The texel that stands for one beyond the edge. */
enum AddressMode {
  WRAP(0),
  MIRROR(1),
  CLAMP_TO_EDGE(2),
  BORDER(3);

  /** The border's color stands for it. */
  static final int OUTSIDE = -1;

  private final int code;

  AddressMode(int code) {
    this.code = code;
  }

  /** The mode of a sampler's ADDRESS field. */
  static Optional<AddressMode> of(int code) {
    for (AddressMode mode : values()) {
      if (mode.code == code) {
        return Optional.of(mode);
      }
    }
    return Optional.empty();
  }

  /** Whether texels come again and again. */
  boolean repeats() {
    return this == WRAP || this == MIRROR;
  }

  /** The same for coordinates in texels, which neither repeat nor mirror. */
  AddressMode inTexels() {
    return this == BORDER ? BORDER : CLAMP_TO_EDGE;
  }

  /**
   * The texel for an index.
   *
   * @param size how many there are
   * @return its index, or {@link #OUTSIDE}
   */
  int texel(long index, int size) {
    return switch (this) {
      case WRAP -> (int) Math.floorMod(index, (long) size);
      case MIRROR -> {
        long both = Math.floorMod(index, 2L * size);
        yield (int) Math.min(both, 2L * size - 1 - both);
      }
      case CLAMP_TO_EDGE -> (int) Math.clamp(index, 0L, size - 1L);
      case BORDER -> index < 0 || index >= size ? OUTSIDE : (int) index;
    };
  }
}
