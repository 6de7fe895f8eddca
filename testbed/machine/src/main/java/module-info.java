/** Integration tests with real QEMU guests, and what starts them. */
module io.sluice.testbed.machine {
  requires static org.jspecify;
  requires transitive io.sluice.abi;
  // Not called, but started: so they are on the module path of whoever uses this module.
  requires io.sluice.daemon;
  requires io.sluice.sluicectl;
  requires io.sluice.management;
  requires io.sluice.remoting.host;
  requires transitive io.sluice.testbed.opencl;
  requires transitive io.sluice.testbed.workloads;
  // Of the tests.
  requires static jdk.jdi;
  requires io.sluice.gpu;
  requires io.sluice.interrupt;
  requires io.sluice.migrate;

  exports io.sluice.testbed.machine;
}
