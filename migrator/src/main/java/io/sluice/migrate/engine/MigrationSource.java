package io.sluice.migrate.engine;

import io.sluice.abi.FieldReader;
import io.sluice.abi.SluiceException;
import io.sluice.channel.guest.GuestMove;
import io.sluice.channel.guest.GuestMove.Drain;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.link.PeerTalk;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.machine.StopApproach;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.memory.MemorySource;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.PhaseLog;
import io.sluice.migrate.phase.StateMachine;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The source's side of a migration: moves one guest to whoever is at the other end of a link, or
 * leaves it as it was.
 *
 * <p>It is driven: {@link #doWork} does what can be done now and never blocks. One thread drives;
 * {@link #abort} and {@link #status} may be called by any.
 */
public final class MigrationSource implements AutoCloseable {
  private final MappedGuest mapped;
  private final GuestMove move;
  private final SourceMachine machine;
  private final MigrationSettings settings;
  private final UUID id;
  private final boolean copiesMemory; // video memory
  private final boolean handsOver; // control pages and guest memory
  private final MemorySource memory;
  private final PhaseLog<Phase> log;
  private final SourceCopy copy;
  private final DetachPlan plan;
  private final DrainWatch drainWatch;
  private final MachineStop stop;
  private final StopApproach approach;
  private final StopPreparation preparation;
  private final SourcePatience patience;
  private final SourceState state;
  private final SourceUndo undo;
  private final AtomicReference<@Nullable Reason> wanted = new AtomicReference<>();

  private volatile PeerTalk talk; // another one to ask by
  private volatile @Nullable Reason reason;
  private volatile MigrationFigures figures = MigrationFigures.NONE;
  private volatile long nowNs;
  private volatile int agreedVersion; // 0 before
  private long switchOverNs;
  private long leftBytes; // to be copied yet, when access was about to be taken back
  private final StateMachine<Agreement, Agreement> agreement =
      new StateMachine<>("agreement", Agreement.NONE);

  /**
   * The parts that a migration works with; all of them stay the caller's.
   *
   * @param guest what moves
   * @param machine the machine that uses it
   * @param link to the destination
   * @param lanes among which the work on video memory is divided
   */
  public record MigrationParts(
      MappedGuest guest, SourceMachine machine, MigrationLink link, Lanes lanes) {}

  /**
   * @param id of this attempt, drawn at random
   * @param random keys of the fingerprints; not to be guessed by a guest
   */
  public MigrationSource(
      MigrationParts parts,
      MigrationSettings settings,
      UUID id,
      RandomGenerator random,
      long nowNs,
      PhaseLog.Observer<Phase> observer) {
    mapped = parts.guest();
    machine = parts.machine();
    MigrationLink link = parts.link();
    talk = new PeerTalk(link, nowNs);
    this.settings = settings;
    this.id = id;
    this.nowNs = nowNs;
    move = mapped.guest().move();
    handsOver = machine.handsMemoryOver();
    copiesMemory = !handsOver || !mapped.hasAperture();
    memory =
        new MemorySource(
            move,
            mapped.vram(),
            mapped.kernel(),
            mapped.guest().capabilities(),
            link,
            parts.lanes(),
            settings.detection(),
            random);
    log = new PhaseLog<>(mapped.guest().name(), Phase.PREPARE, nowNs, Phase::canBecome, observer);
    LinkRate rate = new LinkRate(settings.linkBytesPerSecond());
    plan = new DetachPlan(settings.detach());
    drainWatch = new DrainWatch(mapped.guest().name(), move, settings);
    stop = new MachineStop(machine);
    approach = stop.approach(plan::isDrainShort);
    copy = new SourceCopy(memory, stop, link, rate, !settings.keepSource());
    preparation = new StopPreparation(machine, move, memory, copiesMemory);
    state = new SourceState(mapped, machine, memory, copiesMemory, preparation);
    undo = new SourceUndo(mapped.guest().name(), move, machine, memory::close);
    patience = new SourcePatience(mapped.guest().name(), settings, rate, nowNs);
  }

  /** Of this attempt. */
  public UUID id() {
    return id;
  }

  /** Where it stands. */
  public Phase phase() {
    return log.phase();
  }

  /** Why it was given up; empty when it was not. */
  public Optional<Reason> reason() {
    return Optional.ofNullable(reason);
  }

  /** Gives up at the next step, unless it is too late. */
  public void abort(Reason why) {
    wanted.compareAndSet(null, why);
  }

  /** Whether the destination's word is needed and the link it would come by has ended. */
  public boolean isUndecided() {
    return phase() == Phase.COMMIT && link().failure().isPresent();
  }

  /** A new link, to ask the destination what became of the guest. */
  public void inquire(MigrationLink newLink) {
    if (!isUndecided()) {
      throw new IllegalStateException("nothing to ask, phase=" + phase());
    }
    talk = new PeerTalk(newLink, nowNs);
    agreement.enter(Agreement.TO_ASK, "another link stands");
  }

  /**
   * The operator knows that the destination is dead and will never run the guest: it goes on here.
   */
  public void reclaim(Reason why) {
    if (phase() != Phase.COMMIT) {
      throw new IllegalStateException("nothing to reclaim, phase=" + phase());
    }
    giveUp(why);
  }

  /** The operator knows that the destination runs the guest: what is here of it ends. */
  public void relinquish() {
    if (phase() != Phase.COMMIT) {
      throw new IllegalStateException("nothing to relinquish, phase=" + phase());
    }
    gone("it runs at the destination, the operator says");
  }

  private void gone(String why) {
    memory.close();
    machine.finish();
    enter(Phase.DONE, why);
  }

  /** The snapshot an operator sees. */
  public MigrationStatus status() {
    return new MigrationStatus(
        id,
        mapped.guest().name(),
        phase(),
        log.entries(),
        reason(),
        memory.bytesKnown(),
        memory.bytesLeft(),
        memory.pass(),
        memory.pagesSent() + memory.zerosSent(),
        memory.passPagesSent(),
        memory.pagesHashed(),
        memory.pagesSampledAway(),
        state.redirtiedBytes(),
        copy.bytesPerSecond(),
        plan.expectedDrainNs(),
        link().statistics(),
        MigrationStatus.MachineBytes.of(machine, !settings.keepSource()),
        agreedVersion,
        undo.wentOnNs(),
        figures,
        nowNs);
  }

  /** Lets go of what it holds of its own; the parts stay the caller's. */
  @Override
  public void close() {
    memory.close();
  }

  /**
   * Does what can be done now.
   *
   * @param now of a monotonic clock
   * @return how much was done; 0 when there is nothing to do until something happens
   */
  public int doWork(long now) {
    nowNs = now;
    if (phase().isOver()) {
      return 0;
    }
    try {
      return step();
    } catch (SluiceException e) {
      if (phase().canAbort()) {
        giveUp(Reason.of(e));
        return 1;
      }
      // Undecided, or taking back: the link's end changes nothing there.
      if (agreement.stage().isAsked()) {
        link().close(); // whatever was said there is no answer: it is asked again
      }
      return 0;
    }
  }

  private int step() {
    Reason asked = wanted.get();
    if (asked != null && phase().canAbort()) {
      giveUp(asked);
      return 1;
    }
    Phase before = phase();
    if (before == Phase.ABORTING) {
      return undo();
    }
    int worked = listen();
    if (phase() != before) {
      return worked + 1;
    }
    watchTime();
    worked += tellMachine();
    worked +=
        switch (phase()) {
          case PREPARE -> prepare();
          case PRE_COPY -> preCopy();
          case DETACH -> detach();
          case DRAIN -> drain();
          case FINAL_COPY -> finalCopy();
          case SWITCH_OVER -> switchOver();
          case RESTORE, DONE, ABORTING, ABORTED -> 0;
          case COMMIT -> inquireOnce();
        };
    return worked + (phase() == before ? 0 : 1);
  }

  // ---- the way ----

  private int prepare() {
    if (agreement.stage() != Agreement.NONE) {
      return 0;
    }
    List<Reason> obstacles = SourceObstacles.of(mapped, machine, copiesMemory);
    if (!obstacles.isEmpty()) {
      giveUp(obstacles.getFirst());
      return 1;
    }
    send(Offer.of(mapped, id, copiesMemory, link().dataStreams(), machine.describe()).encode());
    agreement.enter(Agreement.OFFERED, "the offer is sent");
    return 1;
  }

  private void accepted(Frame frame) {
    FieldReader in = Payload.reader(frame);
    int version = in.bits();
    in.require(
        version >= Offer.SPOKEN.oldest() && version <= Offer.VERSION, "speaks no version of ours");
    agreement.enter(Agreement.ACCEPTED, "the destination has room");
    agreedVersion = version;
    ByteBuffer answer = in.rest();
    // Before the machine begins: one that fails on the way into it is taken back, too.
    enter(Phase.PRE_COPY, "the destination is ready");
    machine.start(answer);
    if (!handsOver && !machine.asksForGuestWrites()) {
      memory.forgetGuestMemory();
    }
    if (copiesMemory) {
      memory.beginPass();
    }
  }

  private int preCopy() {
    int worked = copyOn();
    if (phase() != Phase.PRE_COPY) {
      return worked; // the machine has failed meanwhile
    }
    plan.observe(move.look().longestNs());
    long left = copy.leftBytes();
    boolean copied = !memory.isPassing() && stop.isReady(plan.hasSeenCommands());
    boolean planned = plan.isDue(copy.durationNs(left), copied) && approach.advance(nowNs);
    if ((patience.isForced() || planned) && patience.isHeard(talk.sinceHeardNs(nowNs))) {
      leftBytes = left;
      enter(
          Phase.DETACH,
          patience.isForced() ? "forced" : "little is left, or as much as the GPU has to do");
      return worked + 1;
    }
    boolean again = memory.pass() < settings.livePasses() && !approach.isWaiting();
    if (copiesMemory && !memory.isPassing() && again) {
      memory.beginPass();
      worked++;
    }
    stop.works(plan.hasSeenCommands());
    return worked;
  }

  private int copyOn() {
    int worked = copy.work(nowNs);
    checkMachine();
    return worked;
  }

  private int detach() {
    GuestMove.InFlight underWay = move.look();
    long drainNs = plan.expectedDrainNs();
    int detached = move.detachAll("migration");
    drainWatch.begin(nowNs);
    figures =
        figures.with(
            new MigrationFigures.DetachFigures(
                leftBytes, drainNs, detached, underWay.running(), underWay.entries()));
    enter(Phase.DRAIN, "access is taken back");
    return 1;
  }

  /** What is left is copied meanwhile; then the machine is stopped. */
  private int drain() {
    int worked = copyOn();
    if (phase() != Phase.DRAIN) {
      return worked; // the machine has failed meanwhile
    }
    long starts = move.starts();
    Drain found = move.drain("migration");
    if (found instanceof Drain.Draining busy) {
      int ended = drainWatch.ended();
      drainWatch.look(busy, nowNs).ifPresent(this::giveUp);
      if (phase() == Phase.DRAIN) {
        stop.works(plan.hasSeenCommands());
        approach.look(nowNs);
        plan.observe(move.look().longestNs());
        worked +=
            copy.isQueueShort(0) ? preparation.whileDraining(plan.expectedDrainNs(), nowNs) : 0;
      }
      return worked + drainWatch.ended() - ended;
    }
    boolean forced = patience.isForced();
    worked += preparation.begin(stop.isStopped(), forced, starts, nowNs);
    boolean settled = preparation.isDone(nowNs) && copy.isQueueShort(stop.queuedNs());
    worked += stop.drained(nowNs, settled, forced);
    if (memory.isPassing() || !stop.isStopped()) {
      return worked;
    }
    // The guest stands still now: what it started since the last look is found by this one.
    if (move.drain("migration") instanceof Drain.Drained(int parked)) {
      if (copiesMemory) {
        memory.beginPass();
      }
      figures = figures.with(stopFigures(parked));
      enter(Phase.FINAL_COPY, "the GPU has drained, and the guest stands");
    }
    return worked + 1;
  }

  private MigrationFigures.StopFigures stopFigures(int parked) {
    return new MigrationFigures.StopFigures(
        stop.idleNs(nowNs),
        stop.settleNs(nowNs),
        copy.stoodNs(nowNs),
        preparation.drainPages(),
        preparation.settledPages(),
        preparation.isTouched(),
        parked,
        drainWatch.ended());
  }

  private int finalCopy() {
    checkMachine();
    if (phase() != Phase.FINAL_COPY) {
      return 1; // it has failed, and runs again
    }
    int worked = memory.work(MemorySource.PAGES_AT_ONCE);
    if (!state.isTaken()) {
      Optional<List<Frame>> told = state.take(nowNs);
      told.ifPresent(frames -> frames.forEach(this::send));
      return worked + (told.isPresent() ? 1 : 0);
    }
    if (state.isRedirtying() && state.redirtyOn(nowNs)) {
      worked++;
    }
    if (!state.isRedirtying() && !memory.isPassing()) {
      machine.switchOver();
      switchOverNs = nowNs;
      figures = figures.with(state.figures(), machine.sessions());
      enter(Phase.SWITCH_OVER, "all is sent");
      worked++;
    }
    return worked;
  }

  private int switchOver() {
    if (machine.progress().state() == State.COMPLETED) {
      enter(Phase.RESTORE, "its memory is there");
      if (agreement.stage() == Agreement.READY) {
        commit();
      }
      return 1;
    }
    checkMachine();
    if (phase() == Phase.SWITCH_OVER) {
      patience.withLastPass(nowNs - switchOverNs, stop.bytesLeft()).ifPresent(this::giveUp);
    }
    return 0;
  }

  private int inquireOnce() {
    if (agreement.stage() != Agreement.TO_ASK) {
      return 0;
    }
    agreement.enter(Agreement.ASKED, "the question is sent");
    send(Inquiry.question(id));
    return 1;
  }

  private int tellMachine() {
    ByteBuffer message = phase().canAbort() ? machine.pollMessage() : null;
    if (message == null) {
      return 0;
    }
    send(Frame.of(FrameType.MACHINE, message));
    return 1;
  }

  private void checkMachine() {
    MachineProgress progress = machine.progress();
    if (progress.state() == State.FAILED) {
      giveUp(
          new Reason(MigrationCode.MACHINE_FAILED, progress.failure(), ""),
          machine.destinationMayKnowWhy() ? new PeerFailure(link(), nowNs) : null);
    }
  }

  // ---- what comes ----

  private int listen() {
    int heard = 0;
    Frame frame = talk.poll(nowNs);
    Phase before = phase();
    while (frame != null) {
      heard++;
      take(frame);
      frame = phase() == before ? talk.poll(nowNs) : null;
    }
    talk.sendHeartbeat(nowNs);
    return heard;
  }

  private void take(Frame frame) {
    switch (frame.type()) {
      case HEARTBEAT, BARRIER_REACHED, MACHINE -> {}
      case ACCEPT -> {
        require(phase() == Phase.PREPARE && agreement.stage() == Agreement.OFFERED, frame);
        accepted(frame);
      }
      case READY -> {
        require(
            state.isTaken()
                && (phase() == Phase.FINAL_COPY
                    || phase() == Phase.SWITCH_OVER
                    || phase() == Phase.RESTORE),
            frame);
        agreement.enter(Agreement.READY, "the destination has built it");
        if (phase() == Phase.RESTORE) { // the machine's own completion may still be on its way
          commit();
        }
      }
      case COMMITTED -> {
        require(phase() == Phase.COMMIT, frame);
        gone("it runs at the destination");
      }
      case ABORT -> {
        require(!agreement.stage().isAsked(), frame); // the guest may run there all the same
        giveUp(Reason.decode(frame));
      }
      case RELINQUISHED -> {
        require(phase() == Phase.COMMIT, frame);
        giveUp(Inquiry.LOST);
      }
      default -> require(false, frame); // not a destination's to say
    }
  }

  private void commit() {
    if (settings.keepSource()) {
      send(Frame.of(FrameType.COMMIT)); // of the copy
      giveUp(new Reason("", "the copy is complete", ""));
      return;
    }
    agreement.enter(Agreement.COMMITTED, "it is given away");
    // From the moment this may have been sent, the guest is not this side's.
    enter(Phase.COMMIT, "the destination has all");
    send(Frame.of(FrameType.COMMIT));
  }

  private void require(boolean expected, Frame frame) {
    if (!expected) {
      Payload.reader(frame).require(false, "comes out of turn, phase=" + phase());
    }
  }

  private void watchTime() {
    Phase phase = phase();
    if (!phase.canAbort()) {
      return;
    }
    machine.poll(); // not in COMMIT: there the destination's word counts, whatever the machine does
    long silentNs = talk.lookForSilence(nowNs);
    boolean ours = state.isRedirtying();
    patience
        .look(phase, link().silenceNs(), silentNs, ours, copy.carriedBytes(), nowNs)
        .ifPresent(this::giveUp);
  }

  private MigrationLink link() {
    return talk.link();
  }

  private void send(Frame frame) {
    talk.send(frame, nowNs);
  }

  private void enter(Phase next, String why) {
    log.transition(next, nowNs, why);
  }

  // ---- giving up ----

  private void giveUp(Reason why) {
    giveUp(why, null);
  }

  private void giveUp(Reason why, @Nullable PeerFailure peer) {
    reason = why;
    undo.of(new UndoState.Attempt(phase(), why, nowNs, peer));
    enter(Phase.ABORTING, why.what());
  }

  private int undo() {
    if (!undo.isBegun()) {
      undo.begin(agreement.stage() == Agreement.NONE ? null : link(), nowNs);
      return 1;
    }
    if (undo.end(nowNs)) {
      reason = undo.why();
      enter(Phase.ABORTED, undo.why().what());
      return 1;
    }
    machine.poll(); // last: nothing that fails there keeps the guest
    return 0;
  }
}
