/** The form of recordings of the CUDA relay, and the lines that programs print over it. */
@NullMarked
package io.sluice.testbed.fakes.relay;

import org.jspecify.annotations.NullMarked;
