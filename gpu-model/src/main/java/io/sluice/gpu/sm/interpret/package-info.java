/** The interpreter: an instruction of a warp at a time. */
@NullMarked
package io.sluice.gpu.sm.interpret;

import org.jspecify.annotations.NullMarked;
