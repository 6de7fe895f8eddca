package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdCustody;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.GuestGpu.TimeUsage;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.card.CardNames;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.relay.card.GuestCard;
import io.sluice.channel.nvidia.relay.card.ProgramCopier;
import io.sluice.channel.nvidia.relay.card.RelayCard;
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
import java.util.Optional;
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

  /** How long programs are waited for that are in a call, before their memory moves. */
  private static final long PATIENCE_NS = 100_000_000;

  /** When the card looks again at the channels of a program that was resumed. */
  private static final long[] RING_AGAIN_NS = {1_000_000, 10_000_000, 100_000_000, 900_000_000};

  private final Kernel kernel;
  private final GuestCard card;
  private final GuestPrograms programs;
  private final Runnable dropPrivileges;
  private final String guest;
  private final TimeSlices time;
  private final TimeUse used = new TimeUse();
  private final LongSupplier clock;
  private final RelayLog log;
  private volatile boolean closed;

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
    this.time = time;
    this.card = guestCard(guest, port, card, limits.video(), copier, time);
    programs = new GuestPrograms(kernel, limits);
    this.clock = clock;
    this.dropPrivileges = dropPrivileges;
    log = new RelayLog(LOG, guest, clock);
  }

  private DriverRelay(DriverRelay other, GuestCard card, TimeSlices time) {
    guest = other.guest;
    kernel = other.kernel;
    this.time = time;
    this.card = card;
    programs = other.programs;
    clock = other.clock;
    dropPrivileges = other.dropPrivileges;
    log = other.log;
  }

  private static GuestCard guestCard(
      String guest,
      DriverPort port,
      RelayCard card,
      MemoryBudget video,
      ProgramCopier copier,
      TimeSlices time) {
    GuestSlices slices = time.join(guest);
    return new GuestCard(card, port, copier, slices, ConcurrentHashMap.newKeySet(), video);
  }

  /**
   * The relay of the same guest on another card of this host, to which its programs may go: what
   * they may have of the host is for all of them.
   *
   * @param video the guest's memory there, as far as its programs may have it
   * @param copier of that card
   * @param otherTime slices of that card's guests
   */
  public DriverRelay beside(
      DriverPort port,
      RelayCard other,
      MemoryBudget video,
      ProgramCopier copier,
      TimeSlices otherTime) {
    return new DriverRelay(
        this, guestCard(guest, port, other, video, copier, otherTime), otherTime);
  }

  @Override
  public void serve(Fd connection, FdCustody foreign) {
    try (connection;
        Arena arena = Arena.ofConfined();
        SocketLink link = new SocketLink(kernel, clock, connection, foreign, arena)) {
      serve(kernel.peerCredentials(connection), _ -> link);
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
      programs.leave(program.status().number());
    }
  }

  private CudaProgram enter(PeerCredentials peer, LinkMaker link) {
    CudaProgram program = programs.enter(this, number -> make(number, peer, link));
    if (closed) { // by now, or while it entered
      programs.leave(program.status().number());
      throw new RefusedException(RelayCode.CLOSED, Errno.ENODEV, "the relay is closed", "");
    }
    return program;
  }

  private CudaProgram make(long number, PeerCredentials peer, LinkMaker link) {
    MemoryShare ownVideo = new MemoryShare(card.video());
    MemoryShare ownSystem = new MemoryShare(programs.pinned());
    MemoryShare ownDescriptors = new MemoryShare(programs.descriptors().part());
    ProgramHeap heap = new ProgramHeap(new MemoryShare(programs.heap().part()));
    ProgramTurn turn = new ProgramTurn();
    CardNames on = new CardNames(card);
    ClientNames names = new ClientNames(on);
    ProgramGroups groups =
        new ProgramGroups(
            (file, argument, block) -> control(names, file, argument, block),
            card.slices(),
            card.graphics());
    return new CudaProgram(
        number,
        peer,
        link.apply(turn),
        new ProgramDriver(
            kernel,
            names,
            on,
            new ProgramFiles(on, ownDescriptors, heap),
            new ProgramObjects(ownVideo, ownSystem, heap, groups),
            new MemoryShare(programs.pinned()),
            ownDescriptors,
            ownVideo,
            ownSystem,
            heap,
            turn),
        clock,
        what -> log.refused(peer, what));
  }

  private static void control(
      DriverPort port, Fd file, MemorySegment argument, MemorySegment block) {
    int request = ProgramDriver.request(ProgramEscape.CONTROL);
    int _ = port.ioctl(file, request, argument, List.of(argument, block));
  }

  @Override
  public List<ProgramStatus> programs() {
    return programs.all().stream().map(CudaProgram::status).toList();
  }

  @Override
  public boolean end(long number) {
    Optional<CudaProgram> program = programs.find(number);
    program.ifPresent(CudaProgram::sendAway);
    return program.isPresent();
  }

  @Override
  public boolean suspend(long number, long patienceNs) {
    dropPrivileges.run();
    Optional<CudaProgram> program = programs.find(number);
    program.ifPresent(each -> each.suspend(patienceNs));
    return program.isPresent();
  }

  @Override
  public boolean resume(long number) {
    return programs.where(number).map(on -> on.resumeHere(number)).orElse(false);
  }

  @Override
  public boolean resumeHere(long number) {
    dropPrivileges.run();
    Optional<CudaProgram> program = programs.find(number);
    if (program.isEmpty()) {
      return false;
    }
    if (closed) {
      throw new RefusedException(RelayCode.CLOSED, Errno.ENODEV, "the relay is closed", "");
    }
    Runnable again = program.get().resume(card);
    programs.move(number, this);
    for (long pause : RING_AGAIN_NS) {
      LockSupport.parkNanos(this, pause);
      again.run();
    }
    return true;
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
    return !card.graphics().isEmpty();
  }

  @Override
  public boolean has(int number) {
    return card.graphics().contains(number);
  }

  @Override
  public boolean isOver() {
    return closed && programs.on(this).isEmpty();
  }

  @Override
  public void setWeight(int weight) {
    card.slices().weigh(weight);
  }

  @Override
  public void refresh() {
    programs.on(this).forEach(CudaProgram::refreshSlices);
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

  private List<CudaProgram> holders(ToLongFunction<CudaProgram> has) {
    return programs.on(this).stream()
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
  public long evictedBytes() {
    return programs.on(this).stream().mapToLong(CudaProgram::systemBytes).sum();
  }

  @Override
  public void close() {
    synchronized (this) {
      if (!closed) {
        time.leave(guest);
      }
      closed = true;
    }
    programs.on(this).forEach(CudaProgram::sendAway);
  }
}
