/** Benches of moving guests: P5 to P9. */
@NullMarked
package io.sluice.testbed.bench.migration;

import org.jspecify.annotations.NullMarked;
