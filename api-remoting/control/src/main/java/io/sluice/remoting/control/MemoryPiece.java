package io.sluice.remoting.control;

/**
 * A part of a file that comes with an order, in whole pages.
 *
 * @param file its place among the order's descriptors
 */
public record MemoryPiece(int file, long offset, long bytes) {
  /** Most pieces of an order: the extents of a segment, each in several maps of a machine. */
  public static final int MAX_PIECES = 2048;

  /** Most files of an order. */
  public static final int MAX_FILES = 8;
}
