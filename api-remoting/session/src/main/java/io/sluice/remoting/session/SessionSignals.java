package io.sluice.remoting.session;

import io.sluice.abi.sys.Fd;
import java.lang.foreign.MemorySegment;

/**
 * The ways in which a session and its application wake one another.
 *
 * @param doorbell what the application rings
 * @param wake an eventfd, not blocking, of our own
 * @param application how the application is woken
 */
record SessionSignals(Fd doorbell, Fd wake, Wakeup application) {
  /**
   * The way to wake an application that sleeps on a word of segment 0: on the same host by the
   * futex that the word is, in a machine by its interrupt.
   */
  interface Wakeup {
    /** Wakes who sleeps on the word, which has been written. */
    void wake(MemorySegment word);
  }
}
