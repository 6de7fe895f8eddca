package io.sluice.daemon.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.AssuredBudget;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.relay.link.MachinePort;
import io.sluice.management.ErrorCode;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.SessionMemory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The CUDA programs in a guest's machine: each is a session of its device. */
final class MachinePrograms implements ApiSessions {
  private static final Logger LOG = LoggerFactory.getLogger(MachinePrograms.class);

  /** How long a program that is sent away is waited for. */
  private static final Duration END_WAIT = Duration.ofSeconds(10);

  /** The part of the daemon's mappings that the programs of one guest's machine may take. */
  private static final long MAPPINGS_DIVISOR = 16;

  private final Kernel kernel;
  private final Supplier<Optional<RelayDoor>> door;
  private final Supplier<Optional<PeerCredentials>> machine;
  private final AssuredBudget mappings;

  /**
   * @param programs most that the guest may have
   * @param door of the guest, while its programs are served
   * @param machine the process that is the machine, while there is one
   */
  MachinePrograms(
      Kernel kernel,
      int programs,
      Supplier<Optional<RelayDoor>> door,
      Supplier<Optional<PeerCredentials>> machine) {
    this.kernel = kernel;
    this.door = door;
    this.machine = machine;
    long most = kernel.hostLimits().mappings() / MAPPINGS_DIVISOR;
    mappings = new AssuredBudget(most, programs + RelayDoor.SPARE);
  }

  @Override
  public Opened open(int api, SessionMemory memory, Fd doorbell, Fd notify, Consumer<Errno> ended) {
    RelayDoor open = door.get().orElseThrow(() -> refused(Errno.ENODEV, "no CUDA programs"));
    PeerCredentials peer =
        machine.get().orElseThrow(() -> refused(Errno.ENODEV, "the machine has left"));
    if (memory.bytes() != GuestAbi.API_SEGMENT_LEAST) {
      throw refused(Errno.EINVAL, "segment 0 has another length, bytes=" + memory.bytes());
    }
    if (!open.admitsMachine()) { // before anything is mapped
      throw refused(Errno.EAGAIN, "too many CUDA programs");
    }
    MemoryBudget pieces = mappings.part();
    MachinePort port = port(memory, doorbell, notify, pieces);
    boolean begun = false;
    try {
      begun = open.serve(port, peer, () -> ended.accept(Errno.EPIPE));
      if (!begun) {
        throw refused(Errno.EAGAIN, "too many CUDA programs");
      }
      return new MachineProgram(open, port, pieces);
    } finally {
      if (!begun) {
        port.close();
      }
    }
  }

  private MachinePort port(SessionMemory memory, Fd doorbell, Fd notify, MemoryBudget budget) {
    List<Runnable> undo = new ArrayList<>();
    boolean complete = false;
    try {
      Mapping first = map(memory, budget);
      undo.add(first::close);
      Fd ownDoorbell = kernel.dup(doorbell);
      undo.add(ownDoorbell::close);
      Fd ownNotify = kernel.dup(notify);
      undo.add(ownNotify::close);
      MachinePort port = new MachinePort(kernel, first, ownDoorbell, ownNotify);
      complete = true;
      return port;
    } finally {
      if (!complete) {
        undo.forEach(Runnable::run);
      }
    }
  }

  /** Maps memory, each piece of which is a mapping of the daemon's. */
  private Mapping map(SessionMemory memory, MemoryBudget budget) {
    long pieces = memory.pieces().size();
    if (!budget.take(pieces)) {
      throw refused(Errno.EDQUOT, "CUDA programs have too many pieces of memory");
    }
    boolean mapped = false;
    try {
      Mapping mapping =
          kernel.mmapPieces(
              memory.pieces().stream()
                  .map(piece ->
                      new FilePiece(
                          memory.files().get(piece.file()), piece.offset(), piece.bytes()))
                  .toList());
      mapped = true;
      return new CountedMapping(mapping, () -> budget.giveBack(pieces));
    } finally {
      if (!mapped) {
        budget.giveBack(pieces);
      }
    }
  }

  /**
   * A mapping that counts.
   *
   * @param released told when it is closed
   */
  private record CountedMapping(Mapping mapping, Runnable released) implements Mapping {
    @Override
    public MemorySegment segment() {
      return mapping.segment();
    }

    @Override
    public void close() {
      mapping.close();
      released.run();
    }
  }

  private static RefusedException refused(Errno errno, String what) {
    return new RefusedException(ErrorCode.PROGRAM_REFUSED.code(), errno, what, "");
  }

  @Override
  public Opened arrive(
      int api, SessionMemory memory, Fd doorbell, Fd notify, Fd stream, Consumer<Errno> ended) {
    throw stays();
  }

  private static RefusedException stays() {
    return new RefusedException(
        ErrorCode.PROGRAM_STAYS.code(),
        Errno.EOPNOTSUPP,
        "a CUDA program in the machine cannot move",
        "End it first: sluicectl program list.");
  }

  /** None: the memory of programs is their guest's video memory. */
  @Override
  public long mostMemoryBytes() {
    return 0;
  }

  /** A program. */
  private final class MachineProgram implements Opened {
    private final RelayDoor from;
    private final MachinePort port;
    private final MemoryBudget pieces;

    MachineProgram(RelayDoor from, MachinePort port, MemoryBudget pieces) {
      this.from = from;
      this.port = port;
      this.pieces = pieces;
    }

    @Override
    public void add(int index, SessionMemory memory) {
      if (!port.wants(index, memory.bytes())) {
        throw refused(Errno.EINVAL, "memory that the relay did not want, segment=" + index);
      }
      Mapping mapping = map(memory, pieces);
      boolean added = false;
      try {
        added = port.add(index, mapping);
      } finally {
        if (!added) {
          mapping.close();
        }
      }
      if (!added) {
        throw refused(Errno.EPIPE, "the program has left");
      }
    }

    @Override
    public CompletableFuture<Standing> leave(Fd stream) {
      return CompletableFuture.failedFuture(stays());
    }

    @Override
    public CompletableFuture<Void> tryOut(Fd stream) {
      return CompletableFuture.failedFuture(stays());
    }

    @Override
    public CompletableFuture<?> endTrial() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<?> approach() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void halt() {}

    @Override
    public void stay() {}

    @Override
    public boolean goOn() {
      return !isGone();
    }

    @Override
    public boolean isGone() {
      return port.isOver();
    }

    @Override
    public boolean end() {
      port.stop();
      return port.isOver();
    }

    @Override
    public void close() {
      port.stop();
      if (!port.awaitOver(END_WAIT)) {
        LOG.atError()
            .addKeyValue("guest", from.guest().name())
            .log("a CUDA program of a machine that was sent away is still served");
      }
    }
  }
}
