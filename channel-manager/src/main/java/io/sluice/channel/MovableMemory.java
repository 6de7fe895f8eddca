package io.sluice.channel;

/**
 * Video memory of a guest that can be moved to system memory and back under whoever uses it. From
 * any thread, which may wait for the copies.
 */
public interface MovableMemory {
  /**
   * The outcome of a move.
   *
   * @param pieces allocations
   * @param bytes of them together
   */
  record Moved(int pieces, long bytes) {
    /** Nothing was moved. */
    public static final Moved NONE = new Moved(0, 0);

    /** Both together. */
    public Moved plus(Moved more) {
      return new Moved(pieces + more.pieces, bytes + more.bytes);
    }
  }

  /**
   * Moves to system memory, a limited number of allocations.
   *
   * @param bytes that are to move; some more may, or fewer where there are no more
   * @param enough bytes after which no other piece is begun
   */
  Moved evict(long bytes, long enough);

  /**
   * Moves back, a limited number of allocations.
   *
   * @param room most bytes that may be moved
   * @param enough bytes after which no other piece is begun
   */
  Moved restore(long room, long enough);

  /** Bytes that are in system memory in place of video memory; no waits. */
  long evictedBytes();
}
