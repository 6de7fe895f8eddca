package io.sluice.testbed.bench.measure;

/** A channel that always has work. */
public interface Busy extends AutoCloseable {
  /** Ends the work, waits for what was submitted, and says whether the results are right. */
  boolean finish() throws InterruptedException;

  @Override
  void close();
}
