package io.sluice.migrate.wire;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The account of what frames hold that have come and that nobody has taken, over all links of a
 * daemon. It refuses nobody: when all is taken, each stream may hold no more than {@link
 * #SHARE_BYTES} until its own frames are taken, so that no stream has to wait for another one's.
 */
final class IncomingBudget {
  /** As many links as there may be, each with four full streams; less on a small heap. */
  private static final long MOST_BYTES = 1L << 30;

  /** Direct memory has the heap's limit, and there are others who need both. */
  private static final int PART_OF_HEAP = 4;

  /** What a stream may hold when all is taken: the longest frame. */
  static final long SHARE_BYTES = 1L << 20;

  private final long mostBytes;
  private final AtomicLong bytes = new AtomicLong();

  IncomingBudget(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  /** One for a Java machine of this one's size. */
  static IncomingBudget usual() {
    return new IncomingBudget(
        Math.min(MOST_BYTES, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
  }

  /** Adds what a frame holds. */
  void hold(long more) {
    bytes.addAndGet(more);
  }

  /** Takes off what is not held any more. */
  void release(long less) {
    bytes.addAndGet(-less);
  }

  boolean isFull() {
    return bytes.get() > mostBytes;
  }

  /** What is held. */
  long bytes() {
    return bytes.get();
  }
}
