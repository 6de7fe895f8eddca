package io.sluice.migrate.memory;

import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;

/**
 * What was last sent of each page of an aperture. A page is known by its fingerprint from the
 * moment its bytes were put into a frame.
 */
final class PageMap {
  private static final int UNSENT = 0;
  private static final int SENT = 1;

  private final Fingerprint fingerprint;
  private final DirtyDetection detection;
  private final long[] prints; // two words a page
  private final long[] samples;
  private final byte[] states;
  private final long[] scratch = new long[2];
  private final long[] zero = new long[2];
  private long hashed;
  private long sampledAway;

  PageMap(long apertureBytes, DirtyDetection detection, RandomGenerator random) {
    this.detection = detection;
    fingerprint = new Fingerprint(random);
    int pages = Math.toIntExact(apertureBytes / Fingerprint.PAGE_BYTES);
    prints = new long[2 * pages];
    samples = new long[pages];
    states = new byte[pages];
    fingerprint.of(MemorySegment.ofArray(new byte[Fingerprint.PAGE_BYTES]), 0, zero, 0);
  }

  /** The page belongs to a new buffer, or to none: the destination has zeros there. */
  void forget(int page) {
    states[page] = UNSENT;
  }

  boolean isSent(int page) {
    return states[page] == SENT;
  }

  /** Whether the page's bytes are not those that were sent. */
  boolean hasChanged(int page, MemorySegment aperture) {
    if (states[page] == UNSENT || !detection.hashing()) {
      return true;
    }
    long offset = (long) page * Fingerprint.PAGE_BYTES;
    if (detection.sampling() && fingerprint.sampleOf(aperture, offset) != samples[page]) {
      sampledAway++;
      return true;
    }
    fingerprint.of(aperture, offset, scratch, 0);
    hashed++;
    return scratch[0] != prints[2 * page] || scratch[1] != prints[2 * page + 1];
  }

  /**
   * The page is in a frame.
   *
   * @param copy the frame's bytes, which are what the destination will have, unlike the page's,
   *     which may have changed since
   * @return whether it is all zeros
   */
  boolean sent(int page, MemorySegment copy, long at) {
    fingerprint.of(copy, at, prints, 2 * page);
    if (detection.sampling()) {
      samples[page] = fingerprint.sampleOf(copy, at);
    }
    states[page] = SENT;
    return prints[2 * page] == zero[0] && prints[2 * page + 1] == zero[1];
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
