/** Starts QEMU guests for integration tests. */
@NullMarked
package io.sluice.testbed.machine;

import org.jspecify.annotations.NullMarked;
