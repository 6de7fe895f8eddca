package io.sluice.management;

/**
 * A guest's quota of its GPU, and its use, at one moment. Counts are totals since the daemon
 * started.
 *
 * @param guest its name
 * @param gpu name of its GPU
 * @param minimumBytes video memory it always gets
 * @param weight its part of what is shared, 1 to 1024
 * @param limitBytes most video memory it ever gets
 * @param beyondShare {@link #OUT_OF_MEMORY} or {@link #SYSTEM_MEMORY}
 * @param killTimeoutMs how long a command may last while another guest waits
 * @param changed whether it is another than the configuration, or the guest's creation, says
 * @param usesGpu whether it takes part in sharing now
 * @param shareBytes video memory it may hold now; 0 while no client is attached
 * @param heldBytes video memory it holds
 * @param evictedBytes memory it allocated as video memory that is in system memory now
 * @param evictions buffers moved to system memory
 * @param returns buffers moved back
 * @param refusals allocations refused because its share has no room for them
 * @param kills channels ended because a command lasted too long
 * @param killsPutOff observations that found a channel to end too soon after the last
 * @param gpuNs GPU time used; 0 where the GPU does not tell
 * @param waitNs time in which it had work and other guests had the GPU
 */
public record QuotaStatus(
    String guest,
    String gpu,
    long minimumBytes,
    int weight,
    long limitBytes,
    String beyondShare,
    long killTimeoutMs,
    boolean changed,
    boolean usesGpu,
    long shareBytes,
    long heldBytes,
    long evictedBytes,
    long evictions,
    long returns,
    long refusals,
    long kills,
    long killsPutOff,
    long gpuNs,
    long waitNs) {
  /** Allocations beyond the share are refused with ENOMEM. */
  public static final String OUT_OF_MEMORY = "out-of-memory";

  /** Allocations beyond the share get system memory. */
  public static final String SYSTEM_MEMORY = "system-memory";
}
