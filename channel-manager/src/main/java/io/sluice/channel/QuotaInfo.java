package io.sluice.channel;

/**
 * Memory used and allowed.
 *
 * @param vramUsedBytes video memory this guest holds
 * @param vramLimitBytes video memory it may hold now
 * @param vramTotalBytes video memory of the GPU
 * @param systemUsedBytes guest memory registered, or host memory allocated
 */
public record QuotaInfo(
    long vramUsedBytes, long vramLimitBytes, long vramTotalBytes, long systemUsedBytes) {}
