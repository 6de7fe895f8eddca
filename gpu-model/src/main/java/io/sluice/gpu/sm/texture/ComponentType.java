package io.sluice.gpu.sm.texture;

import java.util.Optional;

/** The type of a texel's components. */
enum ComponentType {
  SNORM(1),
  UNORM(2),
  SINT(3),
  UINT(4),
  FLOAT(7);

  private static final int NAN_BITS = 0x7fffffff;
  private static final int HALF_BITS = 16;
  private static final int LARGEST_NORMALIZED_BITS = 16;

  private final int code;

  ComponentType(int code) {
    this.code = code;
  }

  /** The type of a header's DATA_TYPE. */
  static Optional<ComponentType> of(int code) {
    for (ComponentType type : values()) {
      if (type.code == code) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  /** Whether components of that many bits can have it. */
  boolean fits(int bits) {
    return switch (this) {
      case SNORM, UNORM -> bits <= LARGEST_NORMALIZED_BITS;
      case SINT, UINT -> true;
      case FLOAT -> bits >= HALF_BITS;
    };
  }

  /** Whether it is an integer in registers: those are not filtered. */
  boolean isInteger() {
    return this == SINT || this == UINT;
  }

  /** The word of a register for a component of that many bits, read as unsigned. */
  int word(int raw, int bits) {
    return switch (this) {
      case SINT -> signed(raw, bits);
      case UINT -> raw;
      case UNORM -> Float.floatToRawIntBits(raw / (float) ((1 << bits) - 1));
      case SNORM ->
          Float.floatToRawIntBits(Math.max(signed(raw, bits) / (float) ((1 << bits - 1) - 1), -1));
      case FLOAT -> bits == HALF_BITS ? fromHalf((short) raw) : raw;
    };
  }

  private static int fromHalf(short raw) {
    float value = Float.float16ToFloat(raw);
    return Float.isNaN(value) ? NAN_BITS : Float.floatToRawIntBits(value);
  }

  private static int signed(int raw, int bits) {
    int unused = Integer.SIZE - bits;
    return raw << unused >> unused;
  }
}
