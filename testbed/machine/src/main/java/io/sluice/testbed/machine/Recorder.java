package io.sluice.testbed.machine;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.vfio.RegionAccess;
import io.sluice.abi.vfio.VfioUserCommand;
import io.sluice.abi.vfio.VfioUserHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A recorder between a vfio-user client and its server: it counts every message that passes, in
 * either direction, so that the claim "no message for a submission" does not rest on the server's
 * own word. Messages are passed on unchanged, descriptors with them; one connection at a time.
 * Tests can have it swallow writes.
 *
 * <p>Each message is read as its 16 header bytes and then its body: a larger first read could take
 * the descriptors of the message after it.
 */
public final class Recorder implements AutoCloseable {
  private static final int HEADER_BYTES = 16;
  private static final int COMMAND_OFFSET = 2;
  private static final int SIZE_OFFSET = 4;
  private static final int MAX_MESSAGE_BYTES = 4 << 20;
  private static final int COMMANDS = 64;
  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /**
   * The choice of writes to registers that the server shall never see, though its client thinks it
   * did.
   */
  @FunctionalInterface
  public interface Swallower {
    /**
     * @param region index of the region
     * @param offset bytes into it
     */
    boolean swallows(int region, long offset);
  }

  private final Kernel kernel;
  private final Path server;
  private final Swallower swallower;
  private final Fd listener;
  private final List<Fd> ends = new ArrayList<>();
  private final AtomicLongArray counts = new AtomicLongArray(COMMANDS);
  private final Thread acceptor;

  /**
   * @param listen where clients connect instead of the server
   * @param server where the server listens
   */
  public Recorder(Kernel kernel, Path listen, Path server) {
    this(kernel, listen, server, (_, _) -> false);
  }

  /** As the other, with writes that get lost. */
  public Recorder(Kernel kernel, Path listen, Path server, Swallower swallower) {
    this.kernel = kernel;
    this.server = server;
    this.swallower = swallower;
    this.listener = kernel.listen(listen, 1);
    this.acceptor = Thread.ofPlatform().daemon().name("recorder").start(this::acceptLoop);
  }

  /** Messages seen so far, both directions. */
  public long messages() {
    long sum = 0;
    for (int i = 0; i < COMMANDS; i++) {
      sum += counts.get(i);
    }
    return sum;
  }

  private void acceptLoop() {
    try {
      while (true) {
        Fd client = kernel.accept(listener);
        Fd upstream = kernel.connect(server);
        synchronized (ends) {
          ends.add(client);
          ends.add(upstream);
        }
        Thread back =
            Thread.ofPlatform()
                .daemon()
                .name("recorder-replies")
                .start(() -> relay(upstream, client));
        relay(client, upstream);
        back.join();
        client.close();
        upstream.close();
      }
    } catch (SyscallException _) {
      // The listener was shut down.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Passes messages on until one side is gone, then shuts both down. */
  private void relay(Fd from, Fd to) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(MAX_MESSAGE_BYTES, 8);
      FdList fds = new FdList();
      try {
        while (passOne(from, to, buffer, fds)) {
          // Counted in passOne.
        }
      } catch (SyscallException _) {
        // A side is gone: the same as its end of file.
      } finally {
        fds.closeAll();
        kernel.shutdown(from);
        kernel.shutdown(to);
      }
    }
  }

  private boolean passOne(Fd from, Fd to, MemorySegment buffer, FdList fds) {
    if (!readFully(from, buffer.asSlice(0, HEADER_BYTES), fds)) {
      return false;
    }
    long size = Integer.toUnsignedLong(buffer.get(U32, SIZE_OFFSET));
    if (size < HEADER_BYTES || size > MAX_MESSAGE_BYTES) {
      return false;
    }
    if (!readFully(from, buffer.asSlice(HEADER_BYTES, size - HEADER_BYTES), fds)) {
      return false;
    }
    counts.incrementAndGet(Short.toUnsignedInt(buffer.get(U16, COMMAND_OFFSET)) % COMMANDS);
    if (isSwallowed(buffer)) {
      answer(from, buffer);
      return true;
    }
    List<Fd> along = new ArrayList<>(fds.size());
    for (int i = 0; i < fds.size(); i++) {
      along.add(fds.get(i));
    }
    kernel.sendmsg(to, buffer.asSlice(0, size), along);
    fds.closeAll();
    return true;
  }

  private boolean isSwallowed(MemorySegment message) {
    long body = VfioUserHeader.SIZE;
    return VfioUserHeader.CMD.get(message) == VfioUserCommand.REGION_WRITE
        && (VfioUserHeader.FLAGS.bits(message) & VfioUserHeader.TYPE_MASK)
            == VfioUserHeader.TYPE_COMMAND
        && swallower.swallows(
            RegionAccess.REGION.bits(message, body), RegionAccess.OFFSET.get(message, body));
  }

  /** Says in the server's place that a write was done. */
  private void answer(Fd client, MemorySegment message) {
    if ((VfioUserHeader.FLAGS.bits(message) & VfioUserHeader.FLAG_NO_REPLY) != 0) {
      return;
    }
    long size = VfioUserHeader.SIZE + RegionAccess.SIZE;
    VfioUserHeader.FLAGS.setBits(message, VfioUserHeader.TYPE_REPLY);
    VfioUserHeader.MSG_SIZE.setBits(message, (int) size);
    kernel.sendmsg(client, message.asSlice(0, size), List.of());
  }

  private boolean readFully(Fd from, MemorySegment into, FdList fds) {
    long done = 0;
    while (done < into.byteSize()) {
      long n = kernel.recvmsg(from, into.asSlice(done), fds);
      if (n <= 0) {
        return false;
      }
      done += n;
    }
    return true;
  }

  @Override
  public void close() throws InterruptedException {
    kernel.shutdown(listener);
    synchronized (ends) {
      for (Fd end : ends) {
        if (end.isOpen()) {
          kernel.shutdown(end);
        }
      }
    }
    acceptor.join();
    listener.close();
  }
}
