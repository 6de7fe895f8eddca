package io.sluice.migrate.engine;

import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;

/**
 * When a machine that is being copied is stopped: not while its GPU still works, for which it is
 * held back if nothing of it may be left; then when little is left, because what it has left is
 * sent while it stands still; and in the end however much that is.
 *
 * <p>One thread uses it.
 */
final class MachineStop {
  /** A machine with no more left may be stopped. */
  static final long LITTLE_BYTES = 1L << 20;

  /** One with no more left is held back while it must not stop: what it has left it keeps then. */
  static final long HELD_BYTES = 2L << 20;

  /** A machine with less left than this is as good as copied: the pause decides the rest. */
  static final long NEAR_BYTES = 8L << 20;

  /** For how long a machine may send more than little before it is stopped all the same. */
  static final long CATCH_UP_NS = 300_000_000;

  private static final long WORKS = -1;

  private final SourceMachine machine;
  private long drainedNs = WORKS;
  private boolean heldBack;
  private boolean allowed;
  private boolean forced;

  /** Of a machine; nothing is asked of it yet. */
  MachineStop(SourceMachine machine) {
    this.machine = machine;
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

  boolean isStopped() {
    return machine.progress().state() == State.STOPPED;
  }

  private boolean hasAtMost(long bytes) {
    MachineProgress progress = machine.progress();
    return progress.state() == State.STOPPED
        || progress.bytesLeft() >= 0 && progress.bytesLeft() <= bytes;
  }

  /** For how long its GPU has had nothing to do; 0 while it works. */
  long idleNs(long nowNs) {
    return drainedNs == WORKS ? 0 : nowNs - drainedNs;
  }

  /** Its GPU works: it is not to stop, even if nothing of it should be left at some moment. */
  void works() {
    drainedNs = WORKS;
    int _ = holdBack();
  }

  private int holdBack() {
    if (heldBack || allowed || !hasAtMost(HELD_BYTES)) {
      return 0;
    }
    heldBack = true;
    machine.holdBack();
    return 1;
  }

  /**
   * Its GPU has drained: it is stopped if it is time.
   *
   * @param copied whether video memory is, as far as it can be while the machine runs
   * @param now whether it must not wait: the operator's time is over
   * @return how often the machine was asked something
   */
  int drained(long nowNs, boolean copied, boolean now) {
    if (drainedNs == WORKS) {
      drainedNs = nowNs;
    }
    int asked = 0;
    boolean little = heldBack || hasAtMost(LITTLE_BYTES) || nowNs - drainedNs > CATCH_UP_NS;
    if (!now && !copied) {
      asked += holdBack();
    } else if (!allowed && (now || little)) {
      allowed = true;
      machine.allowStop();
      asked++;
    }
    if (now && !forced) {
      forced = true;
      machine.forceStop();
      asked++;
    }
    return asked;
  }
}
