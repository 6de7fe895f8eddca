package io.sluice.gpu.sm.texture;

import static io.sluice.gpu.sm.texture.ComponentType.FLOAT;
import static io.sluice.gpu.sm.texture.ComponentType.SINT;
import static io.sluice.gpu.sm.texture.ComponentType.SNORM;
import static io.sluice.gpu.sm.texture.ComponentType.UINT;
import static io.sluice.gpu.sm.texture.ComponentType.UNORM;

import java.util.List;
import java.util.Optional;

/**
 * The format of a surface's samples, as its slot's color format says (cl90c0.h,
 * SET_SU_LD_ST_TARGET_FORMAT): one of those whose components are of 8, 16 or 32 bits, R at the
 * lowest address.
 *
 * @param texel the sizes of its components
 * @param type their type
 */
record SampleFormat(TexelFormat texel, ComponentType type) {
  /** Color formats with consecutive numbers that differ in the type of their components. */
  private enum Row {
    WORDS_4(0xc0, TexelFormat.R32_G32_B32_A32, FLOAT, SINT, UINT),
    HALVES_4(0xc6, TexelFormat.R16_G16_B16_A16, UNORM, SNORM, SINT, UINT, FLOAT),
    WORDS_2(0xcb, TexelFormat.R32_G32, FLOAT, SINT, UINT),
    BYTES_4(0xd5, TexelFormat.A8B8G8R8, UNORM),
    // 0xd6 is sRGB.
    OTHER_BYTES_4(0xd7, TexelFormat.A8B8G8R8, SNORM, SINT, UINT),
    HALVES_2(0xda, TexelFormat.R16_G16, UNORM, SNORM, SINT, UINT, FLOAT),
    WORD(0xe3, TexelFormat.R32, SINT, UINT, FLOAT),
    BYTES_2(0xea, TexelFormat.G8R8, UNORM, SNORM, SINT, UINT),
    HALF(0xee, TexelFormat.R16, UNORM, SNORM, SINT, UINT, FLOAT),
    BYTE(0xf3, TexelFormat.R8, UNORM, SNORM, SINT, UINT);

    private final int first;
    private final TexelFormat texel;
    private final List<ComponentType> types;

    Row(int first, TexelFormat texel, ComponentType... types) {
      this.first = first;
      this.texel = texel;
      this.types = List.of(types);
    }
  }

  /** The format of a target's word; nothing for one that is not known. */
  static Optional<SampleFormat> of(int format) {
    if ((format & 1) != 0) {
      return Optional.empty();
    }
    int color = format >>> 4 & 0xff;
    for (Row row : Row.values()) {
      int index = color - row.first;
      if (index >= 0 && index < row.types.size()) {
        return Optional.of(new SampleFormat(row.texel, row.types.get(index)));
      }
    }
    return Optional.empty();
  }
}
