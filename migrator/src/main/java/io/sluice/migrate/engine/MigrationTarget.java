package io.sluice.migrate.engine;

import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.channel.guest.GuestRestore;
import io.sluice.migrate.engine.Incoming.Admitted;
import io.sluice.migrate.engine.Incoming.Build;
import io.sluice.migrate.engine.Incoming.Committing;
import io.sluice.migrate.engine.Incoming.Decided;
import io.sluice.migrate.engine.Incoming.Discarded;
import io.sluice.migrate.engine.Incoming.Held;
import io.sluice.migrate.engine.Incoming.Offered;
import io.sluice.migrate.engine.Incoming.Ready;
import io.sluice.migrate.engine.Incoming.Receiving;
import io.sluice.migrate.engine.Incoming.RestoreTimes;
import io.sluice.migrate.engine.Incoming.Restoring;
import io.sluice.migrate.engine.Incoming.Running;
import io.sluice.migrate.engine.Incoming.Waiting;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.link.PeerTalk;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.memory.MemoryTarget;
import io.sluice.migrate.memory.MemoryTarget.MappedVideoMemory;
import io.sluice.migrate.phase.PhaseLog;
import io.sluice.migrate.phase.RetriedStep;
import io.sluice.migrate.phase.StateMachine;
import io.sluice.migrate.phase.TargetPhase;
import java.nio.ByteBuffer;
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

  /** More than a source sends to find out what the way carries. */
  private static final long MAX_PROBE_BYTES = 64L << 20;

  private final MigrationLink link;
  private final TargetHost host;
  private final Lanes lanes;
  private final long peerTimeoutNs;
  private final PhaseLog<TargetPhase> log;
  private final StateMachine<IncomingStage, Incoming> state =
      new StateMachine<>("incoming", new Waiting(false, 0));
  private final StateFrames.Reader frames = new StateFrames.Reader();
  private final PeerTalk talk;
  private final AtomicReference<@Nullable Reason> wanted = new AtomicReference<>();
  private long nowNs;

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
    talk = new PeerTalk(link, nowNs);
    log = new PhaseLog<>("incoming", TargetPhase.WAITING, nowNs, TargetPhase::canBecome, observer);
  }

  /** Where it stands. */
  public TargetPhase phase() {
    return log.phase();
  }

  /** What was offered; empty before. */
  public Optional<Offer> offer() {
    return switch (state.state()) {
      case Waiting _ -> Optional.empty();
      case Offered(Offer offer, _) -> Optional.of(offer);
      case Held held -> Optional.of(held.offer());
      case Decided decided -> Optional.of(decided.offer());
      case Running(Offer offer, _) -> Optional.of(offer);
      case Discarded(Offer offer, _) -> Optional.ofNullable(offer);
    };
  }

  /** Why it was discarded, or why it does not go on though it is this side's. */
  public Optional<Reason> reason() {
    return switch (state.state()) {
      case Discarded(_, Reason why) -> Optional.of(why);
      case Running(_, Reason stands) -> Optional.ofNullable(stands);
      case Waiting _, Offered _, Held _, Decided _ -> Optional.empty();
    };
  }

  private void enter(Incoming next, String why) {
    state.enter(next, why);
    TargetPhase phase = next.stage().phase();
    if (phase != log.phase()) {
      log.transition(phase, nowNs, why);
    }
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
    // What has been given away and what is decided: whatever becomes of the link.
    if (state.state() instanceof Committing committing) {
      return commit(committing);
    }
    if (state.state() instanceof Decided decided) {
      return letGoOn(decided);
    }
    TargetPhase before = phase();
    int worked = listen();
    if (phase().canDiscard() && talk.lookForSilence(nowNs) > peerTimeoutNs) {
      discard(
          new Reason(
              MigrationCode.SOURCE_SILENT,
              "the source is silent, seconds=" + peerTimeoutNs / 1_000_000_000,
              ""),
          true);
    }
    worked +=
        switch (state.state()) {
          case Waiting(boolean asked, long probed) -> asked ? forgetProbes(probed) : 0;
          case Admitted admitted -> accept(admitted);
          case Receiving receiving -> receive(receiving);
          case Restoring restoring -> restore(restoring);
          case Offered _, Ready _, Committing _, Decided _, Running _, Discarded _ -> 0;
        };
    return worked + (phase() == before ? 0 : 1);
  }

  // ---- what comes ----

  private int listen() {
    int heard = 0;
    TargetPhase before = phase();
    Frame frame = talk.poll(nowNs);
    while (frame != null) {
      heard++;
      take(frame);
      frame = phase() == before ? talk.poll(nowNs) : null;
    }
    if (phase().canDiscard()) {
      talk.sendHeartbeat(nowNs);
    }
    return heard;
  }

  private void take(Frame frame) {
    switch (frame.type()) {
      case HEARTBEAT -> {}
      case OFFER -> {
        Waiting _ = require(Waiting.class, frame);
        offered(Offer.decode(frame));
      }
      case INQUIRE -> {
        Waiting _ = require(Waiting.class, frame);
        inquired(frame);
      }
      case CHECK -> {
        Waiting waiting = require(Waiting.class, frame);
        enter(new Waiting(true, waiting.probedBytes()), "it is asked");
        MoveQuestion question = MoveQuestion.decode(frame);
        send(MoveAnswer.to(question, host.objections(question)).encode());
      }
      case MACHINE -> {
        Held held = require(Held.class, frame);
        require(phase().canDiscard(), frame);
        held.machine().tell(frame.reader());
      }
      case BUFFER, BUFFER_GONE -> {
        MemoryTarget memory = require(Receiving.class, frame).memory();
        if (memory == null) {
          throw outOfTurn(frame);
        }
        memory.control(frame);
      }
      case STATE -> {
        Receiving _ = require(Receiving.class, frame);
        frames.state(frame);
      }
      case RESTORE -> {
        Receiving _ = require(Receiving.class, frame);
        frames.restore(frame);
      }
      case COMMIT -> commit(require(Ready.class, frame));
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

  private <S extends Incoming> S require(Class<S> expected, Frame frame) {
    require(expected.isInstance(state.state()), frame);
    return expected.cast(state.state());
  }

  private void require(boolean expected, Frame frame) {
    if (!expected) {
      throw outOfTurn(frame);
    }
  }

  private RefusedException outOfTurn(Frame frame) {
    return Payload.refused(frame, "comes out of turn, phase=" + phase());
  }

  private void offered(Offer given) {
    if (Offer.SPOKEN.agreed(given.spoken()).isEmpty()) {
      Reason why = Offer.noCommonVersion(given);
      throw new RefusedException(why.code(), Errno.EPROTO, why.what(), why.remedy());
    }
    log.setName(given.name());
    enter(new Offered(given, null), "guest=" + given.name());
    TargetMachine machine = host.admit(given);
    enter(new Offered(given, machine), "there is room");
    ByteBuffer answer = machine.prepare(given.machine());
    enter(new Admitted(given, machine, answer), "guest=" + given.name());
  }

  private void inquired(Frame frame) {
    FieldReader in = Payload.reader(frame);
    UUID id = new UUID(in.u64(), in.u64());
    in.end();
    send(Frame.of(host.isCommitted(id) ? FrameType.COMMITTED : FrameType.RELINQUISHED));
  }

  /**
   * They have done what they are for by arriving.
   *
   * @param before bytes of those that came before
   */
  private int forgetProbes(long before) {
    int forgotten = 0;
    long bytes = before;
    for (int stream = 1; stream <= link.dataStreams(); stream++) {
      Frame frame = link.poll(stream);
      while (frame != null) {
        bytes += frame.sizeBytes();
        require(frame.type() == FrameType.PROBE && bytes <= MAX_PROBE_BYTES, frame);
        forgotten++;
        talk.heard(nowNs);
        frame = link.poll(stream);
      }
    }
    if (forgotten > 0) {
      enter(new Waiting(true, bytes), "probes have come");
    }
    return forgotten;
  }

  // ---- the way ----

  /** Once something is attached that can receive. */
  private int accept(Admitted admitted) {
    Offer given = admitted.offer();
    if (given.apertureBytes() > 0) {
      Optional<MappedGuest> guest = host.guest();
      if (guest.isEmpty()) {
        return 0;
      }
      guest.get().requireRoom(given);
      receive(admitted, guest.get());
    } else {
      enter(new Receiving(given, admitted.machine(), null, null, 0), "no memory is sent");
    }
    FieldWriter answer = new FieldWriter().bits(Offer.SPOKEN.agreed(given.spoken()).orElseThrow());
    host.prepareCommit(given);
    send(Payload.frame(FrameType.ACCEPT, answer.raw(admitted.answer())));
    return 1;
  }

  /** What was begun is known, should the rest of it not be possible. */
  private void receive(Admitted admitted, MappedGuest guest) {
    GuestRestore begun = guest.guest().move().receive();
    Receiving receiving = new Receiving(admitted.offer(), admitted.machine(), begun, null, 0);
    enter(receiving, "a guest is attached");
    MemoryTarget memory =
        new MemoryTarget(
            guest.guest().move(),
            begun,
            guest.vramFile().map(file -> new MappedVideoMemory(file, guest.vram())),
            guest.kernel(),
            link,
            lanes);
    enter(receiving.with(memory, 0), "its memory may come");
  }

  private int receive(Receiving receiving) {
    int worked = 0;
    MemoryTarget pages = receiving.memory();
    if (pages != null) {
      worked += pages.work();
      if (pages.passReached() > receiving.barrier()) {
        enter(receiving.with(pages, pages.passReached()), "a pass has come");
        send(Payload.frame(FrameType.BARRIER_REACHED, new FieldWriter().bits(pages.passReached())));
      }
    }
    MachineProgress progress = requireMachine(receiving);
    boolean pagesAreHere =
        frames.isComplete() && (pages == null || pages.passReached() >= frames.passes());
    if (pagesAreHere && progress.state() == MachineProgress.State.COMPLETED) {
      enter(
          new Restoring(
              receiving.offer(),
              receiving.machine(),
              receiving.guest(),
              nowNs,
              false,
              new Build.Pending()),
          "all has arrived");
      close(receiving);
      worked++;
    }
    return worked;
  }

  /** Up to the record a machine that has ended costs nothing: the source's goes on. */
  private static MachineProgress requireMachine(Held held) {
    MachineProgress progress = held.machine().progress();
    if (progress.state() == MachineProgress.State.FAILED) {
      throw new RefusedException(MigrationCode.TARGET_MACHINE, Errno.EIO, progress.failure(), "");
    }
    return progress;
  }

  /** The machine restores its device by itself; a process' guest is there only when it has. */
  private int restore(Restoring before) {
    MachineProgress _ = requireMachine(before);
    Restoring now = before;
    if (!now.deviceIsBuilt() && now.machine().restore(frames.device())) {
      now = now.withDevice();
      enter(now, "the device is restored");
    }
    switch (now.build()) {
      case Build.Pending _ -> {
        if (now.deviceIsBuilt() || host.guest().isPresent()) {
          build(now);
        }
      }
      case Build.Done(GuestRestore guest) ->
          enter(
              now.with(guest, new Build.Timed(guest, nowNs - now.sinceNs())), "the guest is built");
      case Build.Timed(GuestRestore guest, long ns) -> {
        if (now.deviceIsBuilt()) {
          send(Frame.of(FrameType.READY));
          RestoreTimes took = new RestoreTimes(ns, nowNs - now.sinceNs());
          enter(
              new Ready(now.offer(), now.machine(), guest, took), "guest and device are restored");
        }
      }
    }
    return state.state() == before ? 0 : 1;
  }

  private void build(Restoring now) {
    MappedGuest guest =
        host.guest()
            .orElseThrow(() ->
                new RefusedException(
                    MigrationCode.MACHINE_LEFT,
                    Errno.ENOTCONN,
                    "the machine has left its device",
                    ""));
    GuestRestore begun = now.guest();
    GuestRestore target = begun == null ? guest.guest().move().receive() : begun;
    enter(now.with(target, new Build.Pending()), "a guest is attached");
    frames.finish(target, guest);
    enter(now.with(target, new Build.Done(target)), "the guest is built");
  }

  private void commit(Ready ready) {
    MachineProgress _ = requireMachine(ready);
    enter(
        new Committing(ready.offer(), ready.machine(), ready.guest()),
        "the source has given it away");
  }

  /** Tried again when anything but a refusal is thrown: nobody else would. */
  private int commit(Committing now) {
    Decided next =
        new Decided(
            now.offer(),
            new RetriedStep("letting the channels of a guest that has come go on", this::resumeAll),
            new RetriedStep("letting a guest that has come run", now.machine()::resume));
    try {
      host.commit(now.offer());
    } catch (SluiceException e) {
      LOG.atError().addKeyValue("guest", now.offer().name()).log("no record of the guest", e);
      Reason why = Reason.of(e);
      discard(why, false);
      sendIfPossible(why.encode()); // now that it is true: whoever reads it lets the guest run
      return 1;
    }
    enter(next, "the record is durable");
    int _ = letGoOn(next);
    sendIfPossible(Frame.of(FrameType.COMMITTED));
    return 1;
  }

  private void resumeAll() {
    host.guest().ifPresent(guest -> guest.guest().move().resumeAll("migrated"));
  }

  /** The machine runs behind its channels, or without those that fail for good. */
  private int letGoOn(Decided now) {
    if (!now.poll(nowNs)) {
      return 0;
    }
    Reason stands = now.failed().map(this::stands).orElse(null);
    String how = stands == null ? "the record is durable" : stands.what();
    enter(new Running(now.offer(), stands), how);
    host.running(now.offer());
    return 1;
  }

  private Reason stands(RetriedStep step) {
    Reason why =
        new Reason(
            MigrationCode.STANDS,
            step.name() + " fails: " + step.failure().map(String::valueOf).orElse(""),
            MigrationCode.STANDS.text().remedy());
    LOG.atError()
        .addKeyValue("guest", offer().map(Offer::name).orElse(""))
        .addKeyValue("code", why.code())
        .log("a guest that has come does not go on: {}", why);
    return why;
  }

  private void discard(Reason why, boolean tell) {
    Incoming left = state.state();
    try {
      enter(new Discarded(offer().orElse(null), why), why.what());
      if (tell) {
        sendIfPossible(why.encode());
      }
    } finally { // of what was built nothing stays, whoever cannot be told
      try {
        close(left);
      } finally {
        takeAway(left, why);
      }
    }
  }

  private void takeAway(Incoming left, Reason why) {
    try {
      if (left instanceof Held held && held.guest() != null) {
        held.guest().discard();
      }
    } finally {
      TargetMachine machine =
          switch (left) {
            case Held held -> held.machine();
            case Offered(_, TargetMachine made) -> made;
            case Waiting _, Decided _, Running _, Discarded _ -> null;
          };
      try {
        if (machine != null) {
          machine.abort();
        }
      } finally {
        host.discard(why);
      }
    }
  }

  private void send(Frame frame) {
    talk.send(frame, nowNs);
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
    close(state.state());
  }

  private static void close(Incoming left) {
    if (left instanceof Receiving receiving && receiving.memory() != null) {
      receiving.memory().close();
    }
  }
}
