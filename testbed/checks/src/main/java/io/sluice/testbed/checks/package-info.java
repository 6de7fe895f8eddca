/** Checks that JUnit puts around every test. */
@NullMarked
package io.sluice.testbed.checks;

import org.jspecify.annotations.NullMarked;
