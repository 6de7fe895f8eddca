/** Benches, by the numbers of docs/performance.md. */
@NullMarked
package io.sluice.testbed.bench;

import org.jspecify.annotations.NullMarked;
