package io.sluice.migrate.session;

import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.machine.LiveMachine;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.MovedSessions;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.phase.StateMachine;
import io.sluice.migrate.qemu.RamTransport;
import io.sluice.vdevice.session.MachineSessions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A machine that moves away with its sessions. They are copied while it is; before it may stop,
 * they stand still, so that their hosts write nothing of its memory any more; what they have
 * written is carried by its last pass. When it goes on here, so do they. {@link SessionsStage} has
 * the stages.
 */
public final class SessionsSource implements SourceMachine, LiveMachine {
  private final SourceMachine machine;
  private final LiveMachine live;
  private final MachineSessions sessions;
  private final RamTransport.Source way;
  private final LeavingSessions leaving;
  private final boolean carries;
  private final List<PageRange> written = new ArrayList<>(); // by the GPU
  private final StateMachine<SessionsStage, Moving> life =
      new StateMachine<>("machine with sessions", new Moving.At(SessionsStage.OPEN));

  /** The states, each with what it must know. */
  private sealed interface Moving extends StateMachine.State<SessionsStage> {
    /**
     * {@link SessionsStage#HALTING}.
     *
     * @param stop what the machine is told once the sessions stand still
     */
    record Halting(Runnable stop) implements Moving {
      @Override
      public SessionsStage stage() {
        return SessionsStage.HALTING;
      }
    }

    /** Any other. */
    record At(SessionsStage stage) implements Moving {}
  }

  /**
   * @param machine owned
   * @param way of the sessions' streams, owned
   * @param places where those stay that do not move
   */
  public SessionsSource(
      SourceMachine machine,
      MachineSessions sessions,
      RamTransport.Source way,
      SessionPlaces places,
      Kernel kernel,
      ThreadFactory threads,
      LongSupplier nanoTime) {
    this.machine = machine;
    this.sessions = sessions;
    this.way = way;
    live = machine.live();
    leaving = new LeavingSessions(kernel, sessions, way, places, threads, nanoTime);
    carries = sessions.carry(this);
  }

  private SessionsStage stage() {
    return life.stage();
  }

  private void enter(SessionsStage next, String reason) {
    life.enter(new Moving.At(next), reason);
  }

  @Override
  public List<Blocker> blockers() {
    return machine.blockers();
  }

  @Override
  public boolean handsMemoryOver() {
    return machine.handsMemoryOver();
  }

  @Override
  public boolean asksForGuestWrites() {
    return machine.asksForGuestWrites();
  }

  @Override
  public boolean standsStill() {
    return machine.standsStill();
  }

  @Override
  public String program() {
    return machine.program();
  }

  @Override
  public @Nullable ByteBuffer pollMessage() {
    return machine.pollMessage();
  }

  @Override
  public ByteBuffer describe() {
    return SessionMessages.description(sessions.carried().size(), machine.describe());
  }

  @Override
  public void start(ByteBuffer target) {
    if (way.isAnswered()) {
      SessionMessages.Answered answered = SessionMessages.answered(target);
      machine.start(answered.machine());
      if (answered.address().hasRemaining()) { // otherwise there can be none
        leaving.start(answered.address());
      }
    } else { // a file has nothing to say
      machine.start(target);
      leaving.start(target);
    }
    enter(SessionsStage.COPYING, "the destination is ready");
  }

  @Override
  public LiveMachine live() {
    return this;
  }

  @Override
  public void poll() {
    machine.poll();
    if (stage().areMoving()) {
      leaving.look();
    } else if (stage() == SessionsStage.GIVEN_UP && machine.isSettled()) {
      stay("nothing is written of an older time any more");
    }
    letStop();
  }

  private void letStop() {
    if (stage() == SessionsStage.HALTING && leaving.isStanding()) {
      tellStop();
    }
  }

  /** The sessions stand still: what the machine is to be told of its stop, if it was not yet. */
  private void tellStop() {
    if (life.state() instanceof Moving.Halting(Runnable stop)) {
      enter(SessionsStage.MAY_STOP, "the sessions stand still");
      stop.run();
    }
  }

  private void stopWhenTheyStand(Runnable stop) {
    leaving.halt();
    life.enter(new Moving.Halting(stop), "the machine may stop");
    letStop();
  }

  @Override
  public void allowShortStop(long bytesPerSecond) {
    stopWhenTheyStand(() -> live.allowShortStop(bytesPerSecond));
  }

  @Override
  public void allowStop() {
    stopWhenTheyStand(machine::allowStop);
  }

  @Override
  public void forceStop() {
    leaving.halt();
    enter(SessionsStage.MAY_STOP, "the machine must stop");
    machine.forceStop();
  }

  @Override
  public MachineProgress progress() {
    MachineProgress now = machine.progress();
    boolean isOurs = now.state() == State.COPYING || now.state() == State.STOPPED;
    Optional<String> failure =
        isOurs && stage().areWaitedFor() ? leaving.failure() : Optional.empty();
    return failure
        .map(why ->
            new MachineProgress(
                State.FAILED,
                now.bytesTotal(),
                now.bytesSent(),
                now.bytesLeft(),
                now.dirtyBytesPerSecond(),
                why))
        .orElse(now);
  }

  @Override
  public boolean destinationMayKnowWhy() {
    return machine.destinationMayKnowWhy();
  }

  /** Not before the sessions stand still: it may have stopped by itself. */
  @Override
  public boolean redirty(List<PageRange> pages) {
    written.addAll(pages);
    if (stage() == SessionsStage.STANDING) {
      return machine.redirty(List.of());
    }
    leaving.halt();
    // A call that ran may have opened one.
    if (!machine.holdStill() || !leaving.isStanding()) {
      return false;
    }
    tellStop();
    enter(SessionsStage.STANDING, "the machine stands still, and so do they");
    List<PageRange> all = new ArrayList<>(written);
    all.addAll(leaving.pages());
    return machine.redirty(all);
  }

  @Override
  public boolean holdStill() {
    return redirty(List.of());
  }

  @Override
  public List<ByteBuffer> save() {
    List<ByteBuffer> parts = new ArrayList<>(machine.save());
    parts.add(SessionMessages.handles(leaving.handles()));
    return parts;
  }

  @Override
  public MovedSessions sessions() {
    return leaving.figures();
  }

  @Override
  public void switchOver() {
    enter(SessionsStage.SWITCHED, "all is known");
    machine.switchOver();
  }

  @Override
  public void abort() {
    enter(SessionsStage.GIVING_UP, "the move is given up");
    machine.abort();
    enter(SessionsStage.GIVEN_UP, "the machine knows it");
  }

  /** Not before the sessions go on, too. */
  @Override
  public boolean isSettled() {
    return !stage().isGivenUp() && machine.isSettled();
  }

  private void stay(String reason) {
    enter(SessionsStage.STAYING, reason);
    leaving.stay();
    sessions.putDown(this);
  }

  @Override
  public boolean hasGoneOn() {
    return machine.hasGoneOn();
  }

  @Override
  public void finish() {
    enter(SessionsStage.FINISHED, "they are the destination's");
    machine.finish();
  }

  @Override
  public void setWaker(Runnable waker) {
    leaving.setWaker(waker);
    machine.setWaker(waker);
  }

  @Override
  public void close() {
    if (carries && !stage().isOver()) {
      stay("closed");
    }
    leaving.close();
    machine.close();
  }

  // ---- the machine's ----

  @Override
  public boolean canStandBy() {
    return live.canStandBy();
  }

  @Override
  public long passes() {
    return live.passes();
  }

  @Override
  public void keepBack(long bytes, long stepBytes) {
    live.keepBack(bytes, stepBytes);
  }

  /** The machine's part of it is none. */
  @Override
  public void approachStop() {
    leaving.approach();
  }

  @Override
  public boolean isStopPrepared() {
    return leaving.arePrepared();
  }

  @Override
  public void holdBack() {
    live.holdBack();
  }

  @Override
  public void goOn() {
    live.goOn();
  }

  @Override
  public void askToTouch() {
    live.askToTouch();
  }

  @Override
  public boolean hasTouched() {
    return live.hasTouched();
  }

  @Override
  public boolean cannotTouch() {
    return live.cannotTouch();
  }

  @Override
  public long bytesQueued() {
    return live.bytesQueued();
  }

  @Override
  public long bytesCarried() {
    return live.bytesCarried();
  }

  @Override
  public void limitQueue(long bytes) {
    live.limitQueue(bytes);
  }
}
