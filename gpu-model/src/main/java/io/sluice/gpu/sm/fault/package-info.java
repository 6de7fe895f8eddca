/** The faults of a warp and of its memory. */
@NullMarked
package io.sluice.gpu.sm.fault;

import org.jspecify.annotations.NullMarked;
