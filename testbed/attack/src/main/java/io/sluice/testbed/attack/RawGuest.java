package io.sluice.testbed.attack;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * A client of a guest's socket that says exactly what it is told to: vfio-user messages and calls
 * in BAR 1 as words, with no check of its own. It never waits for ever.
 */
final class RawGuest implements AutoCloseable {
  static final int VERSION = 1;
  static final int DMA_MAP = 2;
  static final int DMA_UNMAP = 3;
  static final int REGION_INFO = 5;
  static final int SET_IRQS = 8;
  static final int REGION_READ = 9;
  static final int REGION_WRITE = 10;
  static final int DEVICE_RESET = 13;
  static final int DEVICE_FEATURE = 16;

  static final int HEADER = 16;

  // Calls.
  static final int FREE = 4;
  static final int SPACE_FREE = 6;
  static final int CHANNEL_FREE = 8;
  static final int MAP = 9;
  static final int REGISTER = 15;

  static final int SLOT_BYTES = 256;
  private static final int SLOT_COMMAND = 4;
  private static final int SLOT_STATUS = 8;
  private static final int SLOT_DONE = 12;
  private static final int SLOT_ARGS = 16;
  private static final int DOORBELL = 0x100;
  private static final int TOGETHER = 32;
  private static final int ERROR = 0x20;
  private static final int NO_REPLY = 0x10;
  private static final int PATIENCE_MS = 60_000;
  private static final int MOST_REPLY = 1 << 21;

  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final String CAPABILITIES =
      "{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":1048576,\"pgsizes\":4096,"
          + "\"write_multiple\":true}}\0";

  final Kernel kernel;
  private final Fd socket;
  private final Map<Integer, Mapping> bars = new HashMap<>();
  private final int[] seq = new int[64];
  private int nextId = 1;

  /** A reply: an errno or 0, and bytes. */
  record Reply(int errno, ByteBuffer body) {}

  /** The host said no, or nothing, or has closed the connection. */
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refused(String what) {
      super(what);
    }
  }

  RawGuest(Kernel kernel, Path path) {
    this.kernel = kernel;
    socket = kernel.connect(path);
    kernel.setReceiveTimeout(socket, PATIENCE_MS);
  }

  /** A client that has agreed on the version. */
  static RawGuest attach(Kernel kernel, Path path) {
    RawGuest guest = new RawGuest(kernel, path);
    try {
      guest.negotiate();
      return guest;
    } catch (RuntimeException e) {
      guest.close();
      throw e;
    }
  }

  /** What it is connected by; stays this object's. */
  Fd socket() {
    return socket;
  }

  void negotiate() {
    byte[] json = CAPABILITIES.getBytes(StandardCharsets.UTF_8);
    ok(VERSION, Bytes.of((short) 0, (short) 0, json));
  }

  /** Has vectors of MSI-X signal eventfds, from one on. */
  void interrupts(int first, Fd... eventfds) {
    int eventfdsThatTrigger = 4 | 1 << 5;
    ByteBuffer _ =
        ok(SET_IRQS, Bytes.of(20, eventfdsThatTrigger, 2, first, eventfds.length), eventfds);
  }

  // ---- messages ----

  byte[] header(int command, int size, int flags) {
    return Bytes.of((short) nextId++, (short) command, size, flags, 0);
  }

  void sendRaw(byte[] bytes, Fd... fds) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(Math.max(1, bytes.length), 8);
      MemorySegment.copy(bytes, 0, out, ValueLayout.JAVA_BYTE, 0, bytes.length);
      kernel.sendmsg(socket, out.asSlice(0, bytes.length), List.of(fds));
    } catch (SyscallException e) {
      throw new Refused(e.toString());
    }
  }

  void send(int command, byte[] body, Fd... fds) {
    sendRaw(Bytes.of(header(command, HEADER + body.length, 0), body), fds);
  }

  /** The next message; descriptors that came along are closed, but those of a region. */
  Reply receive(List<Fd> kept) {
    try (Arena arena = Arena.ofConfined()) {
      FdList fds = new FdList();
      MemorySegment head = arena.allocate(HEADER, 8);
      readFully(head, fds);
      int size = head.get(U32, 4) - HEADER;
      if (size < 0 || size > MOST_REPLY) {
        throw new Refused("a reply of " + size + " bytes");
      }
      MemorySegment body = arena.allocate(Math.max(1, size), 8).asSlice(0, size);
      readFully(body, fds);
      while (fds.size() > 0) {
        kept.add(fds.take());
      }
      int errno = (head.get(U32, 8) & ERROR) == 0 ? 0 : head.get(U32, 12);
      byte[] bytes = body.toArray(ValueLayout.JAVA_BYTE);
      return new Reply(errno, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    }
  }

  private void readFully(MemorySegment into, FdList fds) {
    for (long done = 0; done < into.byteSize(); ) {
      long n;
      try {
        n = kernel.recvmsg(socket, into.asSlice(done), fds);
      } catch (SyscallException e) {
        throw new Refused(e.toString());
      }
      if (n <= 0) {
        throw new Refused("the connection was closed");
      }
      done += n;
    }
  }

  Reply request(int command, byte[] body, Fd... fds) {
    List<Fd> came = new ArrayList<>();
    send(command, body, fds);
    try {
      return receive(came);
    } finally {
      came.forEach(Fd::close);
    }
  }

  ByteBuffer ok(int command, byte[] body, Fd... fds) {
    Reply reply = request(command, body, fds);
    if (reply.errno() != 0) {
      throw new Refused("command " + command + ": errno " + reply.errno());
    }
    return reply.body();
  }

  /** Reads until the host closes the connection. */
  void drain() {
    try {
      while (true) {
        Reply _ = receive(new ArrayList<>());
      }
    } catch (Refused _) {
      // closed
    }
  }

  /** The memory of a region. */
  MemorySegment bar(int index) {
    Mapping known = bars.get(index);
    if (known != null) {
      return known.segment();
    }
    List<Fd> fds = new ArrayList<>();
    send(REGION_INFO, Bytes.of(4096, 0, index, 0, 0L, 0L));
    Reply info = receive(fds);
    try {
      if (info.errno() != 0 || fds.isEmpty()) {
        throw new Refused("no region " + index);
      }
      long offset = info.body().getLong(24);
      long size =
          Math.min(info.body().getLong(16), kernel.fstat(fds.getFirst()).sizeBytes() - offset);
      Mapping mapped =
          kernel.mmap(fds.getFirst(), offset, size, Kernel.PROT_READ | Kernel.PROT_WRITE);
      bars.put(index, mapped);
      return mapped.segment();
    } finally {
      fds.forEach(Fd::close);
    }
  }

  int dmaMap(long iova, long size, Fd fd) {
    return request(DMA_MAP, Bytes.of(32, 3, 0L, iova, size), fd).errno();
  }

  int dmaUnmap(long iova, long size) {
    return request(DMA_UNMAP, Bytes.of(24, 0, iova, size)).errno();
  }

  /** Memory of this process, in a file that the host takes. */
  Mapping share(long iova, long size) {
    try (Fd fd = kernel.memfdCreate("attack", size)) {
      if (dmaMap(iova, size, fd) != 0) {
        throw new Refused("memory of " + size + " bytes");
      }
      return kernel.mmap(fd, 0, size, Kernel.PROT_READ | Kernel.PROT_WRITE);
    }
  }

  // ---- calls ----

  void post(int slot, int command, byte[] args) {
    Reply _ = request(REGION_WRITE, posted(slot, command, args));
  }

  /** The same, and no reply to the doorbell is sent. */
  private void postSilently(int slot, int command, byte[] args) {
    byte[] body = posted(slot, command, args);
    sendRaw(Bytes.of(header(REGION_WRITE, HEADER + body.length, NO_REPLY), body));
  }

  /** Fills a slot; what is to be written to the doorbell. */
  private byte[] posted(int slot, int command, byte[] args) {
    MemorySegment bar = bar(1);
    long at = (long) slot * SLOT_BYTES;
    bar.asSlice(at + SLOT_ARGS, SLOT_BYTES - SLOT_ARGS).fill((byte) 0);
    MemorySegment.copy(args, 0, bar, ValueLayout.JAVA_BYTE, at + SLOT_ARGS, args.length);
    bar.set(U32, at + SLOT_COMMAND, command);
    seq[slot] = seq[slot] == -1 ? 1 : seq[slot] + 1;
    ValueLayout.JAVA_INT.varHandle().setRelease(bar, at, seq[slot]);
    return Bytes.of((long) DOORBELL, 0, 4, slot);
  }

  /** Waits for a call; its results. */
  ByteBuffer await(int slot) {
    MemorySegment bar = bar(1);
    long at = (long) slot * SLOT_BYTES;
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
    while ((int) ValueLayout.JAVA_INT.varHandle().getAcquire(bar, at + SLOT_DONE) != seq[slot]) {
      if (System.nanoTime() > end) {
        throw new Refused("a call was not answered");
      }
      LockSupport.parkNanos(20_000);
    }
    int status = bar.get(U32, at + SLOT_STATUS);
    if (status != 1) {
      throw new Refused("a call: " + Errno.nameOf(status & 0x7fff_ffff));
    }
    byte[] args =
        bar.asSlice(at + SLOT_ARGS, SLOT_BYTES - SLOT_ARGS).toArray(ValueLayout.JAVA_BYTE);
    return ByteBuffer.wrap(args).order(ByteOrder.LITTLE_ENDIAN);
  }

  ByteBuffer call(int command, Object... args) {
    post(0, command, Bytes.of(args));
    return await(0);
  }

  int space() {
    return call(5, 0, 0).getInt(0);
  }

  int channel(int space) {
    return call(7, space, 0).getInt(4);
  }

  /** A buffer of video memory. */
  record Video(int handle, long size, long aperture) {}

  Video video(long size) {
    ByteBuffer made = call(2, 0, 0, 0, 0, size, 0L);
    return new Video(made.getInt(12), made.getLong(16), made.getLong(24));
  }

  void free(int handle) {
    ByteBuffer _ = call(FREE, handle, 0);
  }

  /** A buffer without pages. */
  int register(long size) {
    return call(REGISTER, registered(size)).getInt(16);
  }

  /** Arguments of a call that registers a buffer. */
  static byte[] registered(long size) {
    return Bytes.of(4, 0, size, 0, 0);
  }

  void pages(int handle, int count, long offset, long list) {
    ByteBuffer _ = call(16, handle, count, offset, list);
  }

  long map(int space, int handle) {
    return call(MAP, mapped(space, handle)).getLong(32);
  }

  private static byte[] mapped(int space, int handle) {
    return Bytes.of(space, handle, 0, 0, 0x2000_0000L, 1L << 40, 0L);
  }

  /** Maps a buffer so many times; how often it was mapped. */
  int mapAgain(int space, int handle, int times, BooleanSupplier over) {
    return again(MAP, mapped(space, handle), times, over);
  }

  /**
   * Makes the same call so many times, with many under way together, until one is refused or it is
   * over; how often it was done.
   */
  int again(int command, byte[] args, int times, BooleanSupplier over) {
    return together(command, _ -> args, times, over);
  }

  /** The same with ids from 1 on; how many there were. */
  int each(int command, int most, BooleanSupplier over) {
    return together(command, i -> Bytes.of(i + 1, 0), most, over);
  }

  private int together(int command, IntFunction<byte[]> args, int times, BooleanSupplier over) {
    int done = 0;
    boolean refused = false;
    for (int at = 0; at < times && !refused && !over.getAsBoolean(); at += TOGETHER) {
      int count = Math.min(TOGETHER, times - at);
      for (int slot = 0; slot < count; slot++) {
        postSilently(slot, command, args.apply(at + slot));
      }
      for (int slot = 0; slot < count; slot++) {
        try {
          ByteBuffer _ = await(slot);
          done++;
        } catch (Refused _) {
          refused = true;
        }
      }
    }
    return done;
  }

  /** What the guest has is given back; its memory stays mapped. */
  void reset() {
    ByteBuffer _ = ok(DEVICE_RESET, new byte[0]);
  }

  void start(int channel, long ring, int order) {
    ByteBuffer _ = call(14, channel, 0, 1, order, ring);
  }

  @Override
  public void close() {
    bars.values().forEach(Mapping::close);
    bars.clear();
    socket.close();
  }
}
