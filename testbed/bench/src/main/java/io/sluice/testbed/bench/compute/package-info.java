/** Benches of the software GPU's engines: P15, and how soon a grid is killed. */
@NullMarked
package io.sluice.testbed.bench.compute;

import org.jspecify.annotations.NullMarked;
