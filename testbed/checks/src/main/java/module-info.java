/**
 * Checks that JUnit puts around every test of the modules that have this one on their path, and
 * checking programs that tests build.
 */
module io.sluice.testbed.checks {
  requires static org.jspecify;
  requires static transitive org.junit.jupiter.api;

  exports io.sluice.testbed.checks;
}
