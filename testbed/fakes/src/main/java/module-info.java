/** Hand-written fakes at the kernel seam, and seeds of random tests. */
module io.sluice.testbed.fakes {
  requires static org.jspecify;
  requires static transitive org.junit.jupiter.api;
  requires transitive io.sluice.abi;

  exports io.sluice.testbed.fakes;
  exports io.sluice.testbed.fakes.relay;
}
