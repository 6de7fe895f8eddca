package io.sluice.channel.nvidia.channel;

import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.submit.PendingAcquire;
import io.sluice.channel.nvidia.submit.RingPointers;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The activity of a channel, as far as it can be told from outside: it rests, works, or waits for a
 * semaphore. Fetched is not finished, and a channel that waits looks like one that rests: GP_GET
 * has reached GP_PUT. So RM is asked, and its answers are kept with the ring pointers they were
 * given for: {@link #SURE} answers in a row that a channel is idle are believed until it is given
 * more.
 *
 * <p>Probe, ChannelUse and Detachment read and ask here, each when its own purpose wants it.
 * Guarded by the open's lock, but for {@link #isResting}.
 */
public final class ChannelActivity {
  /**
   * Answers in a row after which a channel is believed to be idle. One that waits on a semaphore
   * and leaves its engine meanwhile was seen to look idle for a moment about once a second.
   */
  static final int SURE = 3;

  /** How long RM looks at a channel that may be idle. */
  static final int IDLE_US = 150;

  // The answers, for these pointers.
  private RingPointers asked = RingPointers.START;
  private int idleAnswers;
  private boolean busy;
  private volatile @Nullable RingPointers resting;

  private @Nullable SeenWait wait; // null when none was seen

  /**
   * A wait for a semaphore.
   *
   * @param at GP_GET
   * @param sinceNs when it was seen first; GPU time
   */
  private record SeenWait(int at, long sinceNs) {}

  /** Whether it is known to have nothing to do, at these pointers; takes no lock. */
  boolean isResting(RingPointers now) {
    return now.equals(resting);
  }

  /** Whether it was not idle when it was asked last, and has not surely become so since. */
  boolean isBusy() {
    return busy;
  }

  /**
   * Asks RM.
   *
   * @param timeoutUs how long RM looks
   * @return whether it looked idle this time
   */
  boolean ask(HardwareChannel channel, RingPointers now, int timeoutUs) {
    if (!now.equals(asked)) {
      asked = now;
      idleAnswers = 0;
      busy = false;
    }
    boolean idle = channel.isIdle(timeoutUs);
    idleAnswers = idle ? idleAnswers + 1 : 0;
    boolean sure = idleAnswers >= SURE;
    busy = !idle || busy && !sure;
    resting = sure && now.isAllFetched() ? now : null;
    return idle;
  }

  /** The semaphore that the entries fetched last wait for; empty when none is found. */
  OptionalLong acquire(ChannelRing ring, RingPointers now) {
    return PendingAcquire.find(ring.space()::peek, ring.fetched(now.get(), PendingAcquire.ENTRIES));
  }

  /**
   * Looks whether it waits for a semaphore, and remembers since when. What was found of a wait may
   * be over, and the semaphore something else since: that is asked.
   */
  boolean lookForWait(HardwareChannel channel, ChannelRing ring, RingPointers now, long nowNs) {
    if (acquire(ring, now).isEmpty()) {
      wait = null;
      return false;
    }
    SeenWait seen = wait;
    if (seen == null || seen.at() != now.get()) {
      seen = new SeenWait(now.get(), nowNs);
    }
    if (now.isAllFetched() && !isResting(now)) {
      boolean _ = ask(channel, now, IDLE_US);
    }
    wait = isResting(now) ? null : seen;
    return wait != null;
  }

  /** Since when it waits, in GPU time; empty when the last look found no wait. */
  OptionalLong waitsSinceNs() {
    return wait == null ? OptionalLong.empty() : OptionalLong.of(wait.sinceNs());
  }

  /** The wait that was seen is nothing to what follows. */
  void forgetWait() {
    wait = null;
  }
}
