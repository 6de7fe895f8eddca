/** What recordings of the CUDA relay are written in. */
@NullMarked
package io.sluice.testbed.fakes.relay;

import org.jspecify.annotations.NullMarked;
