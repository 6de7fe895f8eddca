package io.sluice.channel;

import com.google.common.collect.ImmutableList;

/**
 * The identity of a GPU.
 *
 * @param name the operator's name for it, such as {@code embedded} or {@code 0000:65:00.0}
 * @param model {@code gf100}, {@code gh200} …
 * @param pciVendor PCI vendor id
 * @param pciDevice PCI device id
 * @param chipset 0xc0 for a GTX 480
 * @param gpcCount graphics processing clusters
 * @param tpCounts texture processors of each cluster
 * @param mpCount multiprocessors
 * @param vramBytes video memory
 * @param maxChannels channel ids are 1 to this minus 1
 * @param maxAddressSpaces address-space ids are 1 to this minus 1
 * @param addressSpaceBytes size of a GPU address space
 */
public record GpuInfo(
    String name,
    String model,
    int pciVendor,
    int pciDevice,
    int chipset,
    int gpcCount,
    ImmutableList<Integer> tpCounts,
    int mpCount,
    long vramBytes,
    int maxChannels,
    int maxAddressSpaces,
    long addressSpaceBytes) {}
