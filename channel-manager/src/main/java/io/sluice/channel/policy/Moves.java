package io.sluice.channel.policy;

/**
 * The result of a rebalance.
 *
 * @param evicted buffers moved to system memory
 * @param returned buffers moved to video memory
 */
public record Moves(int evicted, int returned) {}
