package io.sluice.management;

import java.util.List;

/** A GPU of this host. */
@Description("A GPU of this host.")
public record GpuStatus(
    @Description("the operator's name for it") String name,
    @Description("model, such as gf100") String model,
    @Description("its video memory") long vramBytes,
    @Description("video memory nobody holds") long vramFreeBytes,
    @Description("guests that are attached to it") int guests,
    @Description("channels they have") int channels,
    @Description("its capabilities, in lower case") List<String> capabilities) {}
