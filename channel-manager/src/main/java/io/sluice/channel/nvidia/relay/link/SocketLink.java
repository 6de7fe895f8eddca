package io.sluice.channel.nvidia.relay.link;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.relay.RelayReply;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdCustody;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** The connection of a process: descriptors travel with it, and memory is of memory files. */
public final class SocketLink implements ProgramLink {
  private static final long HEADER = RelayRequest.SIZE;
  private static final long SPIN_NS = 60_000;
  private static final short[] WANTED = {Kernel.POLLIN};

  private final Kernel kernel;
  private final LongSupplier clock;
  private final Fd connection;
  private final FdCustody foreign;
  private final FdList descriptors;
  private final MemorySegment buffer;

  private final List<Fd> watched;
  private final short[] ready = new short[1];
  private Optional<DoorbellWatch> watch = Optional.empty();
  private boolean answered;
  private int bytes; // of the request that was received

  private final Object ending = new Object();

  /** Whether the connection may be closed, and another one have its number. */
  @GuardedBy("ending")
  private boolean ended;

  /**
   * @param clock nanoseconds
   * @param connection is closed by whoever serves it, after this was
   * @param foreign has the custody of descriptors that come, and of sockets where some may wait
   * @param arena of the thread that serves it
   */
  public SocketLink(
      Kernel kernel, LongSupplier clock, Fd connection, FdCustody foreign, Arena arena) {
    this.kernel = kernel;
    this.clock = clock;
    this.connection = connection;
    this.foreign = foreign;
    descriptors = new FdList(foreign);
    watched = List.of(connection);
    buffer = arena.allocate(RelayRequest.MAX_BYTES, 8);
  }

  @Override
  public boolean receive(IdleWork work) throws RelayProtocolException {
    descriptors.closeAll();
    awaitSoon();
    boolean more = work.run();
    while (more && kernel.pollNs(watched, WANTED, ready, IDLE_NS) == 0) {
      more = work.run();
    }
    long had = 0;
    bytes = (int) HEADER;
    while (had < bytes) {
      requireRoom(); // a message may bring as many as Linux carries
      // Whoever sends ahead of the answer breaks the protocol, so that nothing is kept of it.
      long got = kernel.recvmsg(connection, buffer.asSlice(had), descriptors);
      if (got <= 0) {
        return false;
      }
      had += got;
      if (had >= HEADER) {
        bytes = length();
      }
      if (had > bytes || descriptors.size() > 1 || descriptors.hasSocket(kernel)) {
        throw new RelayProtocolException("a request with more than it says");
      }
    }
    return true;
  }

  private void requireRoom() throws RelayProtocolException {
    if (!foreign.awaitRoom()) {
      throw new RelayProtocolException("too many descriptors cannot be closed");
    }
  }

  /**
   * Looks for the next request for a while before the thread sleeps: a program that has begun to
   * call mostly goes on, and would wait for it to awake.
   */
  private void awaitSoon() {
    if (!answered || !Spinners.tryEnter()) {
      return;
    }
    try {
      long until = clock.getAsLong() + SPIN_NS;
      while (kernel.pollNs(watched, WANTED, ready, 0) == 0 && clock.getAsLong() - until < 0) {
        Thread.onSpinWait();
      }
    } finally {
      Spinners.leave();
    }
  }

  private int length() throws RelayProtocolException {
    long said = RelayRequest.BYTES.get(buffer);
    if (said < HEADER || said > RelayRequest.MAX_BYTES || said % 8 != 0) {
      throw new RelayProtocolException("bytes=" + said);
    }
    return (int) said;
  }

  @Override
  public MemorySegment header() {
    return buffer.asSlice(0, HEADER);
  }

  @Override
  public MemorySegment body() {
    return buffer.asSlice(HEADER, bytes - HEADER);
  }

  @Override
  public MemorySegment room() {
    return buffer.asSlice(HEADER);
  }

  @Override
  public long blocks() {
    return RelayRequest.LENGTH.get(buffer);
  }

  @Override
  public void fail(int errno) {
    buffer.asSlice(0, HEADER).fill((byte) 0);
    RelayReply.ERROR.set(buffer, errno);
    send(0, List.of());
  }

  @Override
  public void reply(int file, int value, long body) {
    reply(file, value, 0, body, List.of());
  }

  @Override
  public boolean mayWake() {
    return true;
  }

  @Override
  public void replyWaking(int value, long body, Fd driver) {
    reply(0, value, 0, body, List.of(driver));
  }

  @Override
  public void replyMap(MapTarget target, long offset) {
    Fd file =
        switch (target.backing()) {
          case FilePages pages -> pages.file();
          case DriverPage page -> page.file();
          case MachinePages _ -> throw new IllegalStateException("pages of another link");
        };
    reply(0, 0, target.offset() + offset, 0, List.of(file));
  }

  private void reply(int file, int value, long address, long body, List<Fd> along) {
    buffer.asSlice(0, HEADER).fill((byte) 0);
    RelayReply.FILE.setBits(buffer, file);
    RelayReply.VALUE.setBits(buffer, value);
    RelayReply.ADDRESS.set(buffer, address);
    send(body, along);
  }

  private void send(long body, List<Fd> along) {
    RelayReply.BYTES.set(buffer, HEADER + body);
    answered = true;
    kernel.sendmsg(connection, buffer.asSlice(0, HEADER + body), along);
  }

  @Override
  public HostPages blank(long bytes, Runnable released) throws Denial {
    try {
      return FilePages.make(kernel, bytes, released);
    } catch (SyscallException e) {
      throw new Denial(RmStatus.NO_MEMORY, "pages that cannot be made: " + e);
    }
  }

  @Override
  public boolean hasBrought() {
    return descriptors.size() == 1;
  }

  @Override
  public HostPages brought(long bytes, Runnable released) throws Denial {
    long offset = RelayRequest.ADDRESS.get(buffer);
    requireMemoryFile(descriptors.get(0), offset, bytes);
    try {
      return FilePages.map(kernel, descriptors.take(), offset, bytes, released);
    } catch (SyscallException e) {
      throw new Denial(RmStatus.INVALID_ADDRESS, "pages that cannot be mapped: " + e);
    }
  }

  /** Only a memory file that stays as long as it is: whatever else could stand still or end. */
  private void requireMemoryFile(Fd file, long offset, long bytes) throws Denial {
    int seals;
    try {
      seals = kernel.getSeals(file);
    } catch (SyscallException _) {
      seals = 0; // of a file that cannot be sealed
    }
    if ((seals & Kernel.F_SEAL_SHRINK) == 0
        || offset < 0
        || offset % Kernel.PAGE_BYTES != 0
        || kernel.pageBytes(file) != Kernel.PAGE_BYTES
        || kernel.fstat(file).sizeBytes() - offset < bytes) {
      throw new Denial(RmStatus.INVALID_ADDRESS, "pages of no sealed memory file");
    }
  }

  @Override
  public boolean serve(int op) {
    return false;
  }

  @Override
  public void replyWatch() {
    if (!foreign.awaitRoom()) { // the former one may have something that cannot be closed
      throw new SyscallException("socketpair", "too many to be closed", Errno.EMFILE.number());
    }
    List<Fd> ends = kernel.socketpair();
    watch.ifPresent(DoorbellWatch::close);
    watch = Optional.of(new DoorbellWatch(kernel, clock, ends.get(0), foreign));
    try (Fd program = ends.get(1)) {
      reply(0, 0, 0, 0, List.of(program));
    }
  }

  @Override
  public boolean takesDoorbells() {
    return watch.isPresent();
  }

  @Override
  public void moveDoorbell(int file, Fd doorbell, long until) throws Denial {
    watch
        .orElseThrow(
            () -> new Denial(RmStatus.NOT_SUPPORTED, "the program takes no other card's doorbell"))
        .move(file, doorbell, until);
  }

  /** Whoever is not answered has nothing to say. */
  @Override
  public boolean isGone() {
    return kernel.pollNs(watched, WANTED, ready, 0) != 0;
  }

  @Override
  public void sendAway() {
    synchronized (ending) {
      if (!ended) {
        kernel.shutdown(connection);
      }
    }
  }

  @Override
  public void close() {
    synchronized (ending) {
      ended = true;
    }
    descriptors.closeAll();
    watch.ifPresent(DoorbellWatch::close);
  }
}
