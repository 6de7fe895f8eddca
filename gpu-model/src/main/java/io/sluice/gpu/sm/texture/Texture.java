package io.sluice.gpu.sm.texture;

import io.sluice.gpu.layout.BlockLinear;
import io.sluice.gpu.sm.isa.Instruction;
import java.util.Optional;

/**
 * A texture, as its header describes it (cl9097tex.h, version 2).
 *
 * @param kind its kind
 * @param format sizes of its components
 * @param type their type
 * @param sources which component each of a result's four is: a SOURCE field
 * @param normalized whether coordinates go from 0 to 1 rather than in texels
 * @param image where its texels are
 */
@SuppressWarnings("ArrayRecordComponent") // Read, never compared.
record Texture(
    Kind kind,
    TexelFormat format,
    ComponentType type,
    int[] sources,
    boolean normalized,
    Image image) {
  static final int SOURCE_ZERO = 0;
  static final int SOURCE_FIRST = 2;
  static final int SOURCE_ONE_INTEGER = 6;
  static final int SOURCE_ONE_FLOAT = 7;

  static final int ONE_FLOAT_BITS = 0x3f800000;

  /** Components of a result. */
  static final int COMPONENTS = 4;

  private static final int LARGEST_SIDE = 1 << 16;
  private static final int LARGEST_BUFFER = 1 << 27;
  private static final int LARGEST_LAYERS = 2048;
  private static final int PITCH_ALIGNMENT = 32;
  private static final int MAX_BLOCK_SHIFT = 5;

  /** The kinds of textures that are known, by TEXTURE_TYPE. */
  enum Kind {
    ONE_D(0, 1, false),
    TWO_D(1, 2, false),
    ONE_D_ARRAY(4, 1, true),
    TWO_D_ARRAY(5, 2, true),
    ONE_D_BUFFER(6, 1, false),
    TWO_D_NO_MIPMAP(7, 2, false);

    private final int code;
    private final int dimensions;
    private final boolean array;

    Kind(int code, int dimensions, boolean array) {
      this.code = code;
      this.dimensions = dimensions;
      this.array = array;
    }

    private static Optional<Kind> of(int code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return Optional.of(kind);
        }
      }
      return Optional.empty();
    }
  }

  /** The SOURCE field of a component of a result. */
  int source(int component) {
    return sources[component];
  }

  /** The mode that counts: places in texels neither repeat nor mirror. */
  AddressMode mode(AddressMode asked) {
    return normalized ? asked : asked.inTexels();
  }

  /** Whether an instruction for textures of these dimensions reads it. */
  boolean suits(int dimensions, boolean array) {
    return kind.dimensions == dimensions && kind.array == array;
  }

  /**
   * Reads a header.
   *
   * @param words its eight words
   * @return nothing if it asks for what is not known, or is beyond the limits
   */
  static Optional<Texture> of(int[] words) {
    Optional<TexelFormat> format = TexelFormat.of(words[0] & 0x3f);
    Optional<ComponentType> type = ComponentType.of(words[0] >>> 6 & 7);
    Optional<Kind> kind = Kind.of(words[2] >>> 14 & 0xf);
    if (format.isEmpty() || type.isEmpty() || kind.isEmpty() || !isPlain(words)) {
      return Optional.empty();
    }
    int[] sources = new int[COMPONENTS];
    for (int i = 0; i < COMPONENTS; i++) {
      sources[i] = words[0] >>> 18 + 3 * i & 7;
      if (sources[i] == 1 || (words[0] >>> 6 + 3 * i & 7) != (words[0] >>> 6 & 7)) {
        return Optional.empty();
      }
    }
    Image image = image(words, kind.get(), format.get());
    if (!type.get().fits(format.get().bits()) || !isWithin(image, kind.get(), format.get())) {
      return Optional.empty();
    }
    boolean normalized = words[2] < 0;
    return Optional.of(
        new Texture(kind.get(), format.get(), type.get(), sources, normalized, image));
  }

  /** Whether it is of version 2, with one level, neither packed, nor sRGB, depth or keyed. */
  private static boolean isPlain(int[] words) {
    boolean second = Instruction.bit(words[4], 31);
    boolean depth = Instruction.bit(words[4], 30);
    boolean converts = Instruction.bit(words[2], 10) || Instruction.bit(words[2], 13);
    return second && !depth && !converts && words[0] >>> 30 == 0 && words[5] >>> 28 == 0;
  }

  private static Image image(int[] words, Kind kind, TexelFormat format) {
    long address = (words[2] & 0xffL) << 32 | Integer.toUnsignedLong(words[1]);
    int width = words[4] & 0x3fff_ffff;
    int height = kind.dimensions == 1 ? 1 : words[5] & 0xffff;
    int layers = kind.array ? words[5] >>> 16 & 0xfff : 1;
    boolean linear = Instruction.bit(words[2], 18);
    if (kind == Kind.ONE_D_BUFFER) {
      return new Image(address, width, 1, 1, format.bytes(), Image.NO_BLOCKS, LARGEST_BUFFER);
    }
    return new Image(
        address,
        width,
        height,
        layers,
        format.bytes(),
        linear ? Image.NO_BLOCKS : words[2] >>> 22 & 7,
        linear ? words[3] & 0xf_ffff : 0);
  }

  private static boolean isWithin(Image image, Kind kind, TexelFormat format) {
    boolean buffer = kind == Kind.ONE_D_BUFFER;
    boolean sides =
        image.width() > 0
            && image.width() <= (buffer ? LARGEST_BUFFER : LARGEST_SIDE)
            && image.height() > 0
            && image.layers() > 0
            && image.layers() <= LARGEST_LAYERS;
    if (image.isLinear()) {
      long line = (long) image.width() * format.bytes();
      boolean lines = buffer || image.pitch() % PITCH_ALIGNMENT == 0 && image.pitch() >= line;
      return sides && !kind.array && lines && image.address() % PITCH_ALIGNMENT == 0;
    }
    return sides
        && image.blockShift() <= MAX_BLOCK_SHIFT
        && image.address() % BlockLinear.GOB_BYTES == 0;
  }
}
