package io.sluice.migrate.engine;

import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;

/**
 * When a machine that is being copied is stopped: not while its GPU still works, for which it is
 * held back if nothing of it may be left; then when next to nothing is left, because what it has
 * left is sent while it stands still; and in the end when that is as much as the operator allows.
 *
 * <p>One thread uses it.
 */
final class MachineStop {
  /** One with no more left is held back while it must not stop: what it has left it keeps then. */
  static final long HELD_BYTES = 2L << 20;

  /** A machine with less left than this is as good as copied: the pause decides the rest. */
  static final long NEAR_BYTES = 8L << 20;

  /** For how long a machine may go on until so little is left that it stops for a moment only. */
  static final long CATCH_UP_NS = 300_000_000;

  /** For how long the link may take to carry what is before the machine's last pass. */
  static final long SETTLE_NS = 300_000_000;

  /** What may wait before the way, so that it is never empty. */
  private static final long QUEUE_NS = 50_000_000;

  /** The same when the machine may stop soon: its last pass comes behind that. */
  private static final long SHORT_QUEUE_NS = 5_000_000;

  private static final long MIN_QUEUE_BYTES = 256 << 10;

  private static final long WORKS = -1;

  private final SourceMachine machine;
  private final LinkRate rate = new LinkRate(0);
  private final WayDelay delay = new WayDelay();
  private long drainedNs = WORKS;
  private boolean heldBack;
  private boolean allowed;
  private boolean caughtUp;
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

  /** Looks how fast its memory goes, and has no more of it on its way than that needs. */
  void look(long nowNs) {
    long carried = machine.bytesCarried();
    rate.update(nowNs, carried);
    delay.look(nowNs, carried, machine.bytesQueued());
    long best = rate.bestBytesPerSecond();
    if (best > 0) {
      long longestNs = delay.shortestNs() + (isNear() ? SHORT_QUEUE_NS : QUEUE_NS);
      machine.limitQueue(Math.max(MIN_QUEUE_BYTES, (long) (best * (longestNs / 1e9))));
    }
  }

  /** How long what is on its way for the machine takes; 0 while that is not known. */
  long queuedNs() {
    long best = rate.bestBytesPerSecond();
    return best == 0 ? 0 : (long) (machine.bytesQueued() * 1e9 / best);
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

  /**
   * Its GPU works, or video memory is being copied: it is not to stop, even if nothing of it should
   * be left at some moment.
   */
  void works() {
    drainedNs = WORKS;
    int _ = holdBack();
  }

  /** What it writes while it is held back is found only when what it had left has gone. */
  private int holdBack() {
    if (heldBack && !allowed && bytesLeft() > NEAR_BYTES && !isStopped()) {
      heldBack = false;
      machine.goOn();
      return 1;
    }
    if (heldBack || allowed || !hasAtMost(HELD_BYTES)) {
      return 0;
    }
    heldBack = true;
    machine.holdBack();
    return 1;
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
    if (drainedNs == WORKS) {
      drainedNs = nowNs;
    }
    long waitedNs = nowNs - drainedNs;
    int asked = 0;
    if (!allowed && (settled || now || waitedNs > SETTLE_NS)) {
      allowed = true;
      machine.allowShortStop(rate.bestBytesPerSecond());
      asked++;
    } else if (!allowed) {
      asked += holdBack();
    }
    if (!caughtUp && !now && waitedNs > SETTLE_NS + CATCH_UP_NS) {
      caughtUp = true;
      machine.allowStop();
      asked++;
    }
    if (now && !forced) {
      forced = true;
      caughtUp = true;
      machine.forceStop();
      asked++;
    }
    return asked;
  }
}
