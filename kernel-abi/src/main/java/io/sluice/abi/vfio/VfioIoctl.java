package io.sluice.abi.vfio;

/**
 * Requests of the kernel's VFIO, on a container, a group and a device. Source: linux/vfio.h.
 *
 * <p>Results are not negative; a file descriptor where said so.
 */
public final class VfioIoctl {
  /** Version of the interface, of {@link #GET_API_VERSION}. */
  public static final int API_VERSION = 0;

  /** Kind of IOMMU: type 1, second version. */
  public static final int TYPE1v2_IOMMU = 3;

  /** Container: the version. */
  public static final int GET_API_VERSION = request(0);

  /** Container: the kind of IOMMU, by value, once it has a group. */
  public static final int SET_IOMMU = request(2);

  /** Group: {@link GroupStatus}. */
  public static final int GROUP_GET_STATUS = request(3);

  /** Group: joins a container, a pointer to its descriptor. */
  public static final int GROUP_SET_CONTAINER = request(4);

  /** Group: opens a device by its name; returns a descriptor. */
  public static final int GROUP_GET_DEVICE_FD = request(6);

  /** Device: {@link DeviceInfo}. */
  public static final int DEVICE_GET_INFO = request(7);

  /** Device: {@link RegionInfo}. */
  public static final int DEVICE_GET_REGION_INFO = request(8);

  /** Device: {@link IrqInfo}. */
  public static final int DEVICE_GET_IRQ_INFO = request(9);

  /** Device: {@link IrqSet} and what follows it. */
  public static final int DEVICE_SET_IRQS = request(10);

  /** Device: resets it; no argument. */
  public static final int DEVICE_RESET = request(11);

  /** Container: {@link IommuDmaMap}. */
  public static final int IOMMU_MAP_DMA = request(13);

  /** Container: {@link IommuDmaUnmap}. */
  public static final int IOMMU_UNMAP_DMA = request(14);

  private VfioIoctl() {}

  /** {@code _IO(';', 100 + number)}. */
  private static int request(int number) {
    return ';' << 8 | 100 + number;
  }
}
