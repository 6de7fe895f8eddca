package io.sluice.migrate.memory;

import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.random.RandomGenerator;

/**
 * A 128-bit fingerprint of a 4 KiB page, keyed at random for each migration.
 *
 * <p>It is the NH hash of UMAC (RFC 4418, section 5.2.2) with 64-bit words: the sum over all pairs
 * of words of {@code (m[2i] + k[2i]) * (m[2i+1] + k[2i+1])}, the products 128 bits long, low and
 * high halves summed apart. Two pages that differ have the same fingerprint with a probability of
 * at most 2^-64 over the keys, which no guest knows.
 *
 * <p>The sample is a smaller sum of the same kind over one cache line in {@link #SAMPLE_STRIDE}:
 * when it differs, so does the page, and nothing else need be read (gMig, section 3.3).
 */
public final class Fingerprint {
  /** Bytes of a page. */
  public static final int PAGE_BYTES = (int) GuestLimits.PAGE_BYTES;

  /** Bytes between two sampled pairs of words. */
  static final int SAMPLE_STRIDE = 512;

  /** Words of a page. */
  static final int WORDS = PAGE_BYTES / Long.BYTES;

  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final long[] keys = new long[WORDS];

  /**
   * @param random gives the keys
   */
  public Fingerprint(RandomGenerator random) {
    for (int i = 0; i < WORDS; i++) {
      keys[i] = random.nextLong();
    }
  }

  /** The key, for somebody else to compute the same; not to be changed. */
  long[] key() {
    return keys;
  }

  /**
   * Computes a page's fingerprint.
   *
   * @param into receives the low and the high half
   * @param at index of the low half; the high half comes after it
   */
  public void of(MemorySegment pages, long offset, long[] into, int at) {
    long[] k = keys;
    long low0 = 0;
    long low1 = 0;
    long high0 = 0;
    long high1 = 0;
    for (int i = 0; i < WORDS; i += 4) {
      long from = offset + (long) i * Long.BYTES;
      long a = pages.get(WORD, from) + k[i];
      long b = pages.get(WORD, from + 8) + k[i + 1];
      long c = pages.get(WORD, from + 16) + k[i + 2];
      long d = pages.get(WORD, from + 24) + k[i + 3];
      low0 += a * b;
      high0 += Math.unsignedMultiplyHigh(a, b);
      low1 += c * d;
      high1 += Math.unsignedMultiplyHigh(c, d);
    }
    into[at] = low0 + low1;
    into[at + 1] = high0 + high1;
  }

  /**
   * The fingerprint of a page that was copied into an array: the same as of its bytes. It is a
   * method of its own, and on an array, because most pages of a migration pass here, and in the
   * first one before the compiler has come to it: an array's elements are cheap even then, and one
   * loop over two kinds of segments never is.
   *
   * @param page its words, little-endian as they were in memory
   */
  void of(long[] page, long[] into, int at) {
    long[] k = keys;
    long low = 0;
    long high = 0;
    for (int i = 0; i < WORDS; i += 2) {
      long a = page[i] + k[i];
      long b = page[i + 1] + k[i + 1];
      low += a * b;
      high += Math.unsignedMultiplyHigh(a, b);
    }
    into[at] = low;
    into[at + 1] = high;
  }

  /** The sample of a page that was copied into an array. */
  long sampleOf(long[] page) {
    long sum = 0;
    for (int i = 0; i < WORDS; i += SAMPLE_STRIDE / Long.BYTES) {
      long a = page[i] + keys[i];
      long b = page[i + 1] + keys[i + 1];
      sum += a * b ^ Math.unsignedMultiplyHigh(a, b);
    }
    return sum;
  }

  /** The sample of a page. */
  public long sampleOf(MemorySegment pages, long offset) {
    long sum = 0;
    for (int from = 0; from < PAGE_BYTES; from += SAMPLE_STRIDE) {
      int i = from / Long.BYTES;
      long a = pages.get(WORD, offset + from) + keys[i];
      long b = pages.get(WORD, offset + from + 8) + keys[i + 1];
      sum += a * b ^ Math.unsignedMultiplyHigh(a, b);
    }
    return sum;
  }
}
