package io.sluice.testbed.demo;

/**
 * Some work of the demo's guest, in parts, so that what the host did can be counted between them:
 * only set-up and tear-down may need it.
 */
interface GuestWork extends AutoCloseable {
  /** Where it belongs. */
  DemoPart part();

  /** How many programs in a machine do it at a time: each that waits may look after its host. */
  default int machinePrograms() {
    return 0;
  }

  /** What was done once it is, such as {@code 64 MiB were copied}. */
  String done();

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
