package io.sluice.testbed.demo;

import java.util.List;

/** A guest, from its start to its end, and what it does meanwhile. */
interface GuestSession extends AutoCloseable {
  /** Starts it. */
  void start() throws Exception;

  /** What it does, in order; each is closed before the next is set up. */
  List<GuestWork> works();

  /** Does what is left, which is not counted. */
  default void finish() throws Exception {
    // A process has nothing left.
  }

  /** Ends it. */
  @Override
  void close() throws Exception;
}
