package io.sluice.remoting.session;

import java.lang.foreign.MemorySegment;

/**
 * The way to wake an application that sleeps on a word of segment 0: on the same host by the futex
 * that the word is, in a machine by its interrupt.
 */
interface Wakeup {
  /** Wakes who sleeps on the word, which has been written. */
  void wake(MemorySegment word);
}
