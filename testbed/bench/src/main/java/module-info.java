/** The benches of docs/performance.md. */
module io.sluice.testbed.bench {
  requires static org.jspecify;
  requires io.sluice.abi;
  requires io.sluice.guest;
  requires io.sluice.testbed.machine;
}
