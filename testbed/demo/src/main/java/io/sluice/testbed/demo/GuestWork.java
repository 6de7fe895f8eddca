package io.sluice.testbed.demo;

/**
 * The work of the demo's guest, in three parts, so that what the host did can be counted between
 * them: only set-up and tear-down may need it.
 */
interface GuestWork extends AutoCloseable {
  /** Allocates, maps and creates all that the work needs. */
  void setUp() throws Exception;

  /** Uploads, copies, synchronises and waits; no call to the host. */
  void submit() throws Exception;

  /** Compares the result with what was uploaded. */
  void verify() throws Exception;

  /** Frees everything. */
  @Override
  void close() throws Exception;
}
