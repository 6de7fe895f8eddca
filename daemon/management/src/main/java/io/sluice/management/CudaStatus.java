package io.sluice.management;

/** The CUDA programs of a guest at one moment, all of them together. */
@Description("The CUDA programs of a guest at one moment, all of them together.")
public record CudaStatus(
    @Description("name of the guest") String guest,
    @Description("where programs connect") String socketPath,
    @Description("programs there are") int programs,
    @Description("most programs at one time") int programLimit,
    @Description("connections and programs of machines turned away since the daemon started")
        long turnedAway,
    @Description("video memory they have allocated") long videoBytes,
    @Description("most video memory they may allocate now") long videoLimitBytes,
    @Description("the host's memory that the GPU may reach for them") long hostBytes,
    @Description("most memory of the host that it may reach for them") long hostLimitBytes,
    @Description("the daemon's heap that their files, objects and maps have now") long heapBytes,
    @Description("most heap for these") long heapLimitBytes) {}
