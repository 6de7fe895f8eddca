/** Benches of the data path and of what a guest's calls cost: P1 to P4, P14, P16. */
@NullMarked
package io.sluice.testbed.bench.submission;

import org.jspecify.annotations.NullMarked;
