package io.sluice.guest;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.vfio.DeviceInfo;
import io.sluice.abi.vfio.GroupStatus;
import io.sluice.abi.vfio.IommuDmaMap;
import io.sluice.abi.vfio.IommuDmaUnmap;
import io.sluice.abi.vfio.IrqInfo;
import io.sluice.abi.vfio.IrqSet;
import io.sluice.abi.vfio.RegionInfo;
import io.sluice.abi.vfio.VfioIoctl;
import io.sluice.abi.vfio.VfioPci;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A device of this machine through the kernel's VFIO: a container with one group of it. Registers
 * are reached through a mapping of BAR 0.
 */
final class KernelVfioLink implements DeviceLink {
  private static final int READ_WRITE = 2; // O_RDWR
  private static final VarHandle REGISTER = ValueLayout.JAVA_INT.varHandle();

  private final Kernel kernel;
  private final Arena arena = Arena.ofShared();
  private final Deque<AutoCloseable> held = new ArrayDeque<>();
  private final Fd container;
  private final Fd device;
  private final MemorySegment registers;

  private KernelVfioLink(Kernel kernel, int group, String address) {
    this.kernel = kernel;
    boolean opened = false;
    try {
      container = keep(kernel.open(Path.of("/dev/vfio/vfio"), READ_WRITE));
      int version = kernel.ioctl(container, VfioIoctl.GET_API_VERSION, MemorySegment.NULL);
      if (version != VfioIoctl.API_VERSION) {
        throw new DeviceLostException("the kernel's VFIO has version " + version);
      }
      device = openDevice(keep(kernel.open(Path.of("/dev/vfio/" + group), READ_WRITE)), address);
      MemorySegment info = structure(DeviceInfo.SIZE);
      kernel.ioctl(device, VfioIoctl.DEVICE_GET_INFO, info);
      if ((DeviceInfo.FLAGS.bits(info) & DeviceInfo.FLAG_PCI) == 0
          || DeviceInfo.NUM_REGIONS.get(info) < VfioPci.NUM_REGIONS
          || DeviceInfo.NUM_IRQS.get(info) <= VfioPci.MSIX_IRQ) {
        throw new DeviceLostException(address + " is no PCI device");
      }
      registers = keep(map(VfioPci.BAR0_REGION)).segment();
      opened = true;
    } finally {
      if (!opened) {
        close();
      }
    }
  }

  /** Opens a device that is bound to vfio-pci. */
  static KernelVfioLink open(Kernel kernel, int group, String address) {
    return new KernelVfioLink(kernel, group, address);
  }

  private Fd openDevice(Fd group, String address) {
    MemorySegment status = structure(GroupStatus.SIZE);
    kernel.ioctl(group, VfioIoctl.GROUP_GET_STATUS, status);
    if ((GroupStatus.FLAGS.bits(status) & GroupStatus.FLAG_VIABLE) == 0) {
      throw new DeviceLostException("a device of the group is bound to another driver");
    }
    MemorySegment number = arena.allocateFrom(ValueLayout.JAVA_INT, container.number());
    kernel.ioctl(group, VfioIoctl.GROUP_SET_CONTAINER, number);
    kernel.ioctl(container, VfioIoctl.SET_IOMMU, MemorySegment.ofAddress(VfioIoctl.TYPE1v2_IOMMU));
    int opened = kernel.ioctl(group, VfioIoctl.GROUP_GET_DEVICE_FD, arena.allocateFrom(address));
    return keep(kernel.adopt(opened));
  }

  @Override
  public int read(int offset) {
    return (int) REGISTER.getVolatile(registers, (long) offset);
  }

  @Override
  public void write(int offset, int value) {
    REGISTER.setVolatile(registers, (long) offset, value);
  }

  @Override
  public Mapping map(int region) {
    MemorySegment info = structure(RegionInfo.SIZE);
    RegionInfo.INDEX.setBits(info, region);
    kernel.ioctl(device, VfioIoctl.DEVICE_GET_REGION_INFO, info);
    if ((RegionInfo.FLAGS.bits(info) & RegionInfo.FLAG_MMAP) == 0) {
      throw new DeviceLostException("region " + region + " has no memory to map");
    }
    return kernel.mmap(
        device,
        RegionInfo.OFFSET.get(info),
        RegionInfo.SIZE_FIELD.get(info),
        Kernel.PROT_READ | Kernel.PROT_WRITE);
  }

  @Override
  public void share(Fd fd, Mapping mapping, long iova) {
    MemorySegment map = structure(IommuDmaMap.SIZE);
    IommuDmaMap.FLAGS.setBits(map, IommuDmaMap.FLAG_READ | IommuDmaMap.FLAG_WRITE);
    IommuDmaMap.VADDR.set(map, mapping.segment().address());
    IommuDmaMap.IOVA.set(map, iova);
    IommuDmaMap.SIZE_FIELD.set(map, mapping.sizeBytes());
    kernel.ioctl(container, VfioIoctl.IOMMU_MAP_DMA, map);
  }

  @Override
  public void unshare(long iova, long sizeBytes) {
    MemorySegment unmap = structure(IommuDmaUnmap.SIZE);
    IommuDmaUnmap.IOVA.set(unmap, iova);
    IommuDmaUnmap.SIZE_FIELD.set(unmap, sizeBytes);
    kernel.ioctl(container, VfioIoctl.IOMMU_UNMAP_DMA, unmap);
  }

  @Override
  public void vectors(List<Fd> eventfds) {
    MemorySegment info = structure(IrqInfo.SIZE);
    IrqInfo.INDEX.setBits(info, VfioPci.MSIX_IRQ);
    kernel.ioctl(device, VfioIoctl.DEVICE_GET_IRQ_INFO, info);
    if (IrqInfo.COUNT.get(info) < eventfds.size()) {
      throw new DeviceLostException("the device has " + IrqInfo.COUNT.get(info) + " vectors");
    }
    MemorySegment set = structure(IrqSet.SIZE + 4L * eventfds.size());
    IrqSet.FLAGS.setBits(set, IrqSet.DATA_EVENTFD | IrqSet.ACTION_TRIGGER);
    IrqSet.INDEX.setBits(set, VfioPci.MSIX_IRQ);
    IrqSet.COUNT.set(set, eventfds.size());
    for (int i = 0; i < eventfds.size(); i++) {
      set.set(ValueLayout.JAVA_INT, IrqSet.SIZE + 4L * i, eventfds.get(i).number());
    }
    kernel.ioctl(device, VfioIoctl.DEVICE_SET_IRQS, set);
  }

  @Override
  public void reset() {
    kernel.ioctl(device, VfioIoctl.DEVICE_RESET, MemorySegment.NULL);
  }

  /** A structure whose first word is its own size, as all of VFIO. */
  private MemorySegment structure(long bytes) {
    MemorySegment segment = arena.allocate(bytes, 8);
    segment.set(ValueLayout.JAVA_INT, 0, (int) bytes);
    return segment;
  }

  private <T extends AutoCloseable> T keep(T resource) {
    held.push(resource);
    return resource;
  }

  @Override
  public void close() {
    for (AutoCloseable resource : held) {
      switch (resource) {
        case Mapping mapping -> mapping.close();
        case Fd fd -> fd.close();
        default -> throw new AssertionError(resource);
      }
    }
    held.clear();
    arena.close();
  }
}
