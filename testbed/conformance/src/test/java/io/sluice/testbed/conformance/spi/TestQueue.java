package io.sluice.testbed.conformance.spi;

import io.sluice.abi.GpuVa;
import java.lang.foreign.MemorySegment;

/** How the tests of any GPU submit to a channel: by memory alone, as a guest does. */
interface TestQueue {
  /** Bytes at the beginning of a guest's memory that are the queue's. */
  long BYTES = 2L << 20;

  /** A ring of 1 &lt;&lt; order entries stands at the beginning. */
  int order();

  /** Object classes that its channel declares. */
  int[] classes();

  /** The channel is there: its pages as the guest maps them. */
  void attach(MemorySegment control, MemorySegment doorbell);

  /** It goes on behind other pages. */
  void moveTo(MemorySegment control, MemorySegment doorbell);

  /** Begins a submission. */
  TestQueue begin();

  /** Copies in video or system memory. */
  TestQueue copy(long from, long to, long bytes);

  /** Stores a word once all before it is done. */
  TestQueue store(GpuVa at, int word);

  /** Waits until a word, and one of zeros behind it, have a value. */
  TestQueue acquire(GpuVa at, int word);

  /** Raises the channel's interrupt. */
  TestQueue interrupt();

  /**
   * Submits what was begun, and a release behind it.
   *
   * @return what {@link #isDone} wants
   */
  long submit();

  /** Whether a submission has ended. */
  boolean isDone(long submission);
}
