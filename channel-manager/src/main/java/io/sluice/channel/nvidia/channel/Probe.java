package io.sluice.channel.nvidia.channel;

import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.submit.RingPointers;
import io.sluice.channel.nvidia.submit.UserdWords;

/**
 * The watchdog's view of a channel: what it has taken, what it waits for, and for how long it keeps
 * its engine. Asking RM takes a fraction of a millisecond; so a channel is asked only while another
 * guest has something to do, if it has not got on since the last look or seems to wait, and no more
 * once it rests. Only looks change anything: who asks what is {@link #known} is told that. Guarded
 * by the open's lock.
 */
public final class Probe {
  private static final int PREEMPT_US = 1000;

  /**
   * The result of a probe.
   *
   * @param unfinished something that was put has not finished, as far as is known
   * @param acquire the address of the semaphore that it waits for; 0 for none
   * @param runningNs for how long it has not left the engine when told to; 0 when it did, or when
   *     nobody waits
   */
  record ProbeResult(boolean unfinished, long acquire, long runningNs) {
    /** Of a channel that has nothing. */
    static final ProbeResult NOTHING = new ProbeResult(false, 0, 0);
  }

  private final ChannelActivity activity;
  private int get;
  private RingPointers looked = RingPointers.START;
  private ProbeResult last = ProbeResult.NOTHING;
  private long acquire;
  private final KeptTime kept = new KeptTime();

  Probe(ChannelActivity activity) {
    this.activity = activity;
  }

  /** The semaphore that it waited for when it was looked at last; 0 for none. */
  long acquire() {
    return acquire;
  }

  /** The answer of the last look, as far as it holds for these pointers; asks nobody. */
  ProbeResult known(RingPointers now) {
    if (activity.isResting(now)) {
      return ProbeResult.NOTHING;
    }
    return now.equals(looked) ? last : new ProbeResult(!now.isAllFetched(), 0, 0);
  }

  /** Looks at a channel. */
  ProbeResult look(ChannelHome home, HardwareChannel channel, ChannelRing ring, UserdWords words) {
    looked = words.pointers();
    last = look(home, channel, ring, looked);
    return last;
  }

  private ProbeResult look(
      ChannelHome home, HardwareChannel channel, ChannelRing ring, RingPointers now) {
    boolean progress = now.get() != get;
    get = now.get();
    if (activity.isResting(now)) {
      acquire = 0;
      return new ProbeResult(false, 0, left());
    }
    boolean asks = !channel.isDisabled() && home.host().anotherIsActive();
    // What has got on is asked only if it seems to wait, so that busy channels are let alone.
    boolean asked = asks && (!progress || activity.acquire(ring, now).isPresent());
    if (asked) {
      boolean _ = activity.ask(channel, now, ChannelActivity.IDLE_US);
    }
    boolean busy = asked && activity.isBusy();
    acquire = busy ? activity.acquire(ring, now).orElse(0) : 0;
    boolean mayRun = acquire == 0 && (busy || !asked);
    return new ProbeResult(
        !now.isAllFetched() || busy, acquire, mayRun ? lasted(home, channel) : left());
  }

  private long left() {
    kept.end();
    return 0;
  }

  /** Thread blocks and copies are not interrupted: for how long it has kept the engine. */
  private long lasted(ChannelHome home, HardwareChannel channel) {
    if (channel.isDisabled() || !home.host().anotherWaits()) {
      return left();
    }
    long before = home.open().timeNs();
    if (channel.stopsWithin(PREEMPT_US)) {
      return left();
    }
    return kept.see(before, home.open().timeNs());
  }
}
