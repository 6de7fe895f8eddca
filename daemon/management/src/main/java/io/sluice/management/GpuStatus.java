package io.sluice.management;

import java.util.List;

/**
 * A GPU of this host.
 *
 * @param name the operator's name for it
 * @param model {@code gf100} …
 * @param vramBytes its video memory
 * @param vramFreeBytes video memory nobody holds
 * @param guests guests that are attached to it
 * @param channels channels they have
 * @param capabilities what it can do beyond the least, in lower case
 */
public record GpuStatus(
    String name,
    String model,
    long vramBytes,
    long vramFreeBytes,
    int guests,
    int channels,
    List<String> capabilities) {}
