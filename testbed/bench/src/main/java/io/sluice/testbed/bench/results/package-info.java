/** Recorded results of the benches, and the page that is made of them, docs/performance.md. */
@NullMarked
package io.sluice.testbed.bench.results;

import org.jspecify.annotations.NullMarked;
