/** Measurements, which judge nothing. */
@NullMarked
package io.sluice.testbed.conformance.figures;

import org.jspecify.annotations.NullMarked;
