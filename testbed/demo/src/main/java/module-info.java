/** The demo. */
module io.sluice.testbed.demo {
  requires static org.jspecify;
  requires io.sluice.abi;
  requires io.sluice.guest;
  requires io.sluice.management;
  requires io.sluice.testbed.machine;
}
