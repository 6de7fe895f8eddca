/** The memories that a warp sees: global, constant, shared, local, and the windows onto them. */
@NullMarked
package io.sluice.gpu.sm.memory;

import org.jspecify.annotations.NullMarked;
