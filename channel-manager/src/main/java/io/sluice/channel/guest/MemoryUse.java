package io.sluice.channel.guest;

/**
 * The memory of a guest at one moment.
 *
 * @param usesGpu whether it has anything to share the GPU for: a buffer or an address space
 * @param videoBytes video memory it holds
 * @param limitBytes video memory it may hold: its share
 * @param systemBytes guest memory registered, or host memory allocated
 * @param evictedBytes of that, memory allocated as video memory
 */
public record MemoryUse(
    boolean usesGpu, long videoBytes, long limitBytes, long systemBytes, long evictedBytes) {
  public static final MemoryUse NONE = new MemoryUse(false, 0, 0, 0, 0);
}
