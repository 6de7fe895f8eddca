/** Samples, clocks, processor accounts and charts that benches share. */
@NullMarked
package io.sluice.testbed.bench.measure;

import org.jspecify.annotations.NullMarked;
