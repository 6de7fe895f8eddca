/** Attacks on the daemon, and what is looked at beside them. */
module io.sluice.testbed.attack {
  requires static org.jspecify;
  requires io.sluice.abi;
  requires io.sluice.guest;
  requires io.sluice.management;
  requires io.sluice.testbed.machine;
  requires io.sluice.testbed.workloads;
  requires java.management;
}
