package io.sluice.vdevice;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.vfio.DeviceInfo;
import io.sluice.abi.vfio.DmaUnmap;
import io.sluice.abi.vfio.InfoCapHeader;
import io.sluice.abi.vfio.IrqInfo;
import io.sluice.abi.vfio.MigData;
import io.sluice.abi.vfio.RegionInfo;
import io.sluice.abi.vfio.RegionIoFds;
import io.sluice.abi.vfio.SparseArea;
import io.sluice.abi.vfio.SparseMmap;
import io.sluice.abi.vfio.VersionMessage;
import io.sluice.abi.vfio.VfioPci;
import io.sluice.vdevice.pci.DeviceRegion;
import io.sluice.vdevice.pci.MappedBar;
import io.sluice.vdevice.protocol.Request;
import io.sluice.vdevice.protocol.VersionData;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** The builder of the bodies of replies; each method returns the body's length in bytes. */
final class Replies {
  /** The capability with one area. */
  private static final int SPARSE_BYTES = (int) (SparseMmap.SIZE + SparseArea.SIZE);

  private static final short SPARSE_VERSION = 1;

  /** The protocol's minor version that this server speaks. */
  private static final int MINOR = 0;

  private Replies() {}

  static int version(MemorySegment body, Request.Version version) {
    byte[] data = VersionData.reply(version.capabilities());
    VersionMessage.MAJOR.set(body, version.major());
    VersionMessage.MINOR.set(body, Math.min(version.minor(), MINOR));
    MemorySegment.copy(data, 0, body, ValueLayout.JAVA_BYTE, VersionMessage.SIZE, data.length);
    return (int) VersionMessage.SIZE + data.length;
  }

  /** The request's own words. */
  static int unmap(MemorySegment body, MemorySegment request) {
    MemorySegment.copy(request, 0, body, 0, DmaUnmap.SIZE);
    return (int) DmaUnmap.SIZE;
  }

  static int info(MemorySegment body) {
    DeviceInfo.ARGSZ.set(body, DeviceInfo.SIZE);
    DeviceInfo.FLAGS.setBits(body, DeviceInfo.FLAG_RESET | DeviceInfo.FLAG_PCI);
    DeviceInfo.NUM_REGIONS.set(body, VfioPci.NUM_REGIONS);
    DeviceInfo.NUM_IRQS.set(body, VfioPci.NUM_IRQS);
    return (int) DeviceInfo.SIZE;
  }

  /**
   * A region. When the client has no room for the capability, it is told by argsz how much it
   * needs, and asks again. The short reply names the offset all the same: QEMU refuses the region
   * when the flag comes without one.
   */
  static int regionInfo(MemorySegment body, DeviceRegion region, Request.GetRegionInfo request) {
    int size = (int) RegionInfo.SIZE;
    int flags = region.sizeBytes() == 0 ? 0 : RegionInfo.FLAG_READ | RegionInfo.FLAG_WRITE;
    int needed = size;
    int capOffset = 0;
    long fileOffset = 0;
    if (region instanceof MappedBar bar) {
      flags |= RegionInfo.FLAG_MMAP;
      fileOffset = bar.fileOffset();
      if (bar.isSparse()) {
        flags |= RegionInfo.FLAG_CAPS;
        needed += SPARSE_BYTES;
        capOffset = size;
        if (request.replyBytes() >= needed) {
          sparse(body, capOffset, bar);
        }
      }
    }
    RegionInfo.ARGSZ.set(body, needed);
    RegionInfo.FLAGS.setBits(body, flags);
    RegionInfo.INDEX.setBits(body, request.index());
    RegionInfo.CAP_OFFSET.set(body, capOffset);
    RegionInfo.SIZE_FIELD.set(body, region.sizeBytes());
    RegionInfo.OFFSET.set(body, fileOffset);
    return request.replyBytes() >= needed ? needed : size;
  }

  private static void sparse(MemorySegment body, long at, MappedBar bar) {
    InfoCapHeader.ID.set(body, at, InfoCapHeader.SPARSE_MMAP);
    InfoCapHeader.VERSION.set(body, at, SPARSE_VERSION);
    InfoCapHeader.NEXT.set(body, at, 0);
    SparseMmap.NR_AREAS.set(body, at, 1); // behind the header, which is part of it
    SparseMmap.RESERVED.set(body, at, 0);
    SparseArea.OFFSET.set(body, at + SparseMmap.SIZE, 0);
    SparseArea.SIZE_FIELD.set(body, at + SparseMmap.SIZE, bar.mappedBytes());
  }

  /** The descriptor of a region, with the reply that is complete. */
  static List<Fd> regionFds(DeviceRegion region, Request.GetRegionInfo request) {
    if (region instanceof MappedBar bar) {
      long needed = RegionInfo.SIZE + (bar.isSparse() ? SPARSE_BYTES : 0);
      return request.replyBytes() >= needed ? List.of(bar.file()) : List.of();
    }
    return List.of();
  }

  /** None are offered: what is trapped is rare, and answers what it reads. */
  static int regionIoFds(MemorySegment body, Request.GetRegionIoFds request) {
    RegionIoFds.ARGSZ.set(body, RegionIoFds.SIZE);
    RegionIoFds.FLAGS.set(body, 0);
    RegionIoFds.INDEX.setBits(body, request.index());
    RegionIoFds.COUNT.set(body, 0);
    return (int) RegionIoFds.SIZE;
  }

  /** Fewer bytes than were asked for: there are no more, or while the device runs none now. */
  static int migrationData(
      MemorySegment body, ClientMigration migration, Request.MigrationRead request) {
    int read = migration.read(body.asSlice(MigData.SIZE, request.sizeBytes()));
    MigData.ARGSZ.set(body, (int) MigData.SIZE + read);
    MigData.SIZE_FIELD.setBits(body, read);
    return (int) MigData.SIZE + read;
  }

  static int irqInfo(MemorySegment body, Request.GetIrqInfo request, int count) {
    IrqInfo.ARGSZ.set(body, IrqInfo.SIZE);
    IrqInfo.FLAGS.setBits(body, count == 0 ? 0 : IrqInfo.FLAG_EVENTFD);
    IrqInfo.INDEX.setBits(body, request.index());
    IrqInfo.COUNT.setBits(body, count);
    return (int) IrqInfo.SIZE;
  }
}
