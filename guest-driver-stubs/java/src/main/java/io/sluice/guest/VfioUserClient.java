package io.sluice.guest;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The client's side of a vfio-user connection: one request at a time, each waiting for its reply.
 * Protocol: QEMU's docs/interop/vfio-user.rst.
 */
final class VfioUserClient implements AutoCloseable {
  static final int CONFIG_REGION = 7;

  private static final int VERSION = 1;
  private static final int DMA_MAP = 2;
  private static final int DMA_UNMAP = 3;
  private static final int DEVICE_GET_REGION_INFO = 5;
  private static final int DEVICE_SET_IRQS = 8;
  private static final int REGION_READ = 9;
  private static final int REGION_WRITE = 10;
  private static final int DEVICE_RESET = 13;

  private static final int HEADER = 16;
  private static final int TYPE_REPLY = 1;
  private static final int FLAG_ERROR = 1 << 5;
  private static final int MAX_MESSAGE = 1 << 16;
  private static final int MSIX_INDEX = 2;
  private static final int SET_EVENTFD_TRIGGER = 0x24;
  private static final String CAPABILITIES =
      "{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":1048576,\"pgsizes\":4096}}";

  private final Kernel kernel;
  private final Fd socket;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment out = arena.allocate(MAX_MESSAGE, 8);
  private final MemorySegment in = arena.allocate(MAX_MESSAGE, 8);
  private final FdList received = new FdList();
  private int nextId = 1;

  VfioUserClient(Kernel kernel, Path path) {
    this.kernel = kernel;
    this.socket = kernel.connect(path);
  }

  /** What a region is, and the file to map it by. */
  record Region(long sizeBytes, long fileOffset, List<Fd> fds) {}

  /** VERSION. */
  synchronized void negotiate() {
    byte[] json = CAPABILITIES.getBytes(StandardCharsets.UTF_8);
    Wire.u16(out, HEADER, 0);
    Wire.u16(out, HEADER + 2, 0);
    MemorySegment.copy(json, 0, out, ValueLayout.JAVA_BYTE, HEADER + 4, json.length);
    out.set(ValueLayout.JAVA_BYTE, HEADER + 4 + json.length, (byte) 0);
    exchange(VERSION, 4 + json.length + 1, List.of());
    if (Wire.u16(in, HEADER) != 0) {
      throw new DeviceLostException("the server speaks vfio-user " + Wire.u16(in, HEADER));
    }
  }

  /** DEVICE_GET_REGION_INFO; the caller closes the descriptors. */
  synchronized Region region(int index) {
    int argsz = 32;
    for (int attempt = 0; attempt < 2; attempt++) {
      Wire.u32(out, HEADER, argsz);
      Wire.u32(out, HEADER + 4, 0);
      Wire.u32(out, HEADER + 8, index);
      Wire.u32(out, HEADER + 12, 0);
      Wire.u64(out, HEADER + 16, 0);
      Wire.u64(out, HEADER + 24, 0);
      exchange(DEVICE_GET_REGION_INFO, 32, List.of());
      int wanted = Wire.u32(in, HEADER);
      if (wanted <= argsz || received.size() > 0) {
        break;
      }
      argsz = wanted;
    }
    List<Fd> fds = new java.util.ArrayList<>();
    while (received.size() > 0) {
      fds.add(received.take());
    }
    return new Region(Wire.u64(in, HEADER + 16), Wire.u64(in, HEADER + 24), List.copyOf(fds));
  }

  /** REGION_READ of four bytes. */
  synchronized int read32(int region, long offset) {
    access(region, offset, 4);
    exchange(REGION_READ, 16, List.of());
    return Wire.u32(in, HEADER + 16);
  }

  /** REGION_WRITE of four bytes. */
  synchronized void write32(int region, long offset, int value) {
    access(region, offset, 4);
    Wire.u32(out, HEADER + 16, value);
    exchange(REGION_WRITE, 20, List.of());
  }

  private void access(int region, long offset, int count) {
    Wire.u64(out, HEADER, offset);
    Wire.u32(out, HEADER + 8, region);
    Wire.u32(out, HEADER + 12, count);
  }

  /** DMA_MAP, readable and writable. */
  synchronized void dmaMap(Fd fd, long offset, long iova, long sizeBytes) {
    Wire.u32(out, HEADER, 32);
    Wire.u32(out, HEADER + 4, 3);
    Wire.u64(out, HEADER + 8, offset);
    Wire.u64(out, HEADER + 16, iova);
    Wire.u64(out, HEADER + 24, sizeBytes);
    exchange(DMA_MAP, 32, List.of(fd));
  }

  /** DMA_UNMAP. */
  synchronized void dmaUnmap(long iova, long sizeBytes) {
    Wire.u32(out, HEADER, 24);
    Wire.u32(out, HEADER + 4, 0);
    Wire.u64(out, HEADER + 8, iova);
    Wire.u64(out, HEADER + 16, sizeBytes);
    exchange(DMA_UNMAP, 24, List.of());
  }

  /** DEVICE_SET_IRQS: an eventfd for one MSI-X vector. */
  synchronized void vector(int vector, Fd eventfd) {
    Wire.u32(out, HEADER, 20);
    Wire.u32(out, HEADER + 4, SET_EVENTFD_TRIGGER);
    Wire.u32(out, HEADER + 8, MSIX_INDEX);
    Wire.u32(out, HEADER + 12, vector);
    Wire.u32(out, HEADER + 16, 1);
    exchange(DEVICE_SET_IRQS, 20, List.of(eventfd));
  }

  /** DEVICE_RESET. */
  synchronized void reset() {
    exchange(DEVICE_RESET, 0, List.of());
  }

  /**
   * Sends what stands in {@link #out} and waits for the reply, which then stands in {@link #in}.
   */
  private void exchange(int command, int payload, List<Fd> fds) {
    received.closeAll();
    int id = nextId++ & 0xffff;
    Wire.u16(out, 0, id);
    Wire.u16(out, 2, command);
    Wire.u32(out, 4, HEADER + payload);
    Wire.u32(out, 8, 0);
    Wire.u32(out, 12, 0);
    kernel.sendmsg(socket, out.asSlice(0, HEADER + payload), fds);
    readFully(0, HEADER);
    int size = Wire.u32(in, 4);
    if (size < HEADER || size > MAX_MESSAGE) {
      throw new DeviceLostException("the server sent a message of " + size + " bytes");
    }
    readFully(HEADER, size - HEADER);
    int flags = Wire.u32(in, 8);
    if (Wire.u16(in, 0) != id || (flags & 0xf) != TYPE_REPLY) {
      throw new DeviceLostException("the server answered another request");
    }
    if ((flags & FLAG_ERROR) != 0) {
      throw new CallFailedException("vfio-user command " + command, Wire.u32(in, 12));
    }
  }

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
    socket.close();
    arena.close();
  }
}
