package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.GridLauncher;
import io.sluice.gpu.engine.TimeShare;
import java.util.function.LongSupplier;

/**
 * The services of the GPU that a channel needs.
 *
 * @param clock GPU time in nanoseconds
 * @param launcher executes compute grids
 * @param share its open's part of the GPU's time
 * @param gate its open's, through which the engine goes to execute it
 * @param events told when a channel has latched something to be read; called by whoever may change
 *     the channel
 */
public record ChannelServices(
    LongSupplier clock, GridLauncher launcher, TimeShare share, EngineGate gate, Runnable events) {}
