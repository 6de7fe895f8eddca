/** Integration tests with real QEMU guests. */
module io.sluice.testbed.machine {
  requires static org.jspecify;
}
