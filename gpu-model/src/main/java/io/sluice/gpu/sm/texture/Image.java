package io.sluice.gpu.sm.texture;

import io.sluice.gpu.layout.BlockLinear;

/**
 * The place of an image's elements. Its size has been checked: nothing here overflows.
 *
 * @param address GPU address
 * @param width elements of a line
 * @param height lines of a layer
 * @param layers layers
 * @param elementBytes bytes of an element
 * @param blockShift log2 of a block's height in GOBs, or {@link #NO_BLOCKS} if it is linear
 * @param pitch bytes from line to line, if it is linear
 */
record Image(
    long address, int width, int height, int layers, int elementBytes, int blockShift, int pitch) {
  /** Lines follow each other. */
  static final int NO_BLOCKS = -1;

  boolean isLinear() {
    return blockShift == NO_BLOCKS;
  }

  long widthBytes() {
    return (long) width * elementBytes;
  }

  /** GPU address of a byte of a line of a layer. */
  long addressOf(int layer, int line, long offset) {
    if (isLinear()) {
      return address + (long) line * pitch + offset;
    }
    return BlockLinear.addressOf(address, blockShift, 0, widthBytes(), height, layer, offset, line);
  }
}
