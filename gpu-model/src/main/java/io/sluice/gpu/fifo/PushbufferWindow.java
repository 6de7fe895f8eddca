package io.sluice.gpu.fifo;

import static io.sluice.gpu.engine.LittleEndian.INT;

import java.lang.foreign.MemorySegment;

/**
 * Pushbuffer words on their way to the decoder. Each word is copied out of guest memory once,
 * before anything is decided on it. One window serves all channels: what a slice leaves over is
 * dropped and fetched again.
 */
final class PushbufferWindow {
  private static final int MAX_WORDS = 1024;

  private final int[] words = new int[MAX_WORDS];
  private int next;
  private int end;

  boolean isEmpty() {
    return next == end;
  }

  int take() {
    return words[next++];
  }

  void drop() {
    next = 0;
    end = 0;
  }

  /** Most words that {@link #fill} takes. */
  static int limit(int wanted) {
    return Math.min(wanted, MAX_WORDS);
  }

  void fill(MemorySegment segment, long offset, int count) {
    MemorySegment.copy(segment, INT, offset, words, 0, count);
    next = 0;
    end = count;
  }
}
