/** Integration tests with real QEMU guests, and what starts them. */
module io.sluice.testbed.machine {
  requires static org.jspecify;
  requires transitive io.sluice.abi;
  requires io.sluice.management;

  exports io.sluice.testbed.machine;
}
