package io.sluice.channel.nvidia.rm;

import java.nio.file.Path;

/**
 * A card that the driver has.
 *
 * @param gpuId RM's number of it
 * @param minor n of {@code /dev/nvidia<n>}
 * @param pciAddress {@code 0000:65:00.0}
 * @param pciVendor PCI vendor id
 * @param pciDevice PCI device id
 */
public record RmCard(int gpuId, int minor, String pciAddress, int pciVendor, int pciDevice) {
  /** Its device node. */
  Path node() {
    return Path.of("/dev/nvidia" + Integer.toUnsignedString(minor));
  }
}
