package io.sluice.gpu.layout;

/**
 * A block-linear image as Fermi lays it out: of GOBs of 64 bytes by 8 lines, of blocks of 1 GOB by
 * 1 to 32 by 1 to 32, and of rows and layers of blocks. Within a GOB line follows line; within a
 * block a GOB is followed by the one below, then by the next layer; blocks follow each other along
 * x, then y, then z. An image takes whole blocks.
 *
 * <p>Source: envytools, docs/hw/memory/g80-surface.rst ("Blocklinear surfaces"); which block sizes
 * there are, cl9039.h. Memory is as an address space shows it: what a storage kind does below that
 * is not modelled.
 *
 * @param address GPU address of the first block
 * @param heightShift log2 of a block's height in GOBs
 * @param depthShift log2 of a block's depth in GOBs
 * @param widthBytes bytes of a line of the image
 * @param lines lines of a layer
 * @param layer which layer is copied
 * @param firstByte where in a line the copy begins
 * @param firstLine in which line it begins
 */
public record BlockLinear(
    long address,
    int heightShift,
    int depthShift,
    long widthBytes,
    long lines,
    long layer,
    long firstByte,
    long firstLine) {
  /** Bytes that follow each other in memory. */
  public static final int GOB_WIDTH_BYTES = 64;

  /** Alignment of an image. */
  public static final int GOB_BYTES = 512;

  private static final int GOB_WIDTH_SHIFT = 6;
  private static final int GOB_HEIGHT_SHIFT = 3;
  private static final int GOB_SHIFT = 9;
  private static final int MAX_SHIFT = 5;

  /** Whether a block-size word names a size: one GOB wide, at most 32 high and deep. */
  public static boolean isBlockSize(int word) {
    return (word & ~0xff0) == 0 && (word >>> 4 & 0xf) <= MAX_SHIFT && word >>> 8 <= MAX_SHIFT;
  }

  /** GPU address of a byte of the copy; such a one up to the end of its GOB's line follow it. */
  public long addressOf(long line, long offset) {
    return addressOf(
        address,
        heightShift,
        depthShift,
        widthBytes,
        lines,
        layer,
        firstByte + offset,
        firstLine + line);
  }

  /**
   * GPU address of a byte of an image.
   *
   * @param x which byte of a line
   * @param y which line
   */
  public static long addressOf(
      long address,
      int heightShift,
      int depthShift,
      long widthBytes,
      long lines,
      long layer,
      long x,
      long y) {
    long blocksPerRow = widthBytes + GOB_WIDTH_BYTES - 1 >>> GOB_WIDTH_SHIFT;
    int linesShift = GOB_HEIGHT_SHIFT + heightShift;
    long rows = lines + (1L << linesShift) - 1 >>> linesShift;
    long block =
        ((layer >>> depthShift) * rows + (y >>> linesShift)) * blocksPerRow
            + (x >>> GOB_WIDTH_SHIFT);
    long layerInBlock = layer & (1L << depthShift) - 1;
    long gobInLayer = y >>> GOB_HEIGHT_SHIFT & (1L << heightShift) - 1;
    long gob = (block << heightShift + depthShift) + (layerInBlock << heightShift) + gobInLayer;
    long inGob = (y & 7) << GOB_WIDTH_SHIFT | x & GOB_WIDTH_BYTES - 1;
    return address + (gob << GOB_SHIFT) + inGob;
  }

  /** Bytes from a byte of the copy on that follow each other in memory. */
  public long contiguousBytes(long offset) {
    return GOB_WIDTH_BYTES - (firstByte + offset & GOB_WIDTH_BYTES - 1);
  }
}
