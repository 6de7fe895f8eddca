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
  /** A machine with no more left may be stopped, and until then is held back. */
  static final long LITTLE_BYTES = 1L << 20;

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

  /** Its GPU works: it is not to stop, even if nothing of it should be left at some moment. */
  void works() {
    drainedNs = WORKS;
    if (!heldBack && !allowed && hasAtMost(LITTLE_BYTES)) {
      heldBack = true;
      machine.holdBack();
    }
  }

  /**
   * Its GPU has drained: it is stopped if it is time.
   *
   * @param now whether it must not wait: the operator's time is over
   * @return how often the machine was asked something
   */
  int drained(long nowNs, boolean now) {
    if (drainedNs == WORKS) {
      drainedNs = nowNs;
    }
    int asked = 0;
    boolean due = now || hasAtMost(LITTLE_BYTES) || nowNs - drainedNs > CATCH_UP_NS;
    if (due && !allowed) {
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
