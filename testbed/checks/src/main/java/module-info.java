/** Checks that JUnit puts around every test of the modules that have this one on their path. */
module io.sluice.testbed.checks {
  requires static org.jspecify;
  requires static transitive org.junit.jupiter.api;

  exports io.sluice.testbed.checks;
}
