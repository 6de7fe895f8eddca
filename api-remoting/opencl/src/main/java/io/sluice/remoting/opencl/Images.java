package io.sluice.remoting.opencl;

/** The arithmetic of images: how many bytes they, and pieces of them in memory, have. */
final class Images {
  /** Most bytes of an element: four channels of 32 bits. */
  static final long MOST_ELEMENT_BYTES = 16;

  private Images() {}

  /**
   * The most bytes that an image of a shape takes, whatever its format.
   *
   * @return below 0 if that is no number
   */
  static long mostBytes(long[] shape) {
    try {
      long elements = 1;
      for (int i = 1; i <= 4; i++) {
        if (shape[i] < 0) {
          return -1;
        }
        elements = Math.multiplyExact(elements, Math.max(1, shape[i]));
      }
      return Math.multiplyExact(elements, MOST_ELEMENT_BYTES);
    } catch (ArithmeticException _) {
      return -1;
    }
  }

  /**
   * How many bytes an image's first contents take in memory, by what the format is known to have:
   * rows and slices with all of their pitches, as OpenCL has it and libraries keep them.
   *
   * @return {@link Long#MAX_VALUE} for pitches that no image has
   */
  static long initialBytes(int order, int type, long[] shape) {
    long element = elementBytes(order, type);
    long width = Math.max(1, shape[1]);
    boolean lines = shape[0] == ClParam.MEM_OBJECT_IMAGE1D_ARRAY;
    long rows = lines ? 1 : Math.max(1, shape[2]);
    long slices = Math.max(Math.max(1, shape[3]), Math.max(1, shape[4]));
    try {
      long leastRow = Math.multiplyExact(width, element);
      long row = shape[5] != 0 ? shape[5] : leastRow;
      long leastSlice = Math.multiplyExact(row, rows);
      long slice = shape[6] != 0 ? shape[6] : leastSlice;
      return row < leastRow || slice < leastSlice
          ? Long.MAX_VALUE
          : Math.multiplyExact(slices, slice);
    } catch (ArithmeticException _) {
      return Long.MAX_VALUE;
    }
  }

  /**
   * The bytes from the first of a piece to its last.
   *
   * @param width of a row, in elements
   */
  static long pieceBytes(
      long width, long rows, long slices, long elementBytes, long rowPitch, long slicePitch) {
    try {
      if (width <= 0 || rows <= 0 || slices <= 0 || rowPitch < 0 || slicePitch < 0) {
        return Long.MAX_VALUE;
      }
      return Math.addExact(
          Math.addExact(
              Math.multiplyExact(slices - 1, slicePitch), Math.multiplyExact(rows - 1, rowPitch)),
          Math.multiplyExact(width, elementBytes));
    } catch (ArithmeticException _) {
      return Long.MAX_VALUE;
    }
  }

  /** Whether a shape has pitches of its own. */
  static boolean hasPitches(long[] shape) {
    return shape[5] != 0 || shape[6] != 0;
  }

  /**
   * The bytes that a box of an image takes in memory; box: origin, region, row and slice pitch. Of
   * the layers of lines some libraries step by the slice pitch, others by the row pitch.
   */
  static long boxBytes(Memory.ImageShape image, long[] box) {
    long width = box[3];
    boolean lines = image.kind() == ClParam.MEM_OBJECT_IMAGE1D_ARRAY;
    long rows = lines ? 1 : box[4];
    long slices = lines ? box[4] : box[5];
    try {
      long row = box[6] != 0 ? box[6] : Math.multiplyExact(width, image.elementBytes());
      long slice = box[7] != 0 ? box[7] : Math.multiplyExact(row, rows);
      long step = lines && slice >= 0 ? Math.max(row, slice) : slice;
      return pieceBytes(width, rows, slices, image.elementBytes(), row, step);
    } catch (ArithmeticException _) {
      return Long.MAX_VALUE;
    }
  }

  /** The bytes of an element; CL/cl.h's orders from 0x10b0 and types from 0x10d0. */
  private static long elementBytes(int order, int type) {
    long channels =
        switch (order) {
          case 0x10b0, 0x10b1, 0x10b8, 0x10b9, 0x10bd -> 1; // R, A, INTENSITY, LUMINANCE, DEPTH
          case 0x10b2, 0x10b3, 0x10ba -> 2; // RG, RA, Rx
          case 0x10b4, 0x10bb -> 3; // RGB, RGx
          default -> 4;
        };
    return switch (type) {
      case 0x10d0, 0x10d2, 0x10d7, 0x10da -> channels; // SNORM_INT8, UNORM_INT8, (U)SIGNED_INT8
      case 0x10d1, 0x10d3, 0x10d8, 0x10db, 0x10dd -> 2 * channels; // 16 bits, HALF_FLOAT
      case 0x10d4, 0x10d5 -> 2; // 565, 555
      case 0x10d6 -> 4; // 101010
      default -> 4 * channels;
    };
  }
}
