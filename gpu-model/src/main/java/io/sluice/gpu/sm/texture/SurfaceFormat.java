package io.sluice.gpu.sm.texture;

import io.sluice.gpu.layout.BlockLinear;
import io.sluice.gpu.sm.warp.SurfaceTarget;
import java.util.Optional;

/** The reader of a surface's image from its slot's words (cl90c0.h, SET_SU_LD_ST_TARGET). */
final class SurfaceFormat {
  private static final int LARGEST_SIDE = 1 << 16;
  private static final int LARGEST_BUFFER = 1 << 27;
  private static final int LINEAR_ALIGNMENT = 256;
  private static final int MAX_BLOCK_SHIFT = 5;

  private SurfaceFormat() {}

  /** Color formats with elements of one size. */
  private enum Colors {
    WORDS_4(0xc0, 0xc5, 16),
    WORDS_2(0xc6, 0xce, 8),
    WORD(0xcf, 0xe7, 4),
    HALF(0xe8, 0xf2, 2),
    BYTE(0xf3, 0xf7, 1);

    private final int first;
    private final int last;
    private final int bytes;

    Colors(int first, int last, int bytes) {
      this.first = first;
      this.last = last;
      this.bytes = bytes;
    }
  }

  /** Bytes of an element, or 0 for a format that is not known. */
  private static int bytes(int format) {
    if ((format & 1) != 0) {
      return 0;
    }
    int color = format >>> 4 & 0xff;
    for (Colors colors : Colors.values()) {
      if (color >= colors.first && color <= colors.last) {
        return colors.bytes;
      }
    }
    return 0;
  }

  /** The image, or nothing if it is not known what it is, or beyond the limits. */
  static Optional<Image> image(SurfaceTarget target) {
    int bytes = bytes(target.format());
    int height = target.height() & 0x1ffff;
    boolean linear = (target.height() >>> 20 & 1) != 0;
    if (bytes == 0 || target.width() <= 0 || height <= 0) {
      return Optional.empty();
    }
    return linear ? line(target, height) : blocks(target, height, bytes);
  }

  /** One line, of bytes. */
  private static Optional<Image> line(SurfaceTarget target, int height) {
    boolean within = target.width() <= LARGEST_BUFFER && height == 1;
    if (!within || target.address() % LINEAR_ALIGNMENT != 0) {
      return Optional.empty();
    }
    return Optional.of(
        new Image(target.address(), (int) target.width(), 1, 1, 1, Image.NO_BLOCKS, 0));
  }

  private static Optional<Image> blocks(SurfaceTarget target, int height, int bytes) {
    int shift = target.block() >>> 4 & 0xf;
    boolean within = target.width() <= LARGEST_SIDE && height <= LARGEST_SIDE;
    boolean known = (target.block() & ~0xf0) == 0 && shift <= MAX_BLOCK_SHIFT;
    if (!within || !known || target.address() % BlockLinear.GOB_BYTES != 0) {
      return Optional.empty();
    }
    return Optional.of(
        new Image(target.address(), (int) target.width(), height, 1, bytes, shift, 0));
  }
}
