/** Starts real daemons and real QEMU guests, for the demo, the benches and the machine tests. */
@NullMarked
package io.sluice.testbed.machine;

import org.jspecify.annotations.NullMarked;
