package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.Limits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a channel whose guest is to see it no longer: the guest's control page is
 * replaced by a fresh one, the shadow; the GPU goes on reading the former, in which GP_PUT stays.
 * Guarded by the open's lock.
 *
 * <pre>
 *   FETCHING ──► POISONED ──► DRAINED
 * </pre>
 *
 * <p>GP_GET tells what was fetched, not what has finished. So once it has reached GP_PUT an entry
 * of ours, the poison, takes the place of the guest's next one, is run, and gone again: it releases
 * a semaphore of ours when everything before has finished. The guest holds still meanwhile. A store
 * of its that was on the way may take the poison's place; then its entry is run, and another poison
 * goes behind it.
 *
 * <p>A channel may wait for a semaphore that the guest has yet to have another one release, of
 * which we hold back what it submits. So none is poisoned before all of the guest's that are
 * detached have come to their ends and wait for nothing; and while one has waited for {@link
 * #PATIENCE_NS} what the guest has put meanwhile is passed on to all.
 *
 * <p>One that has poison in its ring may wait all the same: it was given back while it waited. Then
 * the guest does not hold still any longer. Its next entry takes the place of the poison, and when
 * the wait is over is run as one whose store was on the way.
 */
final class Detachment {
  /**
   * In how many slots poison is tried. A guest that holds still when asked takes one at most, and
   * one more for each wait that follows on another.
   */
  private static final int MAX_ATTEMPTS = Scratch.MAX_POISONS;

  /** How long an acquire may last before more is passed on. */
  private static final long PATIENCE_NS = 1_000_000;

  private static final VarHandle U64 = Layouts.U64.varHandle();
  private static final long OUR_WORDS = GuestAbi.CONTROL_OFFSET + 2L * Integer.BYTES;

  private enum Stage {
    FETCHING,
    POISONED,
    DRAINED
  }

  /** A slot of the ring that has poison in it, and what it held. */
  private record Poison(MemorySegment slot, long entry, long saved) {}

  private final NvidiaGuestGpu gpu;
  private final Ring ring;
  private final HardwareChannel channel;
  private final UserdWords words;
  private final GpuVa alias;
  private final List<Poison> poisons = new ArrayList<>(1);
  private @Nullable Scratch scratch;
  private Stage stage = Stage.FETCHING;

  /** The first entry that was not put when the page was replaced; then where the poison is. */
  private int put;

  private long poisonedNs;

  /** The poison waits, and the guest does not hold still for it. */
  private boolean letGo;

  private int fetched;

  /** It was seen to wait, since when, and where; it has looked idle so often since. */
  private boolean blocked;

  private boolean atEnd;
  private long blockedSinceNs;
  private int blockedAt;
  private int idleAnswers;

  /**
   * The ring of a channel.
   *
   * @param space where it is mapped
   * @param channelId the guest's id
   * @param start address
   * @param entries a power of two
   */
  record Ring(NvidiaAddressSpace space, int channelId, GpuVa start, int entries) {
    int after(int index) {
      return (index + 1) & (entries - 1);
    }

    MemorySegment slot(int index) {
      return space.cpu(start.value() + index * 8L, 8);
    }
  }

  private Detachment(
      NvidiaGuestGpu gpu, Ring ring, HardwareChannel channel, UserdWords words, GpuVa alias) {
    this.gpu = gpu;
    this.ring = ring;
    this.channel = channel;
    this.words = words;
    this.alias = alias;
  }

  /**
   * Replaces the page.
   *
   * @throws io.sluice.abi.RefusedException the ring is where we cannot reach it; nothing changed
   */
  static Detachment begin(
      NvidiaGuestGpu gpu, Ring ring, HardwareChannel channel, UserdWords words) {
    MemorySegment _ = ring.slot(0);
    Monitor monitor = gpu.monitor();
    GpuVa alias = monitor.alias(channel.userd(), Limits.PAGE_BYTES, Limits.PAGE_BYTES);
    Detachment made = new Detachment(gpu, ring, channel, words, alias);
    made.replacePage(monitor);
    return made;
  }

  /** What the guest stores from here on lands in the fresh page, or again in it. */
  private void replacePage(Monitor monitor) {
    MemorySegment page = words.page();
    int generation = ControlWords.generation(page, GuestAbi.CONTROL_OFFSET);
    byte[] ours = page.asSlice(OUR_WORDS).toArray(ValueLayout.JAVA_BYTE);
    gpu.replaceControlPage(ring.channelId());
    Monitor.RingPointers seen = monitor.pointers(alias);
    put = seen.put();
    fetched = seen.get();
    words.get(fetched);
    words.putIfFresh(put);
    MemorySegment.copy(MemorySegment.ofArray(ours), 0, page, OUR_WORDS, ours.length);
    words.publish(monitor.token());
    ControlWords.generation(page, GuestAbi.CONTROL_OFFSET, generation);
    // The guest may have been between its store and its doorbell.
    gpu.doorbellPage().ring(channel.token());
  }

  boolean isDrained() {
    return stage == Stage.DRAINED;
  }

  /** The entry to go on with; of one that is drained. */
  int next() {
    return put;
  }

  /** Entries that the guest may believe fetched. */
  int fetched() {
    return fetched;
  }

  /** Looks how far it is. */
  boolean advance() {
    if (stage == Stage.FETCHING && gpu.channels().endOfDetached()) {
      poison();
    }
    if (stage == Stage.POISONED) {
      look();
    }
    return isDrained();
  }

  /** Whether all of it that was put is fetched, and waits for no semaphore. */
  boolean isAtEnd() {
    if (stage == Stage.FETCHING && !atEnd) {
      fetched = gpu.monitor().pointers(alias).get();
      words.get(fetched);
      blocked = waits(put);
      atEnd = fetched == put && !blocked;
    }
    return stage != Stage.FETCHING || atEnd;
  }

  /** Whether it waits, and has done so long enough for more to be passed on. */
  boolean isPatienceOver() {
    return stage != Stage.DRAINED && blocked && gpu.timeNs() - blockedSinceNs > PATIENCE_NS;
  }

  /**
   * @param end the first entry that the GPU has not been told of
   */
  private boolean waits(int end) {
    if (PendingAcquire.find(ring, fetched).isEmpty()) {
      return false;
    }
    if (!blocked || blockedAt != fetched) {
      blockedSinceNs = gpu.timeNs();
      blockedAt = fetched;
      idleAnswers = 0;
    }
    // It may be over, and the semaphore something else since.
    boolean sure = fetched == end && channel.isIdle(Probe.IDLE_US) && ++idleAnswers >= Probe.SURE;
    return !sure;
  }

  /** Has the GPU see what the guest has put in the page that replaced the one it reads. */
  void passOn() {
    int wanted = words.put();
    if (stage == Stage.FETCHING && wanted != put && wanted < ring.entries() && wanted >= 0) {
      put = wanted;
      atEnd = false;
      blockedSinceNs = gpu.timeNs();
      gpu.monitor().store(new GpuVa(alias.value() + GuestAbi.USERD_GP_PUT), put);
      gpu.doorbellPage().ring(channel.token());
    }
  }

  /**
   * Has it end without waiting for more: what the guest has put until now is run, then the poison.
   * The guest holds still until the channel counts again, or another one; but not while it waits.
   */
  void finish() {
    if (stage == Stage.FETCHING) {
      words.withdraw();
      put = words.put();
      poison();
    }
  }

  private void poison() {
    words.withdraw();
    if (scratch == null) {
      scratch = Scratch.map(gpu, ring.space(), ring.channelId());
    }
    long entry = scratch.poison(poisons.size());
    MemorySegment slot = ring.slot(put);
    long saved = (long) U64.getAndSet(slot, 0L, entry);
    poisons.add(new Poison(slot, entry, saved));
    stage = Stage.POISONED;
    poisonedNs = gpu.timeNs();
    letGo = false;
    blocked = false;
    gpu.monitor().store(new GpuVa(alias.value() + GuestAbi.USERD_GP_PUT), ring.after(put));
    gpu.doorbellPage().ring(channel.token());
  }

  private void look() {
    Scratch ours = scratch;
    if (ours == null) {
      throw new AssertionError("poisoned without scratch");
    }
    int last = poisons.size() - 1;
    if (ours.isReleased(last)) {
      // An earlier one that was released, too, was run, and the guest's entry there was not.
      int first = 0;
      while (!ours.isReleased(first)) {
        first++;
      }
      put = (put - (last - first)) & (ring.entries() - 1);
      end(ours);
      return;
    }
    Poison poison = poisons.get(last);
    boolean taken = (long) U64.getAcquire(poison.slot(), 0L) != poison.entry();
    boolean guestIsDone = words.put() != put;
    if (waitsBeforePoison()) {
      letGo();
    } else if (taken && guestIsDone && poisons.size() < MAX_ATTEMPTS) {
      put = ring.after(put);
      poison();
    }
  }

  /** Poison is run within microseconds of what is before it, unless that waits. */
  private boolean waitsBeforePoison() {
    if (gpu.timeNs() - poisonedNs > PATIENCE_NS) {
      fetched = gpu.monitor().pointers(alias).get();
      blocked = waits(ring.after(put));
    }
    return blocked;
  }

  /** The guest goes on, as far as its ring has room; what it waits for may be among that. */
  private void letGo() {
    if (!letGo && poisons.size() < MAX_ATTEMPTS) {
      letGo = true;
      if (fetched == ring.after(put)) {
        fetched = put; // the guest may take the place of the poison
      }
      words.get(fetched);
      words.publish(gpu.monitor().token());
    }
  }

  private void end(Scratch ours) {
    for (Poison poison : poisons) {
      boolean _ = U64.compareAndSet(poison.slot(), 0L, poison.entry(), poison.saved());
    }
    ours.close();
    scratch = null;
    fetched = put;
    words.get(put);
    stage = Stage.DRAINED;
    words.publish(gpu.monitor().token());
  }

  /** Gives back what it holds; the channel is disabled, or has drained. */
  void close() {
    if (scratch != null) {
      scratch.close();
      scratch = null;
    }
    gpu.monitor().removeAlias(channel.userd(), Limits.PAGE_BYTES, alias);
  }
}
