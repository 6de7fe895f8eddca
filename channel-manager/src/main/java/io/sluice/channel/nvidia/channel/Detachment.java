package io.sluice.channel.nvidia.channel;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.submit.Monitor;
import io.sluice.channel.nvidia.submit.RingPointers;
import io.sluice.channel.nvidia.submit.UserdWords;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;
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

  /** How long an acquire may last before more is passed on. */
  private static final long PATIENCE_NS = 1_000_000;

  private static final long OUR_WORDS = GuestAbi.CONTROL_OFFSET + 2L * Integer.BYTES;

  /** The stages, each with what it must know. */
  private sealed interface Drain {
    DetachmentState stage();

    /** One without poison. */
    record Clean(DetachmentState stage) implements Drain {
      public Clean {
        if (stage.isPoisoned()) {
          throw new AssertionError("without poison, stage=" + stage);
        }
      }
    }

    /** One with poison in the ring. */
    record Poisoned(DetachmentState stage, Poisons poisons) implements Drain {
      public Poisoned {
        if (!stage.isPoisoned()) {
          throw new AssertionError("with poison, stage=" + stage);
        }
      }
    }
  }

  /** A stage, and when it was entered; GPU time. */
  private record Entered(Drain drain, long atNs) {}

  private final ChannelHome home;
  private final ChannelRing ring;
  private final HardwareChannel channel;
  private final UserdWords words;
  private final ChannelActivity activity;
  private final GpuVa alias;

  // Written under the lock.
  private volatile Entered entered;

  /** The place of the guest's next entry; poison stands there. */
  private int put;

  /** GP_GET, as the guest sees it. */
  private int fetched;

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
    entered = new Entered(new Drain.Clean(DetachmentState.FETCHING), nowNs);
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
    return entered.drain().stage();
  }

  /** When its stage was entered; GPU time. Any thread. */
  long enteredNs() {
    return entered.atNs();
  }

  boolean isDrained() {
    return state() == DetachmentState.DRAINED;
  }

  /** The entry to go on with; of one that is drained. */
  int next() {
    return put;
  }

  /** The one place that changes the stage. */
  private void enter(Drain next, long nowNs, String reason) {
    if (!state().canBecome(next.stage())) {
      throw new AssertionError("no such transition, from=" + state() + " to=" + next.stage());
    }
    log.atTrace()
        .addKeyValue("cid", ring.channelId())
        .addKeyValue("from", state())
        .addKeyValue("to", next.stage())
        .addKeyValue("atNs", nowNs)
        .addKeyValue("reason", reason)
        .log("detachment");
    entered = new Entered(next, nowNs);
  }

  /** Whether it waits for a semaphore, and has done so long enough for more to be passed on. */
  boolean isPatienceOver(long nowNs) {
    OptionalLong since = activity.waitsSinceNs();
    return !isDrained()
        && since.isPresent()
        && nowNs - Math.max(since.getAsLong(), enteredNs()) > PATIENCE_NS;
  }

  // ---- steps ----

  /** Looks whether all of it that was put is fetched, and waits for no semaphore. */
  void lookForEnd(long nowNs) {
    if (state() == DetachmentState.FETCHING) {
      fetched = home.monitor().pointers(alias).get();
      words.get(fetched);
      if (!isWaitingBefore(put, nowNs) && fetched == put) {
        enter(new Drain.Clean(DetachmentState.AT_END), nowNs, "all is fetched");
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
    if (!state().takesMore() || wanted == put || wanted >= ring.entries() || wanted < 0) {
      return;
    }
    put = wanted;
    enter(new Drain.Clean(DetachmentState.FETCHING), nowNs, "more was passed on");
    tellPut(put);
  }

  /** Puts poison behind what was put: the others have come to their ends, too. */
  void poisonIfFetched(long nowNs) {
    if (state().takesMore()) {
      poison(nowNs, "all of the guest's are at their ends");
    }
  }

  /**
   * Has it end without waiting for more: what the guest has put until now is run, then the poison.
   * The guest holds still until the channel counts again, or another one; but not while it waits.
   */
  void finish(long nowNs) {
    if (state().takesMore()) {
      words.withdraw();
      put = words.put();
      poison(nowNs, "given back");
    }
  }

  private void poison(long nowNs, String reason) {
    words.withdraw();
    MemorySegment slot = ring.slot(put);
    Poisons poisons =
        switch (entered.drain()) {
          case Drain.Clean _ ->
              new Poisons(ScratchPages.map(home.open(), ring.space().space(), ring.channelId()));
          case Drain.Poisoned(_, Poisons before) -> before;
        };
    poisons.put(slot);
    activity.forgetWait();
    enter(new Drain.Poisoned(DetachmentState.POISONED, poisons), nowNs, reason);
    tellPut(ring.after(put));
  }

  private void tellPut(int value) {
    home.monitor().store(new GpuVa(alias.value() + GuestAbi.USERD_GP_PUT), value);
    home.open().doorbell().ring(channel.token());
  }

  /** Looks how far the GPU is with the poison. */
  void lookAtPoison(long nowNs) {
    if (!(entered.drain() instanceof Drain.Poisoned(_, Poisons poisons))) {
      return;
    }
    if (poisons.areRun()) {
      put = (put - poisons.behindFirstRun()) & (ring.entries() - 1);
      end(poisons, nowNs);
      return;
    }
    boolean taken = poisons.isLastTaken();
    boolean guestIsDone = words.put() != put;
    if (waitsBefore(nowNs)) {
      if (state() == DetachmentState.POISONED && poisons.haveRoom()) {
        release(poisons, nowNs);
      }
    } else if (taken && guestIsDone && poisons.haveRoom()) {
      put = ring.after(put);
      poison(nowNs, "the guest has taken the poison's place");
    }
  }

  /** Poison is run within microseconds of what is before it, unless that waits. */
  private boolean waitsBefore(long nowNs) {
    if (state() == DetachmentState.POISONED && nowNs - enteredNs() <= PATIENCE_NS) {
      return false;
    }
    fetched = home.monitor().pointers(alias).get();
    return isWaitingBefore(ring.after(put), nowNs);
  }

  /** The guest goes on, as far as its ring has room; what it waits for may be among that. */
  private void release(Poisons poisons, long nowNs) {
    if (fetched == ring.after(put)) {
      fetched = put; // the guest may take the place of the poison
    }
    words.get(fetched);
    words.publish(home.monitor().token());
    enter(new Drain.Poisoned(DetachmentState.RELEASED, poisons), nowNs, "waits for a semaphore");
  }

  private void end(Poisons poisons, long nowNs) {
    poisons.restoreSlots();
    poisons.close();
    fetched = put;
    words.get(put);
    enter(new Drain.Clean(DetachmentState.DRAINED), nowNs, "the poison was run");
    words.publish(home.monitor().token());
  }

  /** Gives back what it holds; the channel is disabled, or has drained. */
  void close() {
    if (entered.drain() instanceof Drain.Poisoned(_, Poisons poisons)) {
      poisons.close();
    }
    home.monitor().removeAlias(channel.userd(), GuestLimits.PAGE_BYTES, alias);
  }
}
