/** Guests of a real sluiced with an NVIDIA GPU. */
@NullMarked
package io.sluice.testbed.conformance.daemon;

import org.jspecify.annotations.NullMarked;
