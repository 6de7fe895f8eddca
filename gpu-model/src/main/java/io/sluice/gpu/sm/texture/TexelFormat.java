package io.sluice.gpu.sm.texture;

import io.sluice.gpu.sm.memory.GlobalMemory;
import java.util.Optional;

/** The sizes of a texel's components, the first at the lowest address. */
enum TexelFormat {
  R32_G32_B32_A32(0x01, 32, 4),
  R16_G16_B16_A16(0x03, 16, 4),
  R32_G32(0x04, 32, 2),
  A8B8G8R8(0x08, 8, 4),
  R16_G16(0x0c, 16, 2),
  R32(0x0f, 32, 1),
  G8R8(0x18, 8, 2),
  R16(0x1b, 16, 1),
  R8(0x1d, 8, 1);

  private final int code;
  private final int bits;
  private final int components;

  TexelFormat(int code, int bits, int components) {
    this.code = code;
    this.bits = bits;
    this.components = components;
  }

  /** The format of a header's COMPONENT_SIZES. */
  static Optional<TexelFormat> of(int code) {
    for (TexelFormat format : values()) {
      if (format.code == code) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  /** Bytes of a texel: a power of two. */
  int bytes() {
    return bits / Byte.SIZE * components;
  }

  /** How many components it has. */
  int components() {
    return components;
  }

  /** Bits of a component. */
  int bits() {
    return bits;
  }

  /** Writes the lower bits of a word as a component. */
  void write(GlobalMemory memory, long texel, int component, int raw) {
    long address = texel + (long) component * (bits / Byte.SIZE);
    switch (bits) {
      case 8 -> memory.store8(GlobalMemory.NO_SITE, address, raw);
      case 16 -> memory.store16(GlobalMemory.NO_SITE, address, raw);
      default -> memory.store32(GlobalMemory.NO_SITE, address, raw);
    }
  }

  /** Reads a component, as an unsigned number. */
  int read(GlobalMemory memory, long texel, int component) {
    long address = texel + (long) component * (bits / Byte.SIZE);
    return switch (bits) {
      case 8 -> memory.load8(GlobalMemory.NO_SITE, address);
      case 16 -> memory.load16(GlobalMemory.NO_SITE, address);
      default -> memory.load32(GlobalMemory.NO_SITE, address);
    };
  }
}
