package io.sluice.gpu.mmu;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One bit per 4 KiB page of a buffer: the GPU has written it. The workers of grids mark pages at
 * the same time as each other, and as marks are cleared.
 */
final class DirtyPages {
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private static final int PAGE_SHIFT = 12;

  private final long[] words;

  DirtyPages(long sizeBytes) {
    words = new long[Math.toIntExact(((sizeBytes >>> PAGE_SHIFT) + 63) >>> 6)];
  }

  void mark(long offset, long bytes) {
    long first = offset >>> PAGE_SHIFT;
    long last = (offset + bytes - 1) >>> PAGE_SHIFT;
    int firstWord = (int) (first >>> 6);
    int lastWord = (int) (last >>> 6);
    long head = -1L << first;
    long tail = -1L >>> ~last;
    if (firstWord == lastWord) {
      set(firstWord, head & tail);
      return;
    }
    set(firstWord, head);
    for (int i = firstWord + 1; i < lastWord; i++) {
      set(i, -1L);
    }
    set(lastWord, tail);
  }

  private void set(int index, long bits) {
    if ((words[index] & bits) != bits) {
      WORD.getAndBitwiseOr(words, index, bits);
    }
  }

  /**
   * Up to 64 pages at once.
   *
   * @param count 1 to 64, all of the buffer
   * @param clear whether those found are to be forgotten; what is marked meanwhile is not
   * @return a bit for each marked page, the lowest for the first
   */
  long read(long first, int count, boolean clear) {
    int index = (int) (first >>> 6);
    int shift = (int) first & 63;
    long wanted = -1L >>> (64 - count);
    long bits = read(index, wanted << shift, clear) >>> shift;
    if (shift + count > 64) {
      bits |= read(index + 1, wanted >>> (64 - shift), clear) << (64 - shift);
    }
    return bits;
  }

  private long read(int index, long wanted, boolean clear) {
    long found = words[index] & wanted;
    if (clear && found != 0) {
      WORD.getAndBitwiseAnd(words, index, ~found);
    }
    return found;
  }
}
