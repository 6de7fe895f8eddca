/** Hand-written fakes at the kernel seam, and helpers for seeds and leak counts. */
module io.sluice.testbed.fakes {
  requires static org.jspecify;
  requires transitive io.sluice.abi;
}
