package io.sluice.channel.nvidia;

import io.sluice.channel.nvidia.Detachment.Ring;
import org.jspecify.annotations.Nullable;

/**
 * What a channel is doing, as far as that can be told from outside. Fetched is not finished, and a
 * channel that waits for a semaphore looks like one that rests: GP_GET has reached GP_PUT. RM can
 * be asked whether it is idle, which takes a fraction of a millisecond; so it is asked only while
 * another guest has something to do, of a channel that has not got on since the last look or seems
 * to wait, and no more once it rests. Guarded by the open's lock, but for {@link #isResting}.
 */
final class Probe {
  private static final int PREEMPT_US = 1000;

  /** How long a channel is looked at that may be idle. */
  static final int IDLE_US = 150;

  /**
   * Answers in a row after which a channel is believed to be idle. One that waits on a semaphore
   * and leaves its engine meanwhile was seen to look idle for a moment about once a second.
   */
  static final int SURE = 3;

  /**
   * An answer.
   *
   * @param unfinished something that was put has not finished, as far as is known
   * @param acquire the address of the semaphore that it waits for; 0 for none
   * @param runningNs for how long it has not left the engine when told to; 0 when it did, or when
   *     nobody waits
   */
  record Answer(boolean unfinished, long acquire, long runningNs) {}

  private record Rest(int get, int put) {}

  private int get;
  private long taken;
  private long acquire;
  private boolean busy;
  private int idleAnswers;
  private volatile @Nullable Rest rest;
  private boolean stuck;
  private long sinceNs;

  /** Entries that looks have found fetched. */
  long taken() {
    return taken;
  }

  /** The semaphore that it waited for when it was looked at last; 0 for none. */
  long acquire() {
    return acquire;
  }

  /** Whether it had nothing to do when it was asked last, and has been given nothing since. */
  boolean isResting(UserdWords words) {
    Rest known = rest;
    return known != null && known.equals(new Rest(words.get(), words.put()));
  }

  /** Looks at a channel. */
  Answer look(NvidiaGuestGpu gpu, HardwareChannel channel, Ring ring, UserdWords words) {
    Rest now = new Rest(words.get(), words.put());
    boolean progress = now.get() != get;
    taken += (now.get() - get) & (ring.entries() - 1);
    get = now.get();
    if (now.equals(rest)) {
      acquire = 0;
      return new Answer(false, 0, left());
    }
    boolean asks = !channel.isDisabled() && gpu.anotherGuestIsActive();
    if (progress || !asks) {
      forget();
    }
    // What has got on is asked only if it seems to wait, so that busy channels are let alone.
    boolean asked = asks && (!progress || PendingAcquire.find(ring, now.get()).isPresent());
    if (asked) {
      ask(channel, now);
    }
    boolean unfinished = now.get() != now.put() || busy;
    acquire = busy ? PendingAcquire.find(ring, now.get()).orElse(0) : 0;
    boolean mayRun = acquire == 0 && (busy || !asked);
    return new Answer(unfinished, acquire, mayRun ? lasted(gpu, channel) : left());
  }

  private void ask(HardwareChannel channel, Rest now) {
    if (!channel.isIdle(IDLE_US)) {
      busy = true;
      idleAnswers = 0;
      rest = null;
      return;
    }
    idleAnswers++;
    busy &= idleAnswers < SURE;
    if (idleAnswers >= SURE && now.get() == now.put()) {
      rest = now;
    }
  }

  /** It is not looked at, or gets on. */
  private void forget() {
    busy = false;
    idleAnswers = 0;
    rest = null;
  }

  private long left() {
    stuck = false;
    return 0;
  }

  /** Thread blocks and copies are not interrupted: for how long it has kept the engine. */
  private long lasted(NvidiaGuestGpu gpu, HardwareChannel channel) {
    if (channel.isDisabled() || !gpu.anotherGuestWaits()) {
      return left();
    }
    long before = gpu.timeNs();
    if (channel.stopsWithin(PREEMPT_US)) {
      return left();
    }
    if (!stuck) {
      stuck = true;
      sinceNs = before;
    }
    return gpu.timeNs() - sinceNs;
  }
}
