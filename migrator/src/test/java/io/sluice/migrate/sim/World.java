package io.sluice.migrate.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.guest.Guest;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSource;
import io.sluice.migrate.engine.MigrationTarget;
import io.sluice.migrate.engine.MoveQuestion;
import io.sluice.migrate.engine.Offer;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.engine.TargetHost;
import io.sluice.migrate.link.LinkPair;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.TargetPhase;
import io.sluice.testbed.fakes.Seeds;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One attempt to move a guest, step by step. */
final class World implements AutoCloseable {
  static final long VRAM_BYTES = 4L << 20;

  final RandomGenerator random;
  private final Kernel kernel = RealKernel.create();
  long nowNs = 1_000_000;
  private final Host.Kind kind;
  final Host source;
  Host target;
  final Program program;
  LinkPair link;
  SimMachine machine;
  MigrationSource from;
  @Nullable MigrationTarget to;
  private final MigrationSettings settings;

  /** The destination's disk: survives its daemon. */
  final Set<UUID> ledger = new HashSet<>();

  /** Channels that the test ends at the source. */
  final Set<Integer> mayEnd = new HashSet<>();

  boolean ledgerFails;

  /** So many times there is no heap to write it down, or to say that it is written. */
  int ledgerErrors;

  /** Whether it is written all the same. */
  boolean ledgerWritesBeforeErrors;

  /** It is full before anything has come. */
  boolean ledgerCannotPrepare;

  /** Questions at which whoever is asked what became of the guest fails. */
  int inquiriesFail;

  boolean sourceCrashed;
  boolean targetCrashed;
  private long attempts;

  World(long seed, MigrationSettings settings) {
    this(seed, settings, VRAM_BYTES, Host.Kind.APERTURE);
  }

  World(long seed, MigrationSettings settings, long targetVramBytes, Host.Kind kind) {
    this(seed, settings, targetVramBytes, 0, kind);
  }

  /**
   * @param machineCopyNs how long the machine's own memory takes; 0 for some time or other
   */
  World(
      long seed,
      MigrationSettings settings,
      long targetVramBytes,
      long machineCopyNs,
      Host.Kind kind) {
    this.kind = kind;
    source = new Host(kernel, () -> nowNs, VRAM_BYTES, kind);
    random = Seeds.generator(seed);
    this.settings = settings;
    target = new Host(kernel, () -> nowNs, targetVramBytes, kind);
    MappedGuest mapped = source.attach("moved");
    program = new Program(Objects.requireNonNull(source.guest), random);
    machine =
        new SimMachine(
            () -> nowNs,
            machineCopyNs > 0 ? machineCopyNs : random.nextInt(1, 20_000_000),
            random.nextInt(1, 9_000_000));
    link = newLink();
    from = begin(mapped);
    to = receive(link);
  }

  private LinkPair newLink() {
    LinkPair made = new LinkPair(() -> nowNs, 1 + random.nextInt(3));
    made.setQueueFrames(1 + random.nextInt(8));
    return made;
  }

  private MigrationSource begin(MappedGuest mapped) {
    attempts++;
    return new MigrationSource(
        new MigrationSource.MigrationParts(mapped, machine.sourceSide, link.source(), Lanes.one()),
        settings,
        new UUID(attempts, random.nextLong()),
        Seeds.generator(random.nextLong()),
        nowNs,
        (_, _) -> {});
  }

  private MigrationTarget receive(LinkPair over) {
    return new MigrationTarget(over.target(), new Receiver(), 5_000_000_000L, nowNs, (_, _) -> {});
  }

  /** A new attempt, to a destination of its own. */
  void retry() {
    from.close();
    closeTarget();
    target.close();
    target = new Host(kernel, () -> nowNs, VRAM_BYTES, kind);
    machine = new SimMachine(() -> nowNs, 1_000_000, 1_000_000);
    link = newLink();
    from = begin(Objects.requireNonNull(source.mapped));
    to = receive(link);
    ledgerFails = false;
  }

  private final class Receiver implements TargetHost {
    private boolean admits; // not one that is only asked

    @Override
    public List<Reason> objections(MoveQuestion question) {
      return List.of();
    }

    @Override
    public TargetMachine admit(Offer offer) {
      admits = true;
      target.attach(offer.name());
      return machine.targetSide;
    }

    @Override
    public Optional<MappedGuest> guest() {
      return Optional.ofNullable(target.mapped);
    }

    @Override
    public void prepareCommit(Offer offer) {
      if (ledgerCannotPrepare) {
        throw new RefusedException("SLU-MIG-900", Errno.ENOSPC, "disk full", "");
      }
    }

    @Override
    public void commit(Offer offer) {
      if (ledgerFails) {
        throw new RefusedException("SLU-MIG-900", Errno.ENOSPC, "disk full", "");
      }
      if (ledgerErrors == 0 || ledgerWritesBeforeErrors) {
        ledger.add(offer.id());
      }
      if (ledgerErrors > 0) {
        ledgerErrors--;
        throw new OutOfMemoryError("by the test");
      }
    }

    @Override
    public boolean isCommitted(UUID id) {
      if (inquiriesFail > 0) {
        inquiriesFail--;
        throw new RefusedException("SLU-MIG-900", Errno.EIO, "its disk cannot be read", "");
      }
      return ledger.contains(id);
    }

    @Override
    public void running(Offer offer) {}

    @Override
    public void discard(Reason why) {
      if (admits) {
        target.detachGuest();
      }
    }
  }

  // ---- time ----

  /** Something happens: one of those who can act acts, in an order that the seed chooses. */
  void step() {
    nowNs += 1 + random.nextInt(400_000);
    switch (random.nextInt(6)) {
      case 0 -> stepSource();
      case 1 -> stepTarget();
      case 2 -> source.runGpu();
      case 3 -> target.runGpu();
      default -> runProgram();
    }
    check();
  }

  void stepSource() {
    if (!sourceCrashed) {
      int _ = from.doWork(nowNs);
      if (from.phase().isOver()) {
        from.close();
      }
      if (from.phase() == Phase.DONE && source.guest != null) {
        source.detachGuest();
      }
    }
  }

  void stepTarget() {
    MigrationTarget side = to;
    if (!targetCrashed && side != null) {
      try {
        int _ = side.doWork(nowNs);
      } catch (OutOfMemoryError e) {
        side.discardNow(Reason.unforeseen(e)); // as its driver does
      }
      if (side.phase().isOver()) {
        side.close();
      }
    }
  }

  Program.@Nullable Host machineAt() {
    if (machine.runsAtSource && !sourceCrashed) {
      return at(source);
    }
    return machine.runsAtTarget && !targetCrashed ? at(target) : null;
  }

  private static Program.@Nullable Host at(Host host) {
    Guest guest = host.guest;
    return guest == null ? null : new Program.Host(guest, host.vram(), host.pages(), host.blind);
  }

  private void runProgram() {
    Program.Host at = machineAt();
    if (at != null) {
      program.run(at);
    }
  }

  /** What must hold at every instant. */
  private void check() {
    assertThat(machine.runsAtSource && machine.runsAtTarget).as("two machines run").isFalse();
    assertThat(source.runsGuest() && target.runsGuest()).as("two GPUs run the guest").isFalse();
    assertThat(source.errors)
        .as("channels ended at the source")
        .allMatch(error -> mayEnd.contains(error.channelId()));
    assertThat(target.errors).as("channels ended at the destination").isEmpty();
    if (target.runsGuest()) {
      assertThat(ledger).as("runs without a record").contains(from.id());
    }
  }

  // ---- faults ----

  /** The source's daemon is killed: its device is gone, its machine runs on without it. */
  void crashSource() {
    sourceCrashed = true;
    from.close();
    link.cut("the source's daemon is gone");
    source.detachGuest();
  }

  private void closeTarget() {
    if (to != null) {
      to.close();
    }
  }

  /** The destination's daemon is killed, and its machine with it. */
  void crashTarget() {
    targetCrashed = true;
    closeTarget();
    link.cut("the destination's daemon is gone");
    target.detachGuest();
    machine.runsAtTarget = false;
  }

  /** A daemon is there again that knows what is on its disk; the source asks it. */
  void answerInquiry() {
    LinkPair again = new LinkPair(() -> nowNs, 1);
    MigrationTarget old = to;
    if (old != null && !targetCrashed) {
      old.discardNow(new Reason("SLU-MIG-901", "the source asks", ""));
    }
    targetCrashed = false;
    closeTarget();
    to = receive(again);
    link = again;
    from.inquire(again.source());
  }

  boolean isOver() {
    MigrationTarget side = to;
    boolean targetOver =
        targetCrashed
            || side == null
            || side.phase().isOver()
            || side.phase() == TargetPhase.WAITING;
    return (sourceCrashed || from.phase().isOver()) && targetOver;
  }

  @Override
  public void close() {
    from.close();
    closeTarget();
    source.close();
    target.close();
  }
}
