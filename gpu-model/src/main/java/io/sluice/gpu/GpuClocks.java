package io.sluice.gpu;

import java.util.function.LongSupplier;

/**
 * The clocks of a GPU, in nanoseconds.
 *
 * @param time GPU time, monotonic; also what {@link GpuEngine#doWork} is given
 * @param processor processor time of the thread that asks: what commands are charged with
 */
public record GpuClocks(LongSupplier time, LongSupplier processor) {}
