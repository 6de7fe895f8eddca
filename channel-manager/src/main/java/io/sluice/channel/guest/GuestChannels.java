package io.sluice.channel.guest;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.Capability;
import io.sluice.channel.Channel;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.Refusal;
import io.sluice.channel.record.ChannelRecord;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.state.GuestLimits;
import io.sluice.channel.table.Capabilities;
import io.sluice.channel.table.TransitionCounters;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The channels of a guest. Methods may be called from any thread. */
public final class GuestChannels {
  private final GuestLock lock;
  private final GuestState state;
  private final ChannelTable channels;
  private final GuestGpu backend;
  private final GpuInfo info;
  private final Capabilities capabilities;
  private final GuestListener listener;
  private final TransitionCounters transitions;
  private final DeferredCall<Map<Integer, Channel.Status>> deferredLook;
  private final DeferredCall<Map<Integer, Long>> deferredProgress;
  private final DeferredCall<Boolean> deferredKill;

  GuestChannels(
      GuestLock lock,
      GuestState state,
      GuestGpu backend,
      GpuInfo info,
      Capabilities capabilities,
      GuestListener listener,
      TransitionCounters transitions) {
    this.lock = lock;
    this.state = state;
    this.channels = state.channels;
    this.backend = backend;
    this.info = info;
    this.capabilities = capabilities;
    this.listener = listener;
    this.transitions = transitions;
    deferredLook = lock.newDeferredCall();
    deferredProgress = lock.newDeferredCall();
    deferredKill = lock.newDeferredCall();
  }

  /**
   * A channel without a ring; its id is the index of its control page. ENOENT vid, ENOMEM, EDQUOT
   * as {@link io.sluice.channel.CardSlots} says.
   */
  public int create(int vid) {
    int cid =
        lock.call(() ->
            channels.create(state.spaces.get(vid), OptionalInt.empty(), state.generation()).id());
    listener.onChannelCreated(cid);
    return cid;
  }

  /** Ends and frees a channel; ENOENT. */
  public void free(int cid) {
    lock.run(() -> channels.free(channels.get(cid)));
  }

  /** Declares an engine object. ENOENT cid, ENODEV class, ENOMEM too many. */
  public void declareObject(int cid, int handle, int objectClass, int flags) {
    lock.run(() ->
        channels
            .get(cid)
            .declareObject(new ChannelRecord.EngineObject(handle, objectClass, flags)));
  }

  /**
   * Gives a channel its ring and lets it run. ENOENT cid, EINVAL order or address, EBUSY it has
   * one.
   *
   * @param ringStart GPU address of the ring, mapped already
   * @param ringOrder 1 &lt;&lt; ringOrder entries
   * @param slimask normally 1
   */
  public void start(int cid, GpuVa ringStart, long ringOrder, int slimask) {
    lock.run(() -> {
      GuestChannel channel = channels.get(cid);
      if (ringOrder < 0 || ringOrder > GuestLimits.MAX_RING_ORDER) {
        throw Refusal.invalid("no such ring size, order=" + ringOrder);
      }
      long start = ringStart.value();
      if (start < 0 || (start & 7) != 0 || start >= info.addressSpaceBytes()) {
        throw Refusal.invalid("no such ring address, start=" + ringStart);
      }
      channel.start(new ChannelRecord.RingRecord(ringStart, (int) ringOrder, slimask));
    });
  }

  /**
   * Keeps a copy of the words that set a channel's engines up; none takes it back. ENOENT, E2BIG.
   */
  public void setupSegment(int cid, int[] words) {
    lock.run(() -> {
      GuestChannel channel = channels.get(cid);
      if (words.length > GuestLimits.MAX_SETUP_WORDS) {
        throw Refusal.with(Errno.E2BIG, "set-up segment too long, words=" + words.length);
      }
      channel.setupSegment(words);
    });
  }

  /**
   * State and counters of a channel, as far as they are known; ENOENT. Nothing changes by it: who
   * asks hears of an end that nobody has noted yet, and its control page and the listener are told
   * by the next event or look.
   */
  public Channel.Status query(int cid) {
    return lock.call(() -> channels.query(channels.get(cid)));
  }

  /**
   * The same of all channels after a {@linkplain Channel#look look}, by id, for the watchdog; notes
   * ends.
   *
   * @param patience how long to wait for what the guest does now; if that lasts longer, its own
   *     thread looks at the end of it
   * @return nothing if that lasts longer and no such look has been since this was called last
   */
  public Optional<Map<Integer, Channel.Status>> lookSoon(Duration patience) {
    return lock.callSoon(patience, deferredLook, this::lookNow);
  }

  private Map<Integer, Channel.Status> lookNow() {
    Map<Integer, Channel.Status> found = new LinkedHashMap<>();
    for (int cid : channels.ids()) {
      found.put(cid, channels.watch(channels.get(cid)));
    }
    return found;
  }

  /** {@link io.sluice.channel.Channel#progress} of the channels that tell, by id; as the other. */
  public Optional<Map<Integer, Long>> progressSoon(Duration patience) {
    return lock.callSoon(patience, deferredProgress, channels::progress);
  }

  /** How many channels there are. Waits for nothing that is under way. */
  public int count() {
    lock.requireOpen();
    return channels.count();
  }

  /** Ids of all channels, ascending. */
  public List<Integer> ids() {
    return lock.call(channels::ids);
  }

  /** Transitions into a state since the guest was attached, of all channels together. */
  public long entered(ChannelState entered) {
    return transitions.entered(entered);
  }

  // ---- taking access back ----

  /**
   * Ends a channel; the listener is told. Nothing happens to one that has ended. ENOENT.
   *
   * @param reason SLUICE_ERROR_*, not 0
   * @param detail of the reason
   */
  public void kill(int cid, int reason, int detail) {
    lock.run(() -> killNow(cid, reason, detail));
  }

  /**
   * The same for one that is still as it was found. If what the guest does now lasts longer, its
   * own thread does it at the end of that, unless this is called again before.
   *
   * @param patience how long to wait for what the guest does now
   * @param asFound what its state must still be, by a look: what is merely known of it a guest may
   *     change, by what it writes into its control page
   * @param counted runs before the guest can see the end; it must not ask the guest
   */
  public void killSoon(
      Duration patience,
      int cid,
      int reason,
      int detail,
      Predicate<Channel.Status> asFound,
      Runnable counted) {
    Optional<Boolean> _ =
        lock.callSoon(
            patience,
            deferredKill,
            () -> {
              boolean ends = asFound.test(channels.watch(channels.get(cid)));
              if (ends) {
                counted.run();
                killNow(cid, reason, detail);
              }
              return ends;
            });
  }

  private void killNow(int cid, int reason, int detail) {
    capabilities.require(Capability.KILL, "ending a running channel");
    channels.kill(channels.get(cid), reason, detail);
  }

  /**
   * The channel takes no entries until as many resumes; its page stays live. Of a channel without a
   * ring, or a detached one, it takes effect when that starts or is attached.
   */
  public void suspend(int cid, String reason) {
    lock.run(() -> {
      capabilities.require(Capability.SUSPEND, "suspending a channel");
      channels.get(cid).suspend(reason);
    });
  }

  /** Undoes one {@link #suspend}; EINVAL when there is none. */
  public void resume(int cid, String reason) {
    lock.run(() -> channels.get(cid).resume(reason));
  }

  /**
   * The guest's page becomes a shadow copy the GPU no longer reads; what was put before runs to its
   * end: {@link #drain} sees to it. EBUSY unless the channel runs.
   */
  public void detach(int cid, String reason) {
    lock.run(() -> {
      capabilities.require(Capability.DETACH, "detaching a channel");
      channels.get(cid).detach(reason);
    });
  }

  /**
   * Takes a detached channel further: looks, and once it has finished all it was given it is {@link
   * ChannelState#DETACHED}. ENOENT. Who only asks reads {@link #query}.
   *
   * @return whether it is
   */
  public boolean drain(int cid) {
    return lock.call(() -> channels.drain(channels.get(cid)));
  }

  /** The GPU reads the guest's page again; nothing is lost, nothing runs twice. EBUSY. */
  public void attach(int cid, String reason) {
    lock.run(() -> channels.get(cid).attach(reason));
  }

  // ---- interrupts ----

  /**
   * The pending bitmap of the guest's device, one bit per channel in 32-bit words, for {@link
   * #setInterruptTarget}. Once; EOPNOTSUPP without {@link Capability#DIRECT_INTERRUPTS}.
   *
   * @param fd stays the caller's
   * @param offset byte offset in the file, a multiple of 4096
   * @param sizeBytes a multiple of 4096
   */
  public void setPendingBitmap(Fd fd, long offset, long sizeBytes) {
    lock.run(() -> {
      capabilities.require(Capability.DIRECT_INTERRUPTS, "setting pending bits");
      backend.setPendingBitmap(fd, offset, sizeBytes);
    });
  }

  /**
   * Where interrupts of a channel go from now on: the GPU itself sets its pending bit and, when
   * that was clear, signals an eventfd; or, without one, they are told to the listener. When this
   * returns a former eventfd is used no more. ENOENT.
   *
   * @param eventfd stays the caller's; null for the listener
   */
  public void setInterruptTarget(int cid, @Nullable Fd eventfd) {
    lock.run(() -> {
      capabilities.require(Capability.DIRECT_INTERRUPTS, "signalling eventfds");
      channels.get(cid).backend.setInterruptTarget(eventfd);
    });
  }
}
