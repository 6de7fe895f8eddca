package io.sluice.gpu;

import io.sluice.gpu.fifo.GpuChannel;

/**
 * A channel of one open.
 *
 * @param channel the channel
 * @param page index of its control page
 * @param vspace the address space it holds
 * @param interrupts the short way of its interrupts
 */
record ChannelEntry(GpuChannel channel, int page, Vspace vspace, DirectInterrupt interrupts) {}
