package io.sluice.migrate.engine;

import io.sluice.migrate.engine.StopState.Allowed;
import io.sluice.migrate.engine.StopState.CaughtUp;
import io.sluice.migrate.engine.StopState.Copying;
import io.sluice.migrate.engine.StopState.Forced;
import io.sluice.migrate.engine.StopState.HeldBack;
import io.sluice.migrate.engine.StopState.Looking;
import io.sluice.migrate.engine.StopState.MayStop;
import io.sluice.migrate.engine.StopState.StandingBy;
import io.sluice.migrate.machine.LiveMachine;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.machine.StopApproach;
import io.sluice.migrate.phase.StateMachine;
import java.util.function.BooleanSupplier;

/**
 * The stop of a machine that is being copied: not while its GPU still works; then when next to
 * nothing is left, because what it has left is sent while it stands still; and in the end when that
 * is as much as the operator allows.
 *
 * <p>While its GPU works it keeps some of its memory back: it stands by with that, and stops within
 * some milliseconds when it may. If no command of its GPU was seen it goes on once more, to stand
 * by with the last of what it has written since it began: should that be next to nothing, so that
 * it stops, it stands for not much longer than it would. One that cannot, or has too little for
 * that, is held back by how much it may send, for which it sleeps.
 *
 * <p>One thread uses it.
 */
final class MachineStop {
  /**
   * One that cannot stand by, and has no more left, is held back while it must not stop: what it
   * has left it keeps then.
   */
  static final long HELD_BYTES = 2L << 20;

  /** What lies before a machine takes no more than this without being asked: a socket's buffer. */
  static final long TAKEN_BYTES = 256 << 10;

  /** With this it stands by, less what is taken without being asked, and by one read too many. */
  static final long STAND_BY_BYTES = 896 << 10;

  /** With less left it is looked at often. */
  private static final long CLOSE_BYTES = 64L << 20;

  /** A machine with less left than this is as good as copied: the pause decides the rest. */
  static final long NEAR_BYTES = 8L << 20;

  /**
   * With no more left one that goes on once more is taken from piece by piece: it would have
   * nothing left when this host is too busy to look in time.
   */
  static final long SLOW_BYTES = 3L << 20;

  /** For how long a machine may go on until so little is left that it stops for a moment only. */
  static final long CATCH_UP_NS = 300_000_000;

  /** For how long the link may take to carry what is before the machine's last pass. */
  static final long SETTLE_NS = 300_000_000;

  /** The machine's GPU. */
  private sealed interface GpuActivity {
    /** It has something to do. */
    record Works() implements GpuActivity {}

    /** It has had nothing to do for a while. */
    record Rests(long sinceNs) implements GpuActivity {}
  }

  private final SourceMachine machine;
  private final LiveMachine live;
  private final StreamPace pace;
  private final StateMachine<StopStage, StopState> state =
      new StateMachine<>("machine's stop", new Copying(false));
  private GpuActivity gpu = new GpuActivity.Works();

  /** Of a machine; nothing is asked of it yet. */
  MachineStop(SourceMachine machine) {
    this.machine = machine;
    live = machine.live();
    pace = new StreamPace(live);
  }

  /** Where it stands. */
  StopStage stage() {
    return state.stage();
  }

  /** A machine that has just begun to copy its memory does not say yet how much it has. */
  boolean isKnown() {
    return machine.progress().bytesLeft() >= 0;
  }

  /** Of its memory, as far as it says; 0 while it does not. */
  long bytesLeft() {
    return Math.max(0, machine.progress().bytesLeft());
  }

  /** Whether it is as good as copied. */
  boolean isNear() {
    return hasAtMost(NEAR_BYTES);
  }

  /**
   * Whether it would stop soon if it was allowed to: one that can stand by does so.
   *
   * @param gpuWorked whether a command of its GPU was seen
   */
  boolean isReady(boolean gpuWorked) {
    if (!live.canStandBy()) {
      return isNear();
    }
    return isStopped()
        || switch (state.state()) {
          case Copying _, Looking _ -> false;
          case StandingBy(boolean looked) -> looked || gpuWorked;
          case HeldBack _, MayStop _ -> true;
        };
  }

  boolean isStopped() {
    return machine.progress().state() == State.STOPPED;
  }

  private boolean hasAtMost(long bytes) {
    MachineProgress progress = machine.progress();
    return progress.state() == State.STOPPED
        || progress.bytesLeft() >= 0 && progress.bytesLeft() <= bytes;
  }

  /** Of its memory, that have arrived. */
  long bytesCarried() {
    return live.bytesCarried();
  }

  /** Of its memory, that are on their way. */
  long bytesQueued() {
    return live.bytesQueued();
  }

  /** How long what is on its way for the machine takes; 0 while that is not known. */
  long queuedNs() {
    return pace.queuedNs();
  }

  /** For how long its GPU has had nothing to do; 0 while it works. */
  long idleNs(long nowNs) {
    return gpu instanceof GpuActivity.Rests(long sinceNs) ? nowNs - sinceNs : 0;
  }

  /** How much of that went by before it was allowed to stop. */
  long settleNs(long nowNs) {
    long idleNs = idleNs(nowNs);
    return state.state() instanceof MayStop may ? idleNs - (nowNs - may.allowedNs()) : idleNs;
  }

  /**
   * The approach to it.
   *
   * @param mayBeEarly whether it would do no harm if it stopped before its GPU has drained
   */
  StopApproach approach(BooleanSupplier mayBeEarly) {
    return new StopApproach(
        live,
        this::isNear,
        () -> mayBeEarly.getAsBoolean() && standsBy(),
        () -> lookAgain("it has stood by for long"));
  }

  /** One that does not has gone on all the time. */
  private boolean standsBy() {
    return stage() == StopStage.STANDING_BY && !isStopped();
  }

  /** Looks how fast its memory goes, and has no more of it on its way than that needs. */
  void look(long nowNs) {
    pace.look(nowNs);
    pace.limitQueue(isNear(), stage() == StopStage.LOOKING && hasAtMost(SLOW_BYTES));
  }

  /**
   * Its GPU works, or video memory is being copied: it is not to stop, even if nothing of it should
   * be left at some moment.
   *
   * @param gpuWorked whether a command of its GPU was seen
   */
  void works(boolean gpuWorked) {
    gpu = new GpuActivity.Works();
    int _ = keepRunning(!gpuWorked);
  }

  /**
   * Its GPU has drained: it may be stopped, at first if that takes next to no time, and when it has
   * not come to that for a while within what the operator allows.
   *
   * @param settled whether video memory is copied, as far as it can be while the machine runs, and
   *     what the link has yet to carry is little: the machine's last pass comes behind it
   * @param now whether it must not wait: the operator's time is over
   * @return how often the machine was asked something
   */
  int drained(long nowNs, boolean settled, boolean now) {
    if (gpu instanceof GpuActivity.Works) {
      gpu = new GpuActivity.Rests(nowNs);
    }
    long waitedNs = idleNs(nowNs);
    int asked = 0;
    if (state.state() instanceof StopState.Running) {
      boolean allowed = settled || now || waitedNs > SETTLE_NS;
      asked += allowed ? allow(nowNs) : keepRunning(false);
    }
    if (now) {
      asked += force();
    } else if (waitedNs > SETTLE_NS + CATCH_UP_NS) {
      asked += allowLongStop();
    }
    return asked;
  }

  /**
   * It must not stop yet.
   *
   * @param gpuIdle whether it would do no harm if it stopped all the same: it has next to nothing
   *     left
   */
  private int keepRunning(boolean gpuIdle) {
    if (isStopped()) {
      return 0;
    }
    return switch (state.state()) {
      case MayStop _ -> 0;
      case HeldBack(boolean looked) -> bytesLeft() > NEAR_BYTES ? goOn(looked) : 0;
      case Looking(long before) -> {
        if (live.passes() == before) {
          yield 0;
        }
        state.enter(new Copying(true), "it has looked what was written");
        yield approach(true, gpuIdle);
      }
      case Copying(boolean looked) -> approach(looked, gpuIdle);
      case StandingBy(boolean looked) -> approach(looked, gpuIdle);
    };
  }

  /** It stands by once it has little enough left for that, or is held back. */
  private int approach(boolean looked, boolean gpuIdle) {
    if (!live.canStandBy()) {
      return hasAtMost(HELD_BYTES) ? holdBack(looked) : 0;
    }
    live.keepBack(STAND_BY_BYTES, stepBytes());
    if (!hasAtMost(STAND_BY_BYTES)) {
      return 0;
    }
    if (bytesLeft() < TAKEN_BYTES) {
      return holdBack(looked); // it is taken without being asked
    }
    if (gpuIdle && !looked) {
      lookAgain("no command was seen");
      return 1;
    }
    if (stage() == StopStage.STANDING_BY) {
      return 0;
    }
    state.enter(new StandingBy(looked), "little is left");
    return 1;
  }

  private long stepBytes() {
    return pace.stepBytes(hasAtMost(CLOSE_BYTES));
  }

  /** Goes on, little by little, until it stands by with what it has written since it began. */
  private void lookAgain(String reason) {
    state.enter(new Looking(live.passes()), reason);
    live.keepBack(0, stepBytes());
  }

  private int holdBack(boolean looked) {
    state.enter(new HeldBack(looked), "too little is left to stand by with");
    live.holdBack();
    return 1;
  }

  /** What it has written meanwhile would never be sent. */
  private int goOn(boolean looked) {
    state.enter(new Copying(looked), "it has written much meanwhile");
    live.goOn();
    return 1;
  }

  private int allow(long nowNs) {
    state.enter(new Allowed(nowNs), "the GPU has drained");
    live.allowShortStop(pace.bytesPerSecond());
    return 1;
  }

  private int allowLongStop() {
    if (!(state.state() instanceof Allowed(long allowedNs))) {
      return 0;
    }
    state.enter(new CaughtUp(allowedNs), "it did not come to a short stop");
    machine.allowStop();
    return 1;
  }

  private int force() {
    if (!(state.state() instanceof MayStop may) || may instanceof Forced) {
      return 0;
    }
    state.enter(new Forced(may.allowedNs()), "the operator's time is over");
    machine.forceStop();
    return 1;
  }
}
