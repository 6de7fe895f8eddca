package io.sluice.testbed.attack;

import java.util.Locale;

/**
 * The load that somebody is to a host.
 *
 * @param processors that it takes
 * @param wakes threads that went to sleep, and were woken, in a second: what others wait longer
 *     for, when their threads are woken, too
 */
record Burden(double processors, double wakes) {
  static final Burden NONE = new Burden(0, 0);

  /** What is more than another. */
  Burden beyond(Burden other) {
    return new Burden(Math.max(0, processors - other.processors), Math.max(0, wakes - other.wakes));
  }

  String text() {
    return String.format(Locale.ROOT, "processors %5.2f, wakes %7.0f/s", processors, wakes);
  }
}
