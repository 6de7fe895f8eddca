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
  private static final int HALF_NAN = 0x7fff;
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

  /**
   * A component of that many bits for a register's word, as Direct3D 10's rules of conversion say:
   * integers and normalized numbers are clamped, the latter rounded to the nearest, halves away
   * from zero; floats are rounded towards zero, and only an infinity becomes one; NaN is 0 where
   * there is none.
   */
  int raw(int word, int bits) {
    return switch (this) {
      case SINT -> Math.clamp(word, -1 << bits - 1, (1 << bits - 1) - 1);
      case UINT -> bits == Integer.SIZE ? word : smallerUnsigned(word, (1 << bits) - 1);
      case UNORM -> normalized(word, 0, (1 << bits) - 1);
      case SNORM -> normalized(word, -1, (1 << bits - 1) - 1);
      case FLOAT -> bits == HALF_BITS ? toHalf(Float.intBitsToFloat(word)) : word;
    };
  }

  private static int smallerUnsigned(int word, int other) {
    return Integer.compareUnsigned(word, other) < 0 ? word : other;
  }

  /** The product and the sum are exact in a double. */
  private static int normalized(int word, int least, int scale) {
    float value = Float.intBitsToFloat(word);
    if (Float.isNaN(value)) {
      return 0;
    }
    double scaled = Math.clamp((double) value, least, 1.0) * scale;
    return (int) (scaled + Math.copySign(0.5, scaled));
  }

  private static int toHalf(float value) {
    if (Float.isNaN(value)) {
      return HALF_NAN;
    }
    short nearest = Float.floatToFloat16(value);
    boolean away = Math.abs(Float.float16ToFloat(nearest)) > Math.abs(value);
    return away ? nearest - 1 : nearest;
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
