package io.sluice.gpu.mmu;

/**
 * A range of guest memory.
 *
 * @param region where it is
 * @param offset byte offset in the region, a multiple of the page size
 * @param bytes length, a multiple of the page size
 */
public record RegionRange(MemoryRegion region, long offset, long bytes) {}
