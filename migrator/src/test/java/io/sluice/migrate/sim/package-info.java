/** Two daemons, a guest and two GPUs in one thread, with a clock and faults of the test's. */
@NullMarked
package io.sluice.migrate.sim;

import org.jspecify.annotations.NullMarked;
