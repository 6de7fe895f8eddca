/** Grids, blocks and warps, and the state that they have. */
@NullMarked
package io.sluice.gpu.sm.warp;

import org.jspecify.annotations.NullMarked;
