package io.sluice.guest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.vfio.DeviceFeature;
import io.sluice.abi.vfio.DmaMap;
import io.sluice.abi.vfio.DmaUnmap;
import io.sluice.abi.vfio.IrqSet;
import io.sluice.abi.vfio.MigData;
import io.sluice.abi.vfio.RegionAccess;
import io.sluice.abi.vfio.RegionInfo;
import io.sluice.abi.vfio.VersionMessage;
import io.sluice.abi.vfio.VfioPci;
import io.sluice.abi.vfio.VfioUserCommand;
import io.sluice.abi.vfio.VfioUserHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The client's side of a vfio-user connection: one request at a time, each waiting for its reply.
 * Protocol: QEMU's docs/interop/vfio-user.rst.
 */
final class VfioUserClient implements DeviceLink {
  private static final int HEADER = (int) VfioUserHeader.SIZE;
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int MAX_MESSAGE = 1 << 16;

  /** Bytes of migration data in a message. */
  static final int MIGRATION_CHUNK = 48 << 10;

  /** Bytes of a page of the memory that it shares, and granularity of its DMA maps. */
  static final int PAGE_BYTES = 4096;

  private static final String CAPABILITIES =
      "{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":1048576,\"pgsizes\":"
          + PAGE_BYTES
          + "}}";

  private final Kernel kernel;
  private final Fd socket;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment out = arena.allocate(MAX_MESSAGE, 8);
  private final MemorySegment in = arena.allocate(MAX_MESSAGE, 8);

  @GuardedBy("this")
  private final FdList received = new FdList();

  @GuardedBy("this")
  private int nextId = 1;

  /** What is shared, by bus address: another server needs it too, if the device moves there. */
  @GuardedBy("this")
  private final Map<Long, SharedRegion> shares = new TreeMap<>();

  /** Memory that is shared; the descriptor is ours. */
  record SharedRegion(Fd fd, Mapping mapping) {}

  private VfioUserClient(Kernel kernel, Path path) {
    this.kernel = kernel;
    this.socket = kernel.connect(path);
  }

  /** Connects and agrees on the version. */
  static VfioUserClient connect(Kernel kernel, Path path) {
    VfioUserClient client = new VfioUserClient(kernel, path);
    boolean connected = false;
    try {
      client.negotiate();
      connected = true;
      return client;
    } finally {
      if (!connected) {
        client.close();
      }
    }
  }

  /** A region, and the file to map it by. */
  private record Region(long sizeBytes, long fileOffset, List<Fd> fds) {}

  /** VERSION. */
  private synchronized void negotiate() {
    byte[] json = CAPABILITIES.getBytes(StandardCharsets.UTF_8);
    int text = HEADER + (int) VersionMessage.SIZE;
    VersionMessage.MAJOR.set(out, HEADER, 0);
    VersionMessage.MINOR.set(out, HEADER, 0);
    MemorySegment.copy(json, 0, out, ValueLayout.JAVA_BYTE, text, json.length);
    out.set(ValueLayout.JAVA_BYTE, text + json.length, (byte) 0);
    exchange(VfioUserCommand.VERSION, (int) VersionMessage.SIZE + json.length + 1, List.of());
    int major = VersionMessage.MAJOR.get(in, HEADER);
    if (major != 0) {
      throw new DeviceLostException("the server speaks vfio-user " + major);
    }
  }

  /** DEVICE_GET_REGION_INFO; the caller closes the descriptors. */
  private synchronized Region region(int index) {
    long argsz = RegionInfo.SIZE;
    for (int attempt = 0; attempt < 2; attempt++) {
      out.asSlice(HEADER, RegionInfo.SIZE).fill((byte) 0);
      RegionInfo.ARGSZ.set(out, HEADER, argsz);
      RegionInfo.INDEX.setBits(out, HEADER, index);
      exchange(VfioUserCommand.DEVICE_GET_REGION_INFO, (int) RegionInfo.SIZE, List.of());
      long wanted = RegionInfo.ARGSZ.get(in, HEADER);
      if (wanted <= argsz || received.size() > 0) {
        break;
      }
      argsz = wanted;
    }
    List<Fd> fds = new ArrayList<>();
    while (received.size() > 0) {
      fds.add(received.take());
    }
    return new Region(
        RegionInfo.SIZE_FIELD.get(in, HEADER), RegionInfo.OFFSET.get(in, HEADER), List.copyOf(fds));
  }

  @Override
  public Mapping map(int index) {
    Region region = region(index);
    try {
      if (region.fds().isEmpty()) {
        throw new DeviceLostException("region " + index + " has no memory to map");
      }
      Fd fd = region.fds().get(0);
      FileStatus status = kernel.fstat(fd); // a GPU's device node has no size
      long behind =
          status.isRegular() ? status.sizeBytes() - region.fileOffset() : region.sizeBytes();
      return kernel.mmap(
          fd,
          region.fileOffset(),
          Math.min(region.sizeBytes(), behind),
          Kernel.PROT_READ | Kernel.PROT_WRITE);
    } finally {
      region.fds().forEach(Fd::close);
    }
  }

  /** REGION_READ of four bytes. */
  @Override
  public synchronized int read(int offset) {
    access(VfioPci.BAR0_REGION, offset);
    exchange(VfioUserCommand.REGION_READ, (int) RegionAccess.SIZE, List.of());
    return in.get(U32, HEADER + RegionAccess.SIZE);
  }

  /** REGION_WRITE of four bytes. */
  @Override
  public synchronized void write(int offset, int value) {
    access(VfioPci.BAR0_REGION, offset);
    out.set(U32, HEADER + RegionAccess.SIZE, value);
    exchange(VfioUserCommand.REGION_WRITE, (int) RegionAccess.SIZE + 4, List.of());
  }

  /** A reply is wanted to the last alone: the server takes them in order, while others are sent. */
  @Override
  public synchronized void writeEach(int offset, int count) {
    int payload = (int) RegionAccess.SIZE + 4;
    for (int value = 0; value < count - 1; value++) {
      access(VfioPci.BAR0_REGION, offset);
      out.set(U32, HEADER + RegionAccess.SIZE, value);
      header(VfioUserCommand.REGION_WRITE, payload, VfioUserHeader.FLAG_NO_REPLY);
      kernel.sendmsg(socket, out.asSlice(0, HEADER + payload), List.of());
    }
    write(offset, count - 1);
  }

  private void access(int region, long offset) {
    RegionAccess.OFFSET.set(out, HEADER, offset);
    RegionAccess.REGION.setBits(out, HEADER, region);
    RegionAccess.COUNT.set(out, HEADER, 4);
  }

  /** DMA_MAP, readable and writable. */
  @Override
  public synchronized void share(Fd fd, Mapping mapping, long iova) {
    DmaMap.ARGSZ.set(out, HEADER, DmaMap.SIZE);
    DmaMap.FLAGS.setBits(out, HEADER, DmaMap.FLAG_READ | DmaMap.FLAG_WRITE);
    DmaMap.OFFSET.set(out, HEADER, 0);
    DmaMap.ADDR.set(out, HEADER, iova);
    DmaMap.SIZE_FIELD.set(out, HEADER, mapping.sizeBytes());
    exchange(VfioUserCommand.DMA_MAP, (int) DmaMap.SIZE, List.of(fd));
    shares.put(iova, new SharedRegion(kernel.dup(fd), mapping));
  }

  /** What is shared, by bus address. */
  synchronized Map<Long, SharedRegion> shares() {
    return new TreeMap<>(shares);
  }

  /** DMA_UNMAP. */
  @Override
  public synchronized void unshare(long iova, long sizeBytes) {
    DmaUnmap.ARGSZ.set(out, HEADER, DmaUnmap.SIZE);
    DmaUnmap.FLAGS.set(out, HEADER, 0);
    DmaUnmap.ADDR.set(out, HEADER, iova);
    DmaUnmap.SIZE_FIELD.set(out, HEADER, sizeBytes);
    exchange(VfioUserCommand.DMA_UNMAP, (int) DmaUnmap.SIZE, List.of());
    SharedRegion share = shares.remove(iova);
    if (share != null) {
      share.fd().close();
    }
  }

  // ---- migration ----

  /**
   * DEVICE_FEATURE: reads a feature.
   *
   * @param request its data
   * @param most bytes of data that are wanted
   * @return its data
   */
  synchronized byte[] feature(int feature, byte[] request, int most) {
    return feature(feature | DeviceFeature.GET, request, DeviceFeature.SIZE + most);
  }

  /** DEVICE_FEATURE: sets a feature; the data as they are then. */
  synchronized byte[] setFeature(int feature, byte[] request) {
    return feature(feature | DeviceFeature.SET, request, DeviceFeature.SIZE + request.length);
  }

  @GuardedBy("this")
  private byte[] feature(int flags, byte[] request, long argsz) {
    DeviceFeature.ARGSZ.set(out, HEADER, argsz);
    DeviceFeature.FLAGS.setBits(out, HEADER, flags);
    long at = HEADER + DeviceFeature.SIZE;
    MemorySegment.copy(request, 0, out, ValueLayout.JAVA_BYTE, at, request.length);
    exchange(VfioUserCommand.DEVICE_FEATURE, (int) DeviceFeature.SIZE + request.length, List.of());
    return in.asSlice(at, VfioUserHeader.MSG_SIZE.get(in) - at).toArray(ValueLayout.JAVA_BYTE);
  }

  /**
   * MIG_DATA_READ: fewer bytes than {@link #MIGRATION_CHUNK} when there are no more, or none now.
   */
  synchronized byte[] readMigration() {
    MigData.ARGSZ.set(out, HEADER, MigData.SIZE + MIGRATION_CHUNK);
    MigData.SIZE_FIELD.set(out, HEADER, MIGRATION_CHUNK);
    exchange(VfioUserCommand.MIG_DATA_READ, (int) MigData.SIZE, List.of());
    long size = MigData.SIZE_FIELD.get(in, HEADER);
    return in.asSlice(HEADER + MigData.SIZE, size).toArray(ValueLayout.JAVA_BYTE);
  }

  /** MIG_DATA_WRITE of at most {@link #MIGRATION_CHUNK} bytes. */
  synchronized void writeMigration(byte[] data, int offset, int bytes) {
    MigData.ARGSZ.set(out, HEADER, MigData.SIZE + bytes);
    MigData.SIZE_FIELD.set(out, HEADER, bytes);
    long at = HEADER + MigData.SIZE;
    MemorySegment.copy(data, offset, out, ValueLayout.JAVA_BYTE, at, bytes);
    exchange(VfioUserCommand.MIG_DATA_WRITE, (int) MigData.SIZE + bytes, List.of());
  }

  /** One by one: a message carries fewer descriptors than there may be vectors. */
  @Override
  public void vectors(List<Fd> eventfds) {
    for (int i = 0; i < eventfds.size(); i++) {
      vector(i, eventfds.get(i));
    }
  }

  /** DEVICE_SET_IRQS: an eventfd for one MSI-X vector. */
  private synchronized void vector(int vector, Fd eventfd) {
    IrqSet.ARGSZ.set(out, HEADER, IrqSet.SIZE);
    IrqSet.FLAGS.setBits(out, HEADER, IrqSet.DATA_EVENTFD | IrqSet.ACTION_TRIGGER);
    IrqSet.INDEX.setBits(out, HEADER, VfioPci.MSIX_IRQ);
    IrqSet.START.setBits(out, HEADER, vector);
    IrqSet.COUNT.set(out, HEADER, 1);
    exchange(VfioUserCommand.DEVICE_SET_IRQS, (int) IrqSet.SIZE, List.of(eventfd));
  }

  @Override
  public Optional<Fd> host() {
    return Optional.of(socket);
  }

  /** DEVICE_RESET. */
  @Override
  public synchronized void reset() {
    exchange(VfioUserCommand.DEVICE_RESET, 0, List.of());
  }

  /**
   * Sends what stands in {@link #out} and waits for the reply, which then stands in {@link #in}.
   */
  @GuardedBy("this")
  private void exchange(int command, int payload, List<Fd> fds) {
    received.closeAll();
    int id = header(command, payload, 0);
    kernel.sendmsg(socket, out.asSlice(0, HEADER + payload), fds);
    readFully(0, HEADER);
    long size = VfioUserHeader.MSG_SIZE.get(in);
    if (size < HEADER || size > MAX_MESSAGE) {
      throw new DeviceLostException("the server sent a message of " + size + " bytes");
    }
    readFully(HEADER, (int) size - HEADER);
    int flags = VfioUserHeader.FLAGS.bits(in);
    if (VfioUserHeader.MSG_ID.get(in) != id
        || (flags & VfioUserHeader.TYPE_MASK) != VfioUserHeader.TYPE_REPLY) {
      throw new DeviceLostException("the server answered another request");
    }
    if ((flags & VfioUserHeader.FLAG_ERROR) != 0) {
      throw new CallFailedException(
          "vfio-user command " + command, VfioUserHeader.ERROR_NO.bits(in));
    }
  }

  /** Writes the header of what stands in {@link #out}; returns the message's id. */
  @GuardedBy("this")
  private int header(int command, int payload, int flags) {
    int id = nextId++ & 0xffff;
    VfioUserHeader.MSG_ID.set(out, id);
    VfioUserHeader.CMD.set(out, command);
    VfioUserHeader.MSG_SIZE.set(out, HEADER + payload);
    VfioUserHeader.FLAGS.setBits(out, VfioUserHeader.TYPE_COMMAND | flags);
    VfioUserHeader.ERROR_NO.set(out, 0);
    return id;
  }

  @GuardedBy("this")
  private void readFully(long offset, long bytes) {
    for (long done = 0; done < bytes; ) {
      long n = kernel.recvmsg(socket, in.asSlice(offset + done, bytes - done), received);
      if (n <= 0) {
        throw new DeviceLostException("the server closed the connection");
      }
      done += n;
    }
  }

  @Override
  public synchronized void close() {
    received.closeAll();
    shares.values().forEach(share -> share.fd().close());
    shares.clear();
    socket.close();
    arena.close();
  }
}
