package io.sluice.management;

/**
 * A guest's quota of its GPU, and its use, at one moment. Counts are totals since the daemon
 * started.
 */
@Description(
    "A guest's quota of its GPU, and its use, at one moment. Counts are totals since the daemon started.")
public record QuotaStatus(
    @Description("its name") String guest,
    @Description("name of its GPU") String gpu,
    @Description("video memory it always gets") long minimumBytes,
    @Description("its part of what is shared, 1 to 1024") int weight,
    @Description("most video memory it ever gets") long limitBytes,
    @Description("out-of-memory or system-memory") String beyondShare,
    @Description("how long a command may last while another guest waits") long killTimeoutMs,
    @Description("whether it is another than the configuration, or the guest's creation, says")
        boolean changed,
    @Description("whether it takes part in sharing now") boolean usesGpu,
    @Description(
            "video memory it may hold now; 0 while no client is attached and no program has any")
        long shareBytes,
    @Description("video memory it holds, its CUDA programs' included") long heldBytes,
    @Description("memory it allocated as video memory that is in system memory now")
        long evictedBytes,
    @Description("buffers moved to system memory") long evictions,
    @Description("buffers moved back") long returns,
    @Description("allocations refused because its share has no room for them") long refusals,
    @Description("channels ended because a command lasted too long") long kills,
    @Description("observations that found a channel to end too soon after the last")
        long killsPutOff,
    @Description("GPU time used; 0 where the GPU does not tell") long gpuNs,
    @Description("time in which it had work and other guests had the GPU") long waitNs) {}
