/** The demo. */
module io.sluice.testbed.demo {
  requires static org.jspecify;
  requires info.picocli;
  requires io.sluice.abi;
  requires io.sluice.guest;
  requires io.sluice.management;
  requires io.sluice.testbed.machine;
  requires io.sluice.testbed.opencl;
  requires io.sluice.testbed.workloads;

  opens io.sluice.testbed.demo to
      info.picocli;
}
