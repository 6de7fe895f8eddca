package io.sluice.channel.nvidia.channel;

import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.submit.RingPointers;
import io.sluice.channel.nvidia.submit.UserdWords;

/**
 * The account's view of a channel: whether it has something to do. Its ring pointers are read, and
 * RM is asked only when those do not say it: all is fetched, and something was put since RM said
 * last that nothing is left. Guarded by the open's lock.
 */
public final class ChannelUse {
  /** RM needs this long to see that a channel is idle; what ends within is idle to it. */
  private static final int IDLE_US = 50;

  /** The finding of a look. */
  public enum Doing {
    /** Nothing. */
    REST,

    /** Nothing now, but it was given something since the last look. */
    ENDED,

    /** Waits for a semaphore. */
    WAITS,

    /** Has unfinished work; whether it has the engine is another question. */
    BUSY
  }

  /** The questions that a look may still ask RM. */
  public static final class Questions {
    private int left;

    public Questions(int left) {
      this.left = left;
    }

    private boolean take() {
      left--;
      return left >= 0;
    }
  }

  private final ChannelActivity activity;
  private volatile RingPointers seen = RingPointers.START;
  private volatile boolean given;
  private Doing last = Doing.REST;

  ChannelUse(ChannelActivity activity) {
    this.activity = activity;
  }

  /** Whether it has nothing to do, and had nothing since the last look; takes no lock. */
  boolean isResting(RingPointers now) {
    return now.equals(seen) && (!given || activity.isResting(now));
  }

  /** Looks at a channel that runs. */
  Doing look(HardwareChannel channel, ChannelRing ring, UserdWords words, Questions questions) {
    RingPointers now = words.pointers();
    boolean moved = !now.equals(seen);
    seen = now;
    given |= moved;
    if (channel.isDisabled()) {
      last = Doing.REST;
    } else if (!given || activity.isResting(now)) {
      last = idle(moved);
    } else if (!now.isAllFetched()) {
      last = unfinished(ring, now, moved);
    } else if (questions.take()) {
      boolean idle = activity.ask(channel, now, IDLE_US);
      last = idle ? idle(moved) : unfinished(ring, now, moved);
    }
    return last;
  }

  private static Doing idle(boolean moved) {
    return moved ? Doing.ENDED : Doing.REST;
  }

  private Doing unfinished(ChannelRing ring, RingPointers now, boolean moved) {
    return !moved && activity.acquire(ring, now).isPresent() ? Doing.WAITS : Doing.BUSY;
  }
}
