package io.sluice.channel.nvidia.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.HostLimits;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.AssuredBudget;
import io.sluice.channel.GuestGpu.TimeUsage;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.link.MachineLink;
import io.sluice.channel.nvidia.relay.link.MachinePort;
import io.sluice.channel.nvidia.relay.link.MemoryShare;
import io.sluice.channel.nvidia.relay.link.ProgramLink;
import io.sluice.channel.nvidia.relay.link.ProgramTurn;
import io.sluice.channel.nvidia.relay.link.RelayProtocolException;
import io.sluice.channel.nvidia.relay.link.SocketLink;
import io.sluice.channel.nvidia.time.GuestSlices;
import io.sluice.channel.nvidia.time.ProgramTime;
import io.sluice.channel.nvidia.time.TimeSlices;
import io.sluice.channel.nvidia.time.TimeUse;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The relay of one guest before NVIDIA's driver: its programs, each with files and objects of its
 * own.
 */
public final class DriverRelay implements ProgramRelay, ProgramTime {
  private static final Logger LOG = LoggerFactory.getLogger(DriverRelay.class);

  /** The part of the daemon's descriptors and mappings that the programs of one guest may take. */
  private static final long DESCRIPTORS_DIVISOR = 16;

  private static final long LEAST_DESCRIPTORS = 512;

  /** How long programs are waited for that are in a call, before their memory moves. */
  private static final long PATIENCE_NS = 100_000_000;

  /** When the card looks again at the channels of a program that was resumed. */
  private static final long[] RING_AGAIN_NS = {1_000_000, 10_000_000, 100_000_000, 900_000_000};

  private final String guest;
  private final Kernel kernel;
  private final DriverPort port;
  private final RelayCard card;
  private final RelayLimits limits;
  private final ProgramCopier copier;
  private final Runnable dropPrivileges;
  private final TimeSlices time;
  private final GuestSlices slices;
  private final TimeUse used = new TimeUse();
  private final Set<Integer> graphics = ConcurrentHashMap.newKeySet(); // channels, by RM's numbers
  private final MemoryBudget pinned;
  private final AssuredBudget descriptors;
  private final LongSupplier clock;
  private final RelayLog log;

  @GuardedBy("this")
  private final Map<Long, CudaProgram> programs = new TreeMap<>();

  @GuardedBy("this")
  private long next = 1;

  @GuardedBy("this")
  private boolean closed;

  /**
   * @param copier of the card
   * @param time slices of the card's guests
   * @param clock nanoseconds
   * @param dropPrivileges takes all capabilities from the calling thread: with {@code
   *     CAP_SYS_ADMIN} RM would let a program's channels name physical addresses
   */
  public DriverRelay(
      String guest,
      Kernel kernel,
      DriverPort port,
      RelayCard card,
      RelayLimits limits,
      ProgramCopier copier,
      TimeSlices time,
      LongSupplier clock,
      Runnable dropPrivileges) {
    this.guest = guest;
    this.kernel = kernel;
    this.port = port;
    this.card = card;
    this.limits = limits;
    this.copier = copier;
    this.time = time;
    slices = time.join(guest);
    this.clock = clock;
    this.dropPrivileges = dropPrivileges;
    log = new RelayLog(LOG, guest, clock);
    pinned = MemoryBudget.upTo(limits.hostBytes());
    HostLimits host = kernel.hostLimits();
    long most =
        Math.max(
            LEAST_DESCRIPTORS, Math.min(host.openFiles(), host.mappings()) / DESCRIPTORS_DIVISOR);
    descriptors = new AssuredBudget(most, limits.programs());
  }

  @Override
  public void serve(Fd connection) {
    try (connection;
        Arena arena = Arena.ofConfined()) {
      PeerCredentials peer = kernel.peerCredentials(connection);
      serve(peer, _ -> new SocketLink(kernel, clock, connection, arena));
    }
  }

  @Override
  public void serve(MachinePort port, PeerCredentials machine) {
    try (port;
        Arena arena = Arena.ofConfined()) {
      serve(machine, turn -> new MachineLink(kernel, clock, port, turn, arena));
    }
  }

  /** Makes the link of a program that has a turn. */
  private interface LinkMaker extends Function<ProgramTurn, ProgramLink> {}

  private void serve(PeerCredentials peer, LinkMaker link) {
    dropPrivileges.run();
    CudaProgram program;
    try {
      program = enter(peer, link);
    } catch (RefusedException e) {
      log.turnedAway(e);
      return;
    }
    try {
      program.serve();
    } catch (RelayProtocolException e) {
      log.refused(
          peer,
          "the protocol was broken: " + e.getMessage() + " [" + RelayCode.PROTOCOL.code() + "]");
    } catch (SyscallException e) {
      log.refused(peer, "a program's connection failed: " + e.getMessage());
    } catch (RefusedException e) {
      log.turnedAway(e);
    } catch (RuntimeException e) {
      log.failed(peer, e);
    } finally {
      leave(program.status().number());
    }
  }

  private synchronized CudaProgram enter(PeerCredentials peer, LinkMaker link) {
    if (closed) {
      throw new RefusedException(RelayCode.CLOSED, Errno.ENODEV, "the relay is closed", "");
    }
    if (programs.size() >= limits.programs()) {
      throw new RefusedException(
          RelayCode.TOO_MANY,
          Errno.EAGAIN,
          "too many programs, most=" + limits.programs(),
          "End one, or raise cuda-programs.");
    }
    MemoryShare ownVideo = new MemoryShare(limits.video());
    MemoryShare ownSystem = new MemoryShare(pinned);
    MemoryShare ownDescriptors = new MemoryShare(descriptors.part());
    ProgramTurn turn = new ProgramTurn();
    ClientNames names = new ClientNames(port);
    ProgramGroups groups =
        new ProgramGroups(
            (file, argument, block) -> control(names, file, argument, block), slices, graphics);
    CudaProgram program =
        new CudaProgram(
            next++,
            peer,
            link.apply(turn),
            new ProgramDriver(
                kernel,
                names,
                card,
                new ProgramFiles(port, ownDescriptors),
                new ProgramObjects(ownVideo, ownSystem, groups),
                new MemoryShare(pinned),
                ownDescriptors,
                ownVideo,
                ownSystem,
                copier,
                turn),
            clock,
            what -> log.refused(peer, what));
    programs.put(program.status().number(), program);
    return program;
  }

  private static void control(
      DriverPort port, Fd file, MemorySegment argument, MemorySegment block) {
    int request = ProgramDriver.request(ProgramEscape.CONTROL);
    int _ = port.ioctl(file, request, argument, List.of(argument, block));
  }

  private synchronized void leave(long number) {
    programs.remove(number);
  }

  @Override
  public synchronized List<ProgramStatus> programs() {
    return programs.values().stream().map(CudaProgram::status).toList();
  }

  @Override
  public synchronized boolean end(long number) {
    CudaProgram program = programs.get(number);
    if (program == null) {
      return false;
    }
    program.sendAway();
    return true;
  }

  @Override
  public boolean suspend(long number, long patienceNs) {
    dropPrivileges.run();
    Optional<CudaProgram> program = program(number);
    program.ifPresent(each -> each.suspend(patienceNs));
    return program.isPresent();
  }

  @Override
  public boolean resume(long number) {
    dropPrivileges.run();
    Optional<CudaProgram> program = program(number);
    if (program.isEmpty()) {
      return false;
    }
    Runnable again = program.get().resume();
    for (long pause : RING_AGAIN_NS) {
      LockSupport.parkNanos(this, pause);
      again.run();
    }
    return true;
  }

  private synchronized Optional<CudaProgram> program(long number) {
    return Optional.ofNullable(programs.get(number));
  }

  @Override
  public TimeUsage timeUsage() {
    return used.totals();
  }

  @Override
  public TimeUse use() {
    return used;
  }

  @Override
  public boolean mayCompute() {
    return !graphics.isEmpty();
  }

  @Override
  public boolean has(int number) {
    return graphics.contains(number);
  }

  @Override
  public synchronized boolean isOver() {
    return closed && programs.isEmpty();
  }

  @Override
  public void setWeight(int weight) {
    slices.weigh(weight);
  }

  @Override
  public void refresh() {
    List<CudaProgram> all;
    synchronized (this) {
      all = List.copyOf(programs.values());
    }
    all.forEach(CudaProgram::refreshSlices);
  }

  @Override
  public Moved evict(long bytes, long enough) {
    return move(bytes, enough, CudaProgram::videoBytes, CudaProgram::evict);
  }

  @Override
  public Moved restore(long room, long enough) {
    return move(room, enough, CudaProgram::systemBytes, CudaProgram::restore);
  }

  /** A move of one program. */
  private interface Move {
    Moved of(CudaProgram program, long bytes, long enough, long patienceNs);
  }

  /** A program with what it had when it was looked at: programs allocate while they are sorted. */
  private record Holding(CudaProgram program, long bytes) {}

  private synchronized List<CudaProgram> holders(ToLongFunction<CudaProgram> has) {
    return programs.values().stream()
        .map(program -> new Holding(program, has.applyAsLong(program)))
        .filter(holding -> holding.bytes() > 0)
        .sorted(Comparator.comparingLong(Holding::bytes).reversed())
        .map(Holding::program)
        .toList();
  }

  /** Of those that have most first. None is waited for longer than all together may be. */
  private Moved move(long bytes, long enough, ToLongFunction<CudaProgram> has, Move move) {
    long patience = PATIENCE_NS;
    Moved moved = Moved.NONE;
    for (CudaProgram program : holders(has)) {
      if (moved.bytes() < Math.min(bytes, enough)) {
        long since = clock.getAsLong();
        Moved more = move.of(program, bytes - moved.bytes(), enough - moved.bytes(), patience);
        if (more.equals(Moved.NONE)) {
          patience = Math.max(0, patience - (clock.getAsLong() - since));
        }
        moved = moved.plus(more);
      }
    }
    return moved;
  }

  @Override
  public synchronized long evictedBytes() {
    return programs.values().stream().mapToLong(CudaProgram::systemBytes).sum();
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      time.leave(guest);
    }
    closed = true;
    programs.values().forEach(CudaProgram::sendAway);
  }
}
