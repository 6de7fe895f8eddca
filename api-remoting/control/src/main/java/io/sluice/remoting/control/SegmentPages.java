package io.sluice.remoting.control;

/**
 * Pages of a session's memory.
 *
 * @param index of the segment
 */
public record SegmentPages(int index, long offset, long bytes) {
  /** Most ranges of a message. */
  public static final int MAX_RANGES = 2048;
}
