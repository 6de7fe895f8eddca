package io.sluice.channel.nvidia.channel;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.submit.Monitor;
import io.sluice.channel.nvidia.submit.RingPointers;
import io.sluice.channel.nvidia.submit.UserdWords;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The draining of a channel that the guest is to see no longer: the guest's control page is
 * replaced by a fresh one, the shadow; the GPU goes on reading the former, in which GP_PUT stays.
 * {@link DetachmentState} has the stages, {@link Detachments} takes those of a guest from one to
 * the next. Guarded by the open's lock.
 *
 * <p>GP_GET tells what was fetched, not what has finished. So once it has reached GP_PUT an entry
 * of ours, the poison, takes the place of the guest's next one, is run, and gone again: it releases
 * a semaphore of ours when everything before has finished. The guest holds still meanwhile. A store
 * of its that was on the way may take the poison's place; then its entry is run, and another poison
 * goes behind it.
 *
 * <p>One that has poison in its ring may wait for a semaphore all the same: it was given back while
 * it waited. Then the guest does not hold still any longer. Its next entry takes the place of the
 * poison, and when the wait is over is run as one whose store was on the way.
 */
public final class Detachment {
  private static final Logger log = LoggerFactory.getLogger(Detachment.class);

  /**
   * In how many slots poison is tried. A guest that holds still when asked takes one at most, and
   * one more for each wait that follows on another.
   */
  private static final int MAX_ATTEMPTS = ScratchPages.MAX_POISONS;

  /** How long an acquire may last before more is passed on. */
  private static final long PATIENCE_NS = 1_000_000;

  private static final VarHandle U64 = Layouts.U64.varHandle();
  private static final long OUR_WORDS = GuestAbi.CONTROL_OFFSET + 2L * Integer.BYTES;

  /** A slot of the ring that has poison in it, and what it held. */
  private record Poison(MemorySegment slot, long entry, long saved) {}

  private final ChannelHome home;
  private final ChannelRing ring;
  private final HardwareChannel channel;
  private final UserdWords words;
  private final ChannelActivity activity;
  private final GpuVa alias;
  private final List<Poison> poisons = new ArrayList<>(1);
  private @Nullable ScratchPages scratch;

  private DetachmentState state = DetachmentState.FETCHING;
  private long enteredNs;

  /** The first entry that was not put when the page was replaced; then where the poison is. */
  private int put;

  private int fetched;
  private long passedOnNs;

  private Detachment(
      ChannelHome home,
      ChannelRing ring,
      HardwareChannel channel,
      UserdWords words,
      ChannelActivity activity,
      GpuVa alias,
      long nowNs) {
    this.home = home;
    this.ring = ring;
    this.channel = channel;
    this.words = words;
    this.activity = activity;
    this.alias = alias;
    enteredNs = nowNs;
    passedOnNs = nowNs;
    activity.forgetWait();
  }

  /**
   * Replaces the page.
   *
   * @throws io.sluice.abi.RefusedException the ring is where we cannot reach it; nothing changed
   */
  static Detachment begin(
      ChannelHome home,
      ChannelRing ring,
      HardwareChannel channel,
      UserdWords words,
      ChannelActivity activity,
      long nowNs) {
    MemorySegment _ = ring.slot(0);
    Monitor monitor = home.monitor();
    int _ = monitor.token(); // it is there before the page is replaced
    GpuVa alias = monitor.alias(channel.userd(), GuestLimits.PAGE_BYTES, GuestLimits.PAGE_BYTES);
    Detachment made = new Detachment(home, ring, channel, words, activity, alias, nowNs);
    made.replacePage(monitor);
    return made;
  }

  /** What the guest stores from here on lands in the fresh page, or again in it. */
  private void replacePage(Monitor monitor) {
    MemorySegment page = words.page();
    int generation = ControlWords.GENERATION.bitsAcquire(page, GuestAbi.CONTROL_OFFSET);
    byte[] ours = page.asSlice(OUR_WORDS).toArray(ValueLayout.JAVA_BYTE);
    home.pages().replace(ring.channelId());
    RingPointers seen = monitor.pointers(alias);
    put = seen.put();
    fetched = seen.get();
    words.get(fetched);
    words.putIfFresh(put);
    MemorySegment.copy(MemorySegment.ofArray(ours), 0, page, OUR_WORDS, ours.length);
    words.publish(monitor.token());
    ControlWords.GENERATION.setRelease(page, GuestAbi.CONTROL_OFFSET, generation);
    // The guest may have been between its store and its doorbell.
    home.open().doorbell().ring(channel.token());
  }

  DetachmentState state() {
    return state;
  }

  boolean isDrained() {
    return state == DetachmentState.DRAINED;
  }

  /** The entry to go on with; of one that is drained. */
  int next() {
    return put;
  }

  private void enter(DetachmentState next, long nowNs, String reason) {
    if (!state.canBecome(next)) {
      throw new AssertionError("no such transition, from=" + state + " to=" + next);
    }
    log.atTrace()
        .addKeyValue("cid", ring.channelId())
        .addKeyValue("from", state)
        .addKeyValue("to", next)
        .addKeyValue("reason", reason)
        .log("detachment");
    state = next;
    enteredNs = nowNs;
  }

  /** Whether it waits for a semaphore, and has done so long enough for more to be passed on. */
  boolean isPatienceOver(long nowNs) {
    long since = Math.max(activity.waitsSinceNs(), passedOnNs);
    return !isDrained() && activity.isWaiting() && nowNs - since > PATIENCE_NS;
  }

  // ---- steps ----

  /** Looks whether all of it that was put is fetched, and waits for no semaphore. */
  void lookForEnd(long nowNs) {
    if (state == DetachmentState.FETCHING) {
      fetched = home.monitor().pointers(alias).get();
      words.get(fetched);
      if (!isWaitingBefore(put, nowNs) && fetched == put) {
        enter(DetachmentState.AT_END, nowNs, "all is fetched");
      }
    }
  }

  /**
   * @param end the first entry that the GPU has not been told of
   */
  private boolean isWaitingBefore(int end, long nowNs) {
    return activity.lookForWait(channel, ring, new RingPointers(fetched, end), nowNs);
  }

  /** Has the GPU see what the guest has put in the page that replaced the one it reads. */
  void passOn(long nowNs) {
    int wanted = words.put();
    if (!state.takesMore() || wanted == put || wanted >= ring.entries() || wanted < 0) {
      return;
    }
    put = wanted;
    passedOnNs = nowNs;
    if (state == DetachmentState.AT_END) {
      enter(DetachmentState.FETCHING, nowNs, "more was passed on");
    }
    tellPut(put);
  }

  /** Puts poison behind what was put: the others have come to their ends, too. */
  void poisonIfFetched(long nowNs) {
    if (state.takesMore()) {
      poison(nowNs, "all of the guest's are at their ends");
    }
  }

  /**
   * Has it end without waiting for more: what the guest has put until now is run, then the poison.
   * The guest holds still until the channel counts again, or another one; but not while it waits.
   */
  void finish(long nowNs) {
    if (state.takesMore()) {
      words.withdraw();
      put = words.put();
      poison(nowNs, "given back");
    }
  }

  private void poison(long nowNs, String reason) {
    words.withdraw();
    if (scratch == null) {
      scratch = ScratchPages.map(home.open(), ring.space().space(), ring.channelId());
    }
    long entry = scratch.poison(poisons.size());
    MemorySegment slot = ring.slot(put);
    long saved = (long) U64.getAndSet(slot, 0L, entry);
    poisons.add(new Poison(slot, entry, saved));
    activity.forgetWait();
    enter(DetachmentState.POISONED, nowNs, reason);
    tellPut(ring.after(put));
  }

  private void tellPut(int value) {
    home.monitor().store(new GpuVa(alias.value() + GuestAbi.USERD_GP_PUT), value);
    home.open().doorbell().ring(channel.token());
  }

  /** Looks how far the GPU is with the poison. */
  void lookAtPoison(long nowNs) {
    ScratchPages ours = scratch;
    if (!state.isPoisoned() || ours == null) {
      return;
    }
    int last = poisons.size() - 1;
    if (ours.isReleased(last)) {
      // An earlier one that was released, too, was run, and the guest's entry there was not.
      int first = 0;
      while (!ours.isReleased(first)) {
        first++;
      }
      put = (put - (last - first)) & (ring.entries() - 1);
      end(ours, nowNs);
      return;
    }
    Poison poison = poisons.get(last);
    boolean taken = (long) U64.getAcquire(poison.slot(), 0L) != poison.entry();
    boolean guestIsDone = words.put() != put;
    boolean roomForMore = poisons.size() < MAX_ATTEMPTS;
    if (waitsBeforePoison(nowNs)) {
      if (state == DetachmentState.POISONED && roomForMore) {
        release(nowNs);
      }
    } else if (taken && guestIsDone && roomForMore) {
      put = ring.after(put);
      poison(nowNs, "the guest has taken the poison's place");
    }
  }

  /** Poison is run within microseconds of what is before it, unless that waits. */
  private boolean waitsBeforePoison(long nowNs) {
    boolean late = nowNs - enteredNs > PATIENCE_NS;
    if (state == DetachmentState.POISONED && !late) {
      return false;
    }
    fetched = home.monitor().pointers(alias).get();
    return isWaitingBefore(ring.after(put), nowNs);
  }

  /** The guest goes on, as far as its ring has room; what it waits for may be among that. */
  private void release(long nowNs) {
    if (fetched == ring.after(put)) {
      fetched = put; // the guest may take the place of the poison
    }
    words.get(fetched);
    words.publish(home.monitor().token());
    enter(DetachmentState.RELEASED, nowNs, "waits for a semaphore");
  }

  private void end(ScratchPages ours, long nowNs) {
    for (Poison poison : poisons) {
      boolean _ = U64.compareAndSet(poison.slot(), 0L, poison.entry(), poison.saved());
    }
    ours.close();
    scratch = null;
    fetched = put;
    words.get(put);
    enter(DetachmentState.DRAINED, nowNs, "the poison was run");
    words.publish(home.monitor().token());
  }

  /** Gives back what it holds; the channel is disabled, or has drained. */
  void close() {
    if (scratch != null) {
      scratch.close();
      scratch = null;
    }
    home.monitor().removeAlias(channel.userd(), GuestLimits.PAGE_BYTES, alias);
  }
}
