/** The instruction set of sm_20: opcodes, instruction words and their fields. */
@NullMarked
package io.sluice.gpu.sm.isa;

import org.jspecify.annotations.NullMarked;
