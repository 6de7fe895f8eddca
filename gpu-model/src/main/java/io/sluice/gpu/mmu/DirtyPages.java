package io.sluice.gpu.mmu;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One bit per 4 KiB page of a buffer: the GPU has written it. The workers of grids mark pages at
 * the same time as each other, and as marks are cleared. What has no mark takes no memory, in
 * chunks of 128 MiB: a guest that maps large buffers and writes nothing costs nothing.
 */
final class DirtyPages {
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle CHUNK = MethodHandles.arrayElementVarHandle(long[][].class);

  private static final int PAGE_SHIFT = 12;
  private static final int CHUNK_SHIFT = 9;
  private static final int CHUNK_WORDS = 1 << CHUNK_SHIFT;

  private final int words;
  private final long[][] chunks;

  DirtyPages(long sizeBytes) {
    words = Math.toIntExact(((sizeBytes >>> PAGE_SHIFT) + 63) >>> 6);
    chunks = new long[(words + CHUNK_WORDS - 1) >>> CHUNK_SHIFT][];
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
    long[] chunk = made(index >>> CHUNK_SHIFT);
    int at = index & (CHUNK_WORDS - 1);
    if ((chunk[at] & bits) != bits) {
      WORD.getAndBitwiseOr(chunk, at, bits);
    }
  }

  private long[] made(int number) {
    long[] chunk = chunk(number);
    if (chunk != null) {
      return chunk;
    }
    long[] fresh = new long[Math.min(CHUNK_WORDS, words - (number << CHUNK_SHIFT))];
    long[] other = (long[]) CHUNK.compareAndExchange(chunks, number, null, fresh);
    return other == null ? fresh : other;
  }

  private long @Nullable [] chunk(int number) {
    return (long[]) CHUNK.getAcquire(chunks, number);
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
    long[] chunk = chunk(index >>> CHUNK_SHIFT);
    if (chunk == null) {
      return 0;
    }
    int at = index & (CHUNK_WORDS - 1);
    long found = chunk[at] & wanted;
    if (clear && found != 0) {
      WORD.getAndBitwiseAnd(chunk, at, ~found);
    }
    return found;
  }
}
