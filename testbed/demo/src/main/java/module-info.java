/** The demo. */
module io.sluice.testbed.demo {
  requires static org.jspecify;
}
