/** Checks that JUnit puts around every test, and what tests of all modules share. */
@NullMarked
package io.sluice.testbed.checks;

import org.jspecify.annotations.NullMarked;
