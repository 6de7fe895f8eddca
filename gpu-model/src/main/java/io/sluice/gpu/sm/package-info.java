/**
 * The streaming multiprocessor: decoder and interpreter of sm_20 programs.
 *
 * <p>docs/numerics.md defines what the arithmetic gives where the hardware's own results are not
 * public.
 */
@NullMarked
package io.sluice.gpu.sm;

import org.jspecify.annotations.NullMarked;
