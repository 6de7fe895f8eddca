/** What recordings of the CUDA relay are written in, and what programs print over it. */
@NullMarked
package io.sluice.testbed.fakes.relay;

import org.jspecify.annotations.NullMarked;
