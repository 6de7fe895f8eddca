package io.sluice.migrate.engine;

import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;

/**
 * When a machine that is being copied is stopped: not while its GPU still works; then when next to
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

  /** What may be taken of it until it is looked at again, when that is done often. */
  private static final long STEP_NS = 15_000_000;

  /** The same before. */
  private static final long FAR_STEP_NS = 60_000_000;

  private static final long MIN_STEP_BYTES = 1 << 20;

  /** The same until it is known what the link carries. */
  private static final long FIRST_STEP_BYTES = 16L << 20;

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

  /**
   * With no more left one that goes on once more is taken from piece by piece: it would have
   * nothing left when this host is too busy to look in time.
   */
  static final long SLOW_BYTES = 3L << 20;

  /** Whether it has looked, since it stood by first, what was written since it began. */
  private enum Look {
    NOT_YET,
    UNDER_WAY,
    DONE
  }

  private final SourceMachine machine;
  private final LinkRate rate = new LinkRate(0);
  private final WayDelay delay = new WayDelay();
  private long drainedNs = WORKS;
  private boolean heldBack;
  private boolean standsBy;
  private Look look = Look.NOT_YET;
  private long passesBefore; // the look
  private boolean allowed;
  private long allowedNs;
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

  /**
   * Whether it would stop soon if it was allowed to: one that can stand by does so.
   *
   * @param gpuWorked whether a command of its GPU was seen
   */
  boolean isReady(boolean gpuWorked) {
    if (!machine.canStandBy()) {
      return isNear();
    }
    return heldBack || isStopped() || standsBy && (look == Look.DONE || gpuWorked);
  }

  /** Looks how fast its memory goes, and has no more of it on its way than that needs. */
  void look(long nowNs) {
    long carried = machine.bytesCarried();
    rate.update(nowNs, carried);
    delay.look(nowNs, carried, machine.bytesQueued());
    long best = rate.bestBytesPerSecond();
    if (best > 0) {
      long longestNs = delay.shortestNs() + (isNear() ? SHORT_QUEUE_NS : QUEUE_NS);
      boolean slow = look == Look.UNDER_WAY && hasAtMost(SLOW_BYTES);
      machine.limitQueue(slow ? 1 : Math.max(MIN_QUEUE_BYTES, (long) (best * (longestNs / 1e9))));
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

  /** For the report: that, and how much of it went by before it was allowed to stop. */
  String told(long nowNs) {
    long idleNs = idleNs(nowNs);
    return " idleNs=" + idleNs + " settleNs=" + (allowed ? allowedNs - drainedNs : idleNs);
  }

  /**
   * Its GPU works, or video memory is being copied: it is not to stop, even if nothing of it should
   * be left at some moment.
   *
   * @param gpuWorked whether a command of its GPU was seen
   */
  void works(boolean gpuWorked) {
    drainedNs = WORKS;
    int _ = holdBack(!gpuWorked);
  }

  /**
   * @param gpuIdle whether it would do no harm if it stopped all the same: it has next to nothing
   *     left
   */
  private int holdBack(boolean gpuIdle) {
    if (allowed || isStopped()) {
      return 0;
    }
    if (heldBack) {
      return bytesLeft() > NEAR_BYTES ? goOn() : 0; // what it has written meanwhile
    }
    if (!machine.canStandBy()) {
      return hasAtMost(HELD_BYTES) ? limit() : 0;
    }
    if (look == Look.UNDER_WAY && machine.passes() == passesBefore) {
      return 0;
    }
    look = look == Look.UNDER_WAY ? Look.DONE : look;
    machine.keepBack(STAND_BY_BYTES, stepBytes());
    if (!hasAtMost(STAND_BY_BYTES)) {
      return 0;
    }
    if (bytesLeft() < TAKEN_BYTES) {
      return limit(); // it is taken without being asked
    }
    if (gpuIdle && look == Look.NOT_YET) {
      return lookAgain();
    }
    int begun = standsBy ? 0 : 1;
    standsBy = true;
    return begun;
  }

  private long stepBytes() {
    long best = rate.bestBytesPerSecond();
    long ns = hasAtMost(CLOSE_BYTES) ? STEP_NS : FAR_STEP_NS;
    return best == 0 ? FIRST_STEP_BYTES : Math.max(MIN_STEP_BYTES, (long) (best * (ns / 1e9)));
  }

  /** Goes on, little by little, until it stands by with what it has written since it began. */
  private int lookAgain() {
    look = Look.UNDER_WAY;
    passesBefore = machine.passes();
    machine.keepBack(0, stepBytes());
    return 1;
  }

  private int limit() {
    standsBy = false;
    heldBack = true;
    machine.holdBack();
    return 1;
  }

  private int goOn() {
    standsBy = false;
    heldBack = false;
    machine.goOn();
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
      look = Look.DONE;
      allowedNs = nowNs;
      machine.allowShortStop(rate.bestBytesPerSecond());
      asked++;
    } else if (!allowed) {
      asked += holdBack(false);
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
