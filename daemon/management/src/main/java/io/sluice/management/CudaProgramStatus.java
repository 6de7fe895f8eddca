package io.sluice.management;

/** A CUDA program of a guest at one moment. */
@Description("A CUDA program of a guest at one moment.")
public record CudaProgramStatus(
    @Description("name of its guest") String guest,
    @Description("its number, given once among those of the guest") long number,
    @Description("the GPU that it is on") String gpu,
    @Description("its process id") int pid,
    @Description("its user id") int uid,
    @Description("its name; unknown when it is gone, or in a namespace of its own") String command,
    @Description("files of NVIDIA's driver that it has open") int files,
    @Description("channels it has") int channels,
    @Description("calls it has made of the driver") long calls,
    @Description("those of them that were refused") long refused,
    @Description("video memory it has allocated") long videoBytes,
    @Description("the host's memory that the GPU may reach for it") long hostBytes,
    @Description("those of it that are in place of video memory") long evictedBytes,
    @Description(
            "whether it has the GPU: running, holding (its last work runs), suspended, resuming or ended")
        String state) {}
