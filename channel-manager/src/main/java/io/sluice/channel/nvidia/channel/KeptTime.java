package io.sluice.channel.nvidia.channel;

import java.time.Duration;

/**
 * The time for which a channel has kept its engine, seen by looks. What lies between two looks
 * counts as far as the watchdog may leave between them, and no further: beyond that the watchdog
 * stood still, and nobody saw what the channel did. Guarded by the open's lock.
 */
final class KeptTime {
  /** Most that counts between two looks: twice the watchdog's longest time between two. */
  static final Duration MOST_STEP = Duration.ofMillis(200);

  private boolean keeps;
  private long seenNs;
  private long lastedNs;

  /** It has left its engine. */
  void end() {
    keeps = false;
    lastedNs = 0;
  }

  /**
   * A look has found that it keeps its engine.
   *
   * @param fromNs when the look began
   * @param toNs when it was over
   * @return for how long it has
   */
  long see(long fromNs, long toNs) {
    long since = keeps ? Math.min(toNs - seenNs, MOST_STEP.toNanos()) : toNs - fromNs;
    keeps = true;
    seenNs = toNs;
    lastedNs += since;
    return lastedNs;
  }
}
