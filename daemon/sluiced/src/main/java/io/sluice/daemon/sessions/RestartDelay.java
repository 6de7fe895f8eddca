package io.sluice.daemon.sessions;

import java.time.Duration;

/**
 * The time from the end of a host to the start of the next: it doubles with each host that did not
 * last, so that one that cannot run costs little.
 */
final class RestartDelay {
  static final Duration FIRST = Duration.ofMillis(100);
  static final Duration LONGEST = Duration.ofSeconds(30);

  /** A host that served as long was a good one. */
  static final Duration LASTING = Duration.ofSeconds(30);

  private Duration next = FIRST;

  /**
   * The delay after a host has ended.
   *
   * @param served how long it served
   */
  Duration after(Duration served) {
    if (served.compareTo(LASTING) >= 0) {
      next = FIRST;
    }
    Duration delay = next;
    Duration doubled = delay.multipliedBy(2);
    next = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    return delay;
  }
}
