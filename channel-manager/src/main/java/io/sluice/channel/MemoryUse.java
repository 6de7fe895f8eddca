package io.sluice.channel;

/**
 * What sharing needs to know of a guest's memory at one moment.
 *
 * @param usesGpu whether it has anything to share the GPU for: a buffer or an address space
 * @param videoBytes video memory it holds
 * @param evictedBytes memory it allocated as video memory that is in system memory now
 */
record MemoryUse(boolean usesGpu, long videoBytes, long evictedBytes) {}
