package io.sluice.gpu.engine;

import io.sluice.abi.sys.ThreadUse;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The meter of what a thread uses for an open.
 *
 * @param processor processor time of the thread that asks, in nanoseconds
 * @param use what else that thread has used
 */
public record ThreadMeter(LongSupplier processor, Supplier<ThreadUse> use) {}
