package io.sluice.migrate.memory;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/**
 * The map of what was last sent of each page of an aperture. A page is known by its fingerprint
 * from the moment its bytes were put into a frame.
 *
 * <p>Several threads may use it when no two of them use the same page at one time: a page has its
 * own elements of each array. {@link #reserve} wants it alone.
 */
final class PageMap {
  private static final int UNSENT = 0;
  private static final int SENT = 1;

  private final Fingerprint fingerprint;
  private final DirtyDetection detection;
  private long[] prints; // two words a page
  private long[] samples;
  private byte[] states;
  private final long[] zero = new long[2];

  PageMap(long apertureBytes, DirtyDetection detection, RandomGenerator random) {
    this.detection = detection;
    fingerprint = new Fingerprint(random);
    int pages = Math.toIntExact(apertureBytes / Fingerprint.PAGE_BYTES);
    prints = new long[2 * pages];
    samples = new long[pages];
    states = new byte[pages];
    fingerprint.of(new long[Fingerprint.WORDS], zero, 0);
  }

  /** Makes room for so many pages. */
  void reserve(int pages) {
    if (pages > states.length) {
      int more = (int) Math.min(Math.max(pages, states.length * 3L / 2), Integer.MAX_VALUE / 2 - 8);
      prints = Arrays.copyOf(prints, 2 * more);
      samples = Arrays.copyOf(samples, more);
      states = Arrays.copyOf(states, more);
    }
  }

  /** The key of the fingerprints. */
  long[] key() {
    return fingerprint.key();
  }

  /** Whether all of these were sent. */
  boolean areSent(int first, int count) {
    for (int i = first; i < first + count; i++) {
      if (states[i] != SENT) {
        return false;
      }
    }
    return true;
  }

  /** Whether a page that was sent has another fingerprint. */
  boolean differs(int page, long low, long high) {
    return low != prints[2 * page] || high != prints[2 * page + 1];
  }

  /** The page belongs to a new buffer, or to none: the destination has zeros there. */
  void forget(int page) {
    states[page] = UNSENT;
  }

  boolean isSent(int page) {
    return states[page] == SENT;
  }

  /**
   * The page is sent.
   *
   * @param copy what the destination will have, unlike the page, which may have changed since
   * @return whether it is all zeros
   */
  boolean sent(int page, long[] copy) {
    fingerprint.of(copy, prints, 2 * page);
    if (detection.sampling()) {
      samples[page] = fingerprint.sampleOf(copy);
    }
    states[page] = SENT;
    return prints[2 * page] == zero[0] && prints[2 * page + 1] == zero[1];
  }

  /** A comparison of pages with what was sent of them, with its counts. One thread uses it. */
  final class Comparison {
    private final long[] scratch = new long[2];
    private long hashed;
    private long sampledAway;

    /** Whether a page that was sent has another fingerprint now. */
    boolean isOther(int page, long low, long high) {
      hashed++;
      return differs(page, low, high);
    }

    /**
     * Whether the page's bytes are not those that were sent.
     *
     * @param offset of its bytes
     */
    boolean hasChanged(int page, MemorySegment memory, long offset) {
      if (states[page] == UNSENT || !detection.hashing()) {
        return true;
      }
      if (detection.sampling() && fingerprint.sampleOf(memory, offset) != samples[page]) {
        sampledAway++;
        return true;
      }
      fingerprint.of(memory, offset, scratch, 0);
      return isOther(page, scratch[0], scratch[1]);
    }

    /** Does what {@link #hasChanged} does with a page, for nothing. */
    void warmUp(MemorySegment memory, long offset) {
      if (detection.hashing()) {
        fingerprint.of(memory, offset, scratch, 0);
        scratch[0] ^= detection.sampling() ? fingerprint.sampleOf(memory, offset) : 0;
      }
    }

    /** Pages that were compared as a whole. */
    long hashed() {
      return hashed;
    }

    /** Pages that a sample was enough for. */
    long sampledAway() {
      return sampledAway;
    }
  }
}
