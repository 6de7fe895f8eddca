package io.sluice.vdevice.protocol;

import io.sluice.abi.Errno;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.vfio.DeviceFeature;
import io.sluice.abi.vfio.DeviceInfo;
import io.sluice.abi.vfio.DmaMap;
import io.sluice.abi.vfio.DmaUnmap;
import io.sluice.abi.vfio.IrqInfo;
import io.sluice.abi.vfio.IrqSet;
import io.sluice.abi.vfio.MigData;
import io.sluice.abi.vfio.RegionInfo;
import io.sluice.abi.vfio.RegionIoFds;
import io.sluice.abi.vfio.VersionMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The parser of message bodies. It takes bytes and a count of descriptors, nothing else, so that it
 * can be fuzzed by itself. The caller has checked the body's length against {@link
 * Command#allowsBody}.
 *
 * <p>Flags that are not known are errors. All refusals are EINVAL unless a method says otherwise.
 */
public final class RequestDecoder {
  private static final int DMA_MAP_KNOWN = DmaMap.FLAG_READ | DmaMap.FLAG_WRITE;

  private static final int FEATURE_KNOWN =
      DeviceFeature.FEATURE_MASK | DeviceFeature.GET | DeviceFeature.SET | DeviceFeature.PROBE;

  private static final int IRQ_KNOWN = IrqSet.DATA_MASK | IrqSet.ACTION_TYPE_MASK;

  private RequestDecoder() {}

  /**
   * Parses the body of one command.
   *
   * @param command not one of the data path, nor one that a client cannot send
   * @param body starts with the body
   * @param bytes length of the body
   * @param fds descriptors that came along
   * @throws RefusedException what is wrong with it
   */
  public static Request decode(Command command, MemorySegment body, int bytes, int fds) {
    return switch (command) {
      case VERSION -> version(body, bytes);
      case DMA_MAP -> dmaMap(body);
      case DMA_UNMAP -> dmaUnmap(body);
      case DEVICE_GET_INFO -> getInfo(body);
      case DEVICE_GET_REGION_INFO -> getRegionInfo(body);
      case DEVICE_GET_REGION_IO_FDS -> getRegionIoFds(body);
      case DEVICE_GET_IRQ_INFO -> getIrqInfo(body);
      case DEVICE_SET_IRQS -> setIrqs(body, bytes, fds);
      case DEVICE_RESET -> new Request.Reset();
      case DEVICE_FEATURE -> deviceFeature(body, bytes);
      case MIG_DATA_READ -> migrationRead(body);
      case MIG_DATA_WRITE -> migrationWrite(body, bytes);
      case DMA_READ, DMA_WRITE -> throw refused(command + " is for the server to send");
      case DIRTY_PAGES ->
          throw new RefusedException(
              DeviceCode.DIRTY_PAGES,
              Errno.EOPNOTSUPP,
              "DIRTY_PAGES was removed from the protocol",
              "");
      case REGION_READ, REGION_WRITE, REGION_WRITE_MULTI -> throw new AssertionError(command);
    };
  }

  private static Request version(MemorySegment body, int bytes) {
    long head = VersionMessage.SIZE;
    byte[] data = body.asSlice(head, bytes - head).toArray(ValueLayout.JAVA_BYTE);
    int major = VersionMessage.MAJOR.get(body);
    int minor = VersionMessage.MINOR.get(body);
    require(major == 0, "major version is not 0, major=" + major);
    return new Request.Version(major, minor, VersionData.parse(data));
  }

  private static Request dmaMap(MemorySegment body) {
    argsz(DmaMap.ARGSZ.get(body), DmaMap.SIZE);
    int flags = DmaMap.FLAGS.bits(body);
    require((flags & ~DMA_MAP_KNOWN) == 0, "unknown map flags, flags=" + flags);
    require(flags != 0, "map allows nothing, flags=0");
    return new Request.DmaMap(
        new Iova(DmaMap.ADDR.get(body)),
        DmaMap.SIZE_FIELD.get(body),
        DmaMap.OFFSET.get(body),
        (flags & DmaMap.FLAG_READ) != 0,
        (flags & DmaMap.FLAG_WRITE) != 0);
  }

  private static Request dmaUnmap(MemorySegment body) {
    argsz(DmaUnmap.ARGSZ.get(body), DmaUnmap.SIZE);
    int flags = DmaUnmap.FLAGS.bits(body);
    if ((flags & DmaUnmap.FLAG_GET_DIRTY_BITMAP) != 0) {
      throw new RefusedException(
          DeviceCode.UNMAP_BITMAP,
          Errno.EOPNOTSUPP,
          "unmap with a dirty bitmap is not offered",
          "");
    }
    require((flags & ~DmaUnmap.FLAG_ALL) == 0, "unknown unmap flags, flags=" + flags);
    boolean all = (flags & DmaUnmap.FLAG_ALL) != 0;
    long address = DmaUnmap.ADDR.get(body);
    long size = DmaUnmap.SIZE_FIELD.get(body);
    require(!all || (address == 0 && size == 0), "unmap of all maps names a range");
    return new Request.DmaUnmap(new Iova(address), size, all);
  }

  private static Request getInfo(MemorySegment body) {
    argsz(DeviceInfo.ARGSZ.get(body), DeviceInfo.SIZE);
    return new Request.GetInfo();
  }

  private static Request getRegionInfo(MemorySegment body) {
    argsz(RegionInfo.ARGSZ.get(body), RegionInfo.SIZE);
    return new Request.GetRegionInfo(RegionInfo.INDEX.bits(body), RegionInfo.ARGSZ.get(body));
  }

  private static Request getRegionIoFds(MemorySegment body) {
    argsz(RegionIoFds.ARGSZ.get(body), RegionIoFds.SIZE);
    require(RegionIoFds.FLAGS.get(body) == 0, "flags of GET_REGION_IO_FDS are not 0");
    require(RegionIoFds.COUNT.get(body) == 0, "count of GET_REGION_IO_FDS is not 0");
    return new Request.GetRegionIoFds(RegionIoFds.INDEX.bits(body));
  }

  private static Request getIrqInfo(MemorySegment body) {
    argsz(IrqInfo.ARGSZ.get(body), IrqInfo.SIZE);
    return new Request.GetIrqInfo(IrqInfo.INDEX.bits(body));
  }

  private static Request setIrqs(MemorySegment body, int bytes, int fds) {
    int flags = IrqSet.FLAGS.bits(body);
    require((flags & ~IRQ_KNOWN) == 0, "unknown IRQ flags, flags=" + flags);
    Request.IrqData data =
        switch (flags & IrqSet.DATA_MASK) {
          case IrqSet.DATA_NONE -> Request.IrqData.NONE;
          case IrqSet.DATA_BOOL -> Request.IrqData.BOOL;
          case IrqSet.DATA_EVENTFD -> Request.IrqData.EVENTFD;
          default -> throw refused("not exactly one kind of IRQ data, flags=" + flags);
        };
    Request.IrqAction action =
        switch (flags & IrqSet.ACTION_TYPE_MASK) {
          case IrqSet.ACTION_MASK -> Request.IrqAction.MASK;
          case IrqSet.ACTION_UNMASK -> Request.IrqAction.UNMASK;
          case IrqSet.ACTION_TRIGGER -> Request.IrqAction.TRIGGER;
          default -> throw refused("not exactly one IRQ action, flags=" + flags);
        };
    long start = IrqSet.START.get(body);
    long count = IrqSet.COUNT.get(body);
    require(start <= Limits.MAX_VECTORS, "no such IRQ, start=" + start);
    require(count <= Limits.MAX_VECTORS, "too many IRQs, count=" + count);
    long dataBytes = data == Request.IrqData.BOOL ? count : 0;
    require(bytes == IrqSet.SIZE + dataBytes, "IRQ data has a wrong length, bytes=" + bytes);
    argsz(IrqSet.ARGSZ.get(body), IrqSet.SIZE + dataBytes);
    boolean eventfds = data == Request.IrqData.EVENTFD;
    require(fds == 0 || (eventfds && fds == count), "descriptors do not match, fds=" + fds);
    require(count > 0 || (data == Request.IrqData.NONE && start == 0), "IRQ range is empty");
    return new Request.SetIrqs(
        IrqSet.INDEX.bits(body),
        (int) start,
        (int) count,
        data,
        action,
        selected(body, data, count));
  }

  private static long selected(MemorySegment body, Request.IrqData data, long count) {
    long selected = 0;
    if (data == Request.IrqData.BOOL) {
      for (int i = 0; i < count; i++) {
        if (body.get(ValueLayout.JAVA_BYTE, IrqSet.SIZE + i) != 0) {
          selected |= 1L << i;
        }
      }
    }
    return selected;
  }

  private static Request deviceFeature(MemorySegment body, int bytes) {
    argsz(DeviceFeature.ARGSZ.get(body), DeviceFeature.SIZE);
    int flags = DeviceFeature.FLAGS.bits(body);
    require((flags & ~FEATURE_KNOWN) == 0, "unknown feature flags, flags=" + flags);
    boolean get = (flags & DeviceFeature.GET) != 0;
    boolean set = (flags & DeviceFeature.SET) != 0;
    boolean probe = (flags & DeviceFeature.PROBE) != 0;
    require(get || set || probe, "feature is neither read, set nor probed");
    require(probe || !(get && set), "feature is read and set at once");
    return new Request.DeviceFeature(
        flags & DeviceFeature.FEATURE_MASK,
        get,
        set,
        probe,
        DeviceFeature.ARGSZ.get(body),
        body.asSlice(DeviceFeature.SIZE, bytes - DeviceFeature.SIZE));
  }

  private static Request migrationRead(MemorySegment body) {
    argsz(MigData.ARGSZ.get(body), MigData.SIZE + migrationBytes(body));
    return new Request.MigrationRead((int) migrationBytes(body));
  }

  /** Its reply has no body, so argsz says nothing. */
  private static Request migrationWrite(MemorySegment body, int bytes) {
    argsz(MigData.ARGSZ.get(body), MigData.SIZE);
    long size = migrationBytes(body);
    require(bytes == MigData.SIZE + size, "migration data has a wrong length, bytes=" + bytes);
    return new Request.MigrationWrite(body.asSlice(MigData.SIZE, size));
  }

  private static long migrationBytes(MemorySegment body) {
    long size = MigData.SIZE_FIELD.get(body);
    require(size <= Limits.MAX_DATA_BYTES, "too much migration data, size=" + size);
    return size;
  }

  private static void argsz(long argsz, long least) {
    require(argsz >= least, "argsz is too small, argsz=" + argsz + ", least=" + least);
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw refused(what);
    }
  }

  private static RefusedException refused(String what) {
    return new RefusedException(DeviceCode.MALFORMED, Errno.EINVAL, what, "");
  }
}
