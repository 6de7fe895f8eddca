/** The plan of a compiled program: segments, steps, what is live and what is uniform. */
@NullMarked
package io.sluice.gpu.sm.jit.plan;

import org.jspecify.annotations.NullMarked;
