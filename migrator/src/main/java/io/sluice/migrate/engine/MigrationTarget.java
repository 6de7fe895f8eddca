package io.sluice.migrate.engine;

import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.channel.GuestRestore;
import io.sluice.channel.record.GuestRecord;
import io.sluice.channel.record.Snapshot;
import io.sluice.channel.record.StateRecord;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.memory.MemoryTarget;
import io.sluice.migrate.memory.MemoryTarget.Aperture;
import io.sluice.migrate.phase.PhaseLog;
import io.sluice.migrate.phase.TargetPhase;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The destination's side of a migration: builds a guest of what comes over a link, and runs it once
 * the source has given it away and a durable record says so. What comes is hostile until proven
 * otherwise, and nothing of it runs before all of it has been checked.
 *
 * <p>It is driven as {@link MigrationSource} is.
 */
public final class MigrationTarget implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MigrationTarget.class);
  private static final long HEARTBEAT_NS = 1_000_000_000L;

  private static final long NEVER_NS = Long.MIN_VALUE;

  /** More than a source sends to find out what the way carries. */
  private static final long MAX_PROBE_BYTES = 64L << 20;

  private final MigrationLink link;
  private final TargetHost host;
  private final Lanes lanes;
  private final long peerTimeoutNs;
  private final PhaseLog<TargetPhase> log;
  private final StateFrames.Reader state = new StateFrames.Reader();
  private final AtomicReference<@Nullable Reason> wanted = new AtomicReference<>();

  private @Nullable Offer offer;
  private @Nullable TargetMachine machine;
  private @Nullable ByteBuffer machineAnswer;
  private @Nullable GuestRestore restore;
  private @Nullable MemoryTarget memory;
  private volatile @Nullable Reason reason;
  private boolean asked;
  private long probedBytes;
  private boolean accepted;
  private boolean deviceRestored;
  private boolean built;
  private long restoringNs = NEVER_NS;
  private long builtNs = NEVER_NS;
  private int barrierTold;
  private long nowNs;
  private long lastSentNs;
  private long lastHeardNs;

  /**
   * With nothing divided.
   *
   * @param peerTimeoutNs longest silence of the source
   */
  public MigrationTarget(
      MigrationLink link,
      TargetHost host,
      long peerTimeoutNs,
      long nowNs,
      PhaseLog.Observer<TargetPhase> observer) {
    this(link, host, Lanes.one(), peerTimeoutNs, nowNs, observer);
  }

  /**
   * @param lanes among which the work on video memory is divided; their owner's
   * @param peerTimeoutNs longest silence of the source
   */
  public MigrationTarget(
      MigrationLink link,
      TargetHost host,
      Lanes lanes,
      long peerTimeoutNs,
      long nowNs,
      PhaseLog.Observer<TargetPhase> observer) {
    this.link = link;
    this.host = host;
    this.lanes = lanes;
    this.peerTimeoutNs = peerTimeoutNs;
    this.nowNs = nowNs;
    lastHeardNs = nowNs;
    lastSentNs = nowNs;
    log = new PhaseLog<>("incoming", TargetPhase.WAITING, nowNs, TargetPhase::canBecome, observer);
  }

  /** Where it stands. */
  public TargetPhase phase() {
    return log.phase();
  }

  /** What was offered; empty before. */
  public Optional<Offer> offer() {
    return Optional.ofNullable(offer);
  }

  /** Why it was discarded. */
  public Optional<Reason> reason() {
    return Optional.ofNullable(reason);
  }

  /** Gives up at the next step, unless it is too late. */
  public void abort(Reason why) {
    wanted.compareAndSet(null, why);
  }

  /** Gives up at once, unless it is too late: called by whoever drives, when a source inquires. */
  public void discardNow(Reason why) {
    if (phase().canDiscard()) {
      discard(why, true);
    }
  }

  /**
   * Does what can be done now.
   *
   * @return how much was done
   */
  public int doWork(long now) {
    nowNs = now;
    if (phase().isOver()) {
      return 0;
    }
    try {
      Reason asked = wanted.get();
      if (asked != null && phase().canDiscard()) {
        discard(asked, true);
        return 1;
      }
      return step();
    } catch (SluiceException e) {
      if (!phase().canDiscard()) {
        throw e;
      }
      discard(Reason.of(e), true);
      return 1;
    }
  }

  private int step() {
    TargetPhase before = phase();
    int worked = listen();
    if (phase().canDiscard() && nowNs - lastHeardNs > peerTimeoutNs) {
      discard(
          new Reason(
              "SLU-MIG-030", "the source is silent, seconds=" + peerTimeoutNs / 1_000_000_000, ""),
          true);
    }
    worked +=
        switch (phase()) {
          case RECEIVING -> receive();
          case RESTORING -> restoring();
          case WAITING -> asked ? forgetProbes() : 0;
          case READY, COMMITTING, RUNNING, DISCARDED -> 0;
        };
    return worked + (phase() == before ? 0 : 1);
  }

  // ---- what comes ----

  private int listen() {
    int heard = 0;
    TargetPhase before = phase();
    Frame frame = link.poll(MigrationLink.CONTROL);
    while (frame != null) {
      heard++;
      lastHeardNs = nowNs;
      take(frame);
      frame = phase() == before ? link.poll(MigrationLink.CONTROL) : null;
    }
    if (phase().canDiscard() && nowNs - lastSentNs > HEARTBEAT_NS) {
      send(Frame.of(FrameType.HEARTBEAT));
    }
    return heard;
  }

  private void take(Frame frame) {
    switch (frame.type()) {
      case HEARTBEAT -> {}
      case OFFER -> {
        require(phase() == TargetPhase.WAITING, frame);
        offered(Offer.decode(frame));
      }
      case INQUIRE -> {
        require(phase() == TargetPhase.WAITING, frame);
        inquired(frame);
      }
      case CHECK -> {
        require(phase() == TargetPhase.WAITING, frame);
        asked = true;
        MoveQuestion question = MoveQuestion.decode(frame);
        send(MoveAnswer.to(question, host.objections(question)).encode());
      }
      case MACHINE -> {
        require(machine != null && phase().canDiscard(), frame);
        machine().tell(frame.reader());
      }
      case BUFFER, BUFFER_GONE -> {
        require(phase() == TargetPhase.RECEIVING && memory != null, frame);
        memory().control(frame);
      }
      case STATE -> {
        require(phase() == TargetPhase.RECEIVING && accepted, frame);
        state.state(frame);
      }
      case RESTORE -> {
        require(phase() == TargetPhase.RECEIVING && accepted, frame);
        state.restore(frame);
      }
      case COMMIT -> {
        require(phase() == TargetPhase.READY, frame);
        commit();
      }
      case ABORT -> discard(Reason.decode(frame), false);
      case ACCEPT,
          CHECKED,
          PROBE,
          PAGES,
          ZEROS,
          BARRIER,
          BARRIER_REACHED,
          READY,
          COMMITTED,
          RELINQUISHED ->
          require(false, frame);
    }
  }

  private void require(boolean expected, Frame frame) {
    if (!expected) {
      Payload.reader(frame).require(false, "comes out of turn, phase=" + phase());
    }
  }

  private void offered(Offer given) {
    if (Offer.SPOKEN.agreed(given.spoken()).isEmpty()) {
      Reason why = Offer.noCommonVersion(given);
      throw new RefusedException(why.code(), Errno.EPROTO, why.what(), why.remedy());
    }
    offer = given;
    TargetMachine made = host.admit(given);
    machine = made;
    machineAnswer = made.prepare(given.machine());
    enter(TargetPhase.RECEIVING, "guest=" + given.name());
  }

  private void inquired(Frame frame) {
    FieldReader in = Payload.reader(frame);
    UUID id = new UUID(in.u64(), in.u64());
    in.end();
    send(Frame.of(host.isCommitted(id) ? FrameType.COMMITTED : FrameType.RELINQUISHED));
  }

  // ---- the way ----

  private int receive() {
    if (!accepted) {
      return accept();
    }
    int worked = tellMachine();
    MemoryTarget pages = memory;
    if (pages != null) {
      worked += pages.work();
      if (pages.passReached() > barrierTold) {
        barrierTold = pages.passReached();
        send(Payload.frame(FrameType.BARRIER_REACHED, new FieldWriter().bits(barrierTold)));
      }
    }
    MachineProgress progress = requireMachine();
    boolean pagesAreHere =
        state.isComplete() && (pages == null || pages.passReached() >= state.passes());
    if (pagesAreHere && progress.state() == MachineProgress.State.COMPLETED) {
      enter(TargetPhase.RESTORING, "all has arrived");
      worked++;
    }
    return worked;
  }

  /** They have done what they are for by arriving. */
  private int forgetProbes() {
    int forgotten = 0;
    for (int stream = 1; stream <= link.dataStreams(); stream++) {
      Frame frame = link.poll(stream);
      while (frame != null) {
        probedBytes += frame.sizeBytes();
        require(frame.type() == FrameType.PROBE && probedBytes <= MAX_PROBE_BYTES, frame);
        forgotten++;
        lastHeardNs = nowNs;
        frame = link.poll(stream);
      }
    }
    return forgotten;
  }

  private int tellMachine() {
    ByteBuffer message = machine().message();
    if (message == null) {
      return 0;
    }
    send(Frame.of(FrameType.MACHINE, message));
    return 1;
  }

  /** Once something is attached that can receive. */
  private int accept() {
    Offer given = given();
    if (given.apertureBytes() > 0) {
      Optional<MappedGuest> guest = host.guest();
      if (guest.isEmpty()) {
        return 0;
      }
      checkFits(given, guest.get());
      GuestRestore begun = guest.get().guest().move().receive();
      restore = begun;
      memory =
          new MemoryTarget(
              guest.get().guest().move(),
              begun,
              guest.get().vramFile().map(file -> new Aperture(file, guest.get().vram())),
              guest.get().kernel(),
              link,
              lanes);
    }
    FieldWriter answer = new FieldWriter().bits(Offer.SPOKEN.agreed(given.spoken()).orElseThrow());
    ByteBuffer machineSays = machineAnswer;
    host.prepareCommit(given);
    send(Payload.frame(FrameType.ACCEPT, machineSays == null ? answer : answer.raw(machineSays)));
    accepted = true;
    return 1;
  }

  private static void checkFits(Offer given, MappedGuest guest) {
    if (guest.guest().info().chipset() != given.chipset()) {
      throw new RefusedException(
          "SLU-MIG-033",
          Errno.ENODEV,
          "the GPU is of another kind, chipset=0x"
              + Integer.toHexString(guest.guest().info().chipset())
              + " source=0x"
              + Integer.toHexString(given.chipset()),
          "Choose a destination with a GPU of the same kind.");
    }
    long limit = guest.guest().memoryUse().limitBytes();
    if (given.vramUsedBytes() > limit) {
      throw new RefusedException(
          "SLU-MIG-034",
          Errno.ENOMEM,
          "the guest holds more video memory than it may have here, bytes="
              + given.vramUsedBytes()
              + " limit="
              + limit,
          "Raise the guest's limit at the destination, or choose another.");
    }
  }

  /** Up to the record a machine that has ended costs nothing: the source's goes on. */
  private MachineProgress requireMachine() {
    MachineProgress progress = machine().progress();
    if (progress.state() == MachineProgress.State.FAILED) {
      throw new RefusedException("SLU-MIG-032", Errno.EIO, progress.failure(), "");
    }
    return progress;
  }

  private int restoring() {
    MachineProgress _ = requireMachine();
    closeMemory();
    if (restoringNs == NEVER_NS) {
      restoringNs = nowNs;
    }
    int worked = 0;
    if (!deviceRestored && machine().restore(state.device())) {
      deviceRestored = true;
      worked++;
    }
    // The machine restores its device by itself meanwhile; a process' guest is there only then.
    if (!built && (deviceRestored || host.guest().isPresent())) {
      build();
      built = true;
      worked++;
    } else if (built && builtNs == NEVER_NS) {
      builtNs = nowNs;
      worked++;
    } else if (built && deviceRestored) {
      send(Frame.of(FrameType.READY));
      enter(
          TargetPhase.READY,
          "the guest is built, guestNs="
              + (builtNs - restoringNs)
              + " deviceNs="
              + (nowNs - restoringNs));
      worked++;
    }
    return worked;
  }

  private void build() {
    MappedGuest guest =
        host.guest()
            .orElseThrow(() ->
                new RefusedException(
                    "SLU-MIG-035", Errno.ENOTCONN, "the machine has left its device", ""));
    List<StateRecord> records = Snapshot.read(state.records());
    GuestRestore target = restore == null ? guest.guest().move().receive() : restore;
    restore = target;
    target.finish(renamed(records, guest.guest().name()));
    for (StateFrames.ControlPageWords page : state.controlPages()) {
      if (!guest.guest().channelIds().contains(page.channelId())) {
        throw new RefusedException(
            "SLU-MIG-036",
            Errno.EPROTO,
            "a control page of no channel, cid=" + page.channelId(),
            "");
      }
      ControlWordsCopy.put(page.words(), guest.control(), page.channelId());
    }
  }

  /** A clone has another name than what it was made from. */
  private static List<StateRecord> renamed(List<StateRecord> records, String name) {
    return records.stream()
        .map(record ->
            record instanceof GuestRecord was
                ? new GuestRecord(name, was.generation(), was.vramLimitBytes(), was.chipset())
                : record)
        .toList();
  }

  private void commit() {
    Offer given = given();
    MachineProgress _ = requireMachine();
    enter(TargetPhase.COMMITTING, "the source has given it away");
    try {
      host.commit(given);
    } catch (SluiceException e) {
      LOG.atError().addKeyValue("guest", given.name()).log("no record of the guest", e);
      Reason why = Reason.of(e);
      discard(why, false);
      sendIfPossible(why.encode()); // now that it is true: whoever reads it lets the guest run
      return;
    }
    host.guest().ifPresent(guest -> guest.guest().move().resumeAll("migrated"));
    machine().resume();
    enter(TargetPhase.RUNNING, "the record is durable");
    host.running(given);
    sendIfPossible(Frame.of(FrameType.COMMITTED));
  }

  private Offer given() {
    Offer given = offer;
    if (given == null) {
      throw new AssertionError("nothing was offered");
    }
    return given;
  }

  private TargetMachine machine() {
    TargetMachine made = machine;
    if (made == null) {
      throw new AssertionError("nothing was admitted");
    }
    return made;
  }

  private MemoryTarget memory() {
    MemoryTarget made = memory;
    if (made == null) {
      throw new AssertionError("nothing was admitted");
    }
    return made;
  }

  private void discard(Reason why, boolean tell) {
    reason = why;
    enter(TargetPhase.DISCARDED, why.what());
    if (tell) {
      sendIfPossible(why.encode());
    }
    closeMemory();
    try {
      if (restore != null) {
        restore.discard();
      }
    } finally {
      if (machine != null) {
        machine.abort();
      }
      host.discard(why);
    }
  }

  private void send(Frame frame) {
    link.send(MigrationLink.CONTROL, frame);
    lastSentNs = nowNs;
  }

  private void sendIfPossible(Frame frame) {
    try {
      if (link.failure().isEmpty()) {
        send(frame);
      }
    } catch (SluiceException _) {
      // It ended just now; the source asks when it needs to know.
    }
  }

  /** Lets go of what it holds of its own; link and host stay the caller's. */
  @Override
  public void close() {
    closeMemory();
  }

  private void closeMemory() {
    if (memory != null) {
      memory.close();
      memory = null;
    }
  }

  private void enter(TargetPhase next, String why) {
    log.transition(next, nowNs, why);
  }
}
