package io.sluice.testbed.demo;

/**
 * Some work of the demo's guest, in parts, so that what the host did can be counted between them:
 * only set-up and tear-down may need it.
 */
interface GuestWork extends AutoCloseable {
  /** What it is, for people. */
  String title();

  /** Allocates, maps and creates all that the work needs. */
  void setUp() throws Exception;

  /** Uploads, submits, synchronises and waits; no call to the host. */
  void submit() throws Exception;

  /** Checks the result. */
  void verify() throws Exception;

  /** Frees everything. */
  @Override
  void close() throws Exception;
}
