package io.sluice.channel.nvidia.relay.link;

import io.sluice.abi.SyscallException;
import io.sluice.abi.relay.RelayReply;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdCustody;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The way by which a process is given another doorbell: a thread of the library's waits at its
 * other end. Nothing that comes from there is more than an acknowledgement.
 */
final class DoorbellWatch implements AutoCloseable {
  private static final long NS_PER_MS = 1_000_000;

  private final Kernel kernel;
  private final LongSupplier clock;
  private final Fd socket;
  private final FdCustody foreign;
  private int moves;

  /**
   * @param clock nanoseconds
   * @param socket is this one's
   * @param foreign has the custody of it, and of descriptors that come
   */
  DoorbellWatch(Kernel kernel, LongSupplier clock, Fd socket, FdCustody foreign) {
    this.kernel = kernel;
    this.clock = clock;
    this.socket = foreign.apply(socket);
    this.foreign = foreign;
  }

  /** As {@link ProgramLink#moveDoorbell}. */
  void move(int file, Fd doorbell, long until) throws Denial {
    int number = ++moves;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(RelayReply.LAYOUT);
      RelayReply.BYTES.set(message, RelayReply.LAYOUT.byteSize());
      RelayReply.FILE.setBits(message, file);
      RelayReply.VALUE.setBits(message, number);
      kernel.sendmsg(socket, message, List.of(doorbell));
      int acknowledged = receive(message, until);
      while (acknowledged != number) { // a former one, late
        acknowledged = receive(message, until);
      }
      requireDone(message);
    } catch (SyscallException e) {
      throw new Denial(RmStatus.TIMEOUT, "the program cannot be given a doorbell: " + e);
    }
  }

  /** The number of an acknowledgement. */
  private int receive(MemorySegment message, long until) throws Denial {
    long leftMs = (until - clock.getAsLong()) / NS_PER_MS;
    if (leftMs <= 0) {
      throw new Denial(RmStatus.TIMEOUT, "the program does not map another doorbell in time");
    }
    kernel.setReceiveTimeout(socket, (int) leftMs);
    FdList none = new FdList(foreign);
    try {
      long bytes = kernel.recvmsg(socket, message, none);
      if (bytes != message.byteSize() || none.size() > 0 && !foreign.awaitRoom()) {
        throw new Denial(RmStatus.TIMEOUT, "the program does not map another doorbell");
      }
      return RelayReply.VALUE.bits(message);
    } finally {
      none.closeAll();
    }
  }

  private static void requireDone(MemorySegment message) throws Denial {
    if (RelayReply.ERROR.get(message) != 0) {
      throw new Denial(
          RmStatus.NO_MEMORY,
          "the program maps no other doorbell, errno=" + RelayReply.ERROR.get(message));
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
