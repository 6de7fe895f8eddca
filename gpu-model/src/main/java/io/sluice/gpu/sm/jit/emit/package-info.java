/** The emitters of bytecode: one for each kind of instruction, and the lane's state in locals. */
@NullMarked
package io.sluice.gpu.sm.jit.emit;

import org.jspecify.annotations.NullMarked;
