package io.sluice.management;

/** A channel of a guest at one moment. */
@Description("A channel of a guest at one moment.")
public record ChannelStatus(
    @Description("the guest's id of it") int id,
    @Description("new, running, suspended, draining, detached or dead") String state,
    @Description("why it died, such as page-fault; empty while it lives") String error,
    @Description("GPU address of a fault, otherwise 0") long faultAddress,
    @Description("nothing that was put is unfinished") boolean drained,
    @Description("blocked on a semaphore acquire") boolean waiting,
    @Description("ring entries taken since it started") long entries,
    @Description("GPU time used") long busyNs,
    @Description("warp instructions of grids that have ended, where the GPU counts them")
        long instructions,
    @Description("those of them that a software GPU did not compile") long interpreted) {}
