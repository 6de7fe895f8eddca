package io.sluice.channel.nvidia;

import io.sluice.channel.nvidia.Detachment.Ring;

/**
 * Whether a channel has something to do, for the account of GPU time: its ring pointers are read,
 * and RM is asked only when those do not say it: all is fetched, and something was put since RM
 * said last that nothing is left. Guarded by the open's lock.
 */
final class ChannelUse {
  /** RM needs this long to see that a channel is idle; what ends within is idle to it. */
  private static final int IDLE_US = 50;

  /** What a look finds. */
  enum Doing {
    /** Nothing. */
    REST,

    /** Nothing now, but it was given something since the last look. */
    ENDED,

    /** Waits for a semaphore. */
    WAITS,

    /** Has unfinished work; whether it has the engine is another question. */
    BUSY
  }

  /** How many questions a look may still ask RM. */
  static final class Questions {
    private int left;

    Questions(int left) {
      this.left = left;
    }

    private boolean take() {
      left--;
      return left >= 0;
    }
  }

  private int get;
  private int put;
  private int idleAnswers = Probe.SURE;
  private Doing last = Doing.REST;

  /** Whether it is known to have nothing to do without a question. */
  boolean isResting(UserdWords words) {
    return idleAnswers >= Probe.SURE && words.get() == get && words.put() == put;
  }

  /** Looks at a channel that runs. */
  Doing look(HardwareChannel channel, Ring ring, UserdWords words, Questions questions) {
    boolean moved = words.get() != get || words.put() != put;
    get = words.get();
    put = words.put();
    if (moved) {
      idleAnswers = 0;
    }
    if (channel.isDisabled() || idleAnswers >= Probe.SURE) {
      last = Doing.REST;
    } else if (get != put || questions.take()) {
      boolean idle = get == put && channel.isIdle(IDLE_US);
      idleAnswers = idle ? idleAnswers + 1 : 0;
      last = idle ? ended(moved) : unfinished(ring, moved);
    }
    return last;
  }

  private static Doing ended(boolean moved) {
    return moved ? Doing.ENDED : Doing.REST;
  }

  private Doing unfinished(Ring ring, boolean moved) {
    return !moved && PendingAcquire.find(ring, get).isPresent() ? Doing.WAITS : Doing.BUSY;
  }
}
