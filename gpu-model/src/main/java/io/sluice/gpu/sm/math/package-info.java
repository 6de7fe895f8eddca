/** The arithmetic of sm_20, a lane at a time: what the interpreter and compiled code call. */
@NullMarked
package io.sluice.gpu.sm.math;

import org.jspecify.annotations.NullMarked;
