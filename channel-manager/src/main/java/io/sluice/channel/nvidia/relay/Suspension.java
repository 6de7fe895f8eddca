package io.sluice.channel.nvidia.relay;

import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.ImmutableLongArray;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.channel.nvidia.relay.card.ProgramCopier;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.ring.ProgramRing;
import io.sluice.channel.nvidia.submit.PendingAcquire;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The taking of a program from its card, and what of it is kept meanwhile: what the channels have
 * come to, and what was in video memory. What the program maps is its own pages and stays, and so
 * do its files of RM; what it had made is made anew by {@link Resumption}.
 *
 * <p>The program is not stopped. It reads the token that it rings from memory; as long as that is
 * one of ours it goes on writing entries of which the GPU is not told.
 */
final class Suspension {
  /** How often in a row all channels must be found idle. */
  private static final int LOOKS = 3;

  /** And for how long: one that waits for another's kernel has begun its own by then. */
  private static final long IDLE_NS = 50_000_000;

  /** What takes longer has waited for work, behind which there may be more. */
  private static final long WORK_NS = 20_000_000;

  /** Between two looks. */
  private static final long PAUSE_NS = 200_000;

  /** Most pieces of pushbuffer, and semaphores, that are looked at for what channels wait for. */
  private static final int MOST_PEEKS = 1 << 12;

  private final ProgramDriver driver;
  private final PagesCalls pages;
  private final PoolCalls pools;
  private final UvmCalls uvm;
  private final ProgramChannels channels;
  private final LongSupplier clock;
  private final BooleanSupplier leaving;
  private final List<HeldChannel> held = new ArrayList<>();
  private final List<KeptObject> kept = new ArrayList<>();
  private long heapBytes; // for the channels
  private int peeks; // in one look

  /**
   * A channel that has come to rest.
   *
   * @param next entry that is fetched next
   * @param slots of its ring at that time
   * @param notifier what its notifier said
   * @param state what it has to be told
   */
  record HeldChannel(
      RmObject channel,
      ProgramRing ring,
      int next,
      ImmutableLongArray slots,
      List<Integer> notifier,
      ImmutableIntArray state) {
    /** Whether it is as a new one: none of its submissions have run. */
    boolean isNew() {
      return next == 0 && state.isEmpty();
    }
  }

  /**
   * Memory whose contents are kept.
   *
   * @param bytes of it
   * @param video whether it is in video memory
   */
  record KeptObject(
      RmObject object, ProgramCopier.KeptContents contents, long bytes, boolean video) {}

  /**
   * @param leaving whether the program leaves
   */
  Suspension(
      ProgramDriver driver,
      PagesCalls pages,
      PoolCalls pools,
      UvmCalls uvm,
      ProgramChannels channels,
      LongSupplier clock,
      BooleanSupplier leaving) {
    this.driver = driver;
    this.pages = pages;
    this.pools = pools;
    this.uvm = uvm;
    this.channels = channels;
    this.clock = clock;
    this.leaving = leaving;
  }

  /** The channels, as long as it is suspended. */
  List<HeldChannel> held() {
    return held;
  }

  /** Memory that is kept. */
  List<KeptObject> kept() {
    return kept;
  }

  /**
   * Suspends it.
   *
   * @param until when its work is waited for no longer, by the clock
   * @throws Denial when it cannot be; it goes on then
   * @throws RefusedException likewise
   * @throws IllegalStateException when it neither does nor goes on: it must end
   */
  void suspend(long until) throws Denial {
    channels.settle();
    List<ProgramRing> rings = requireAll();
    List<Integer> tokens = rings.stream().map(ProgramRing::token).toList();
    int idle = driver.copier().idleToken();
    takeHeap(rings);
    boolean complete = false;
    try {
      rings.forEach(ring -> ring.token(idle));
      ChannelHold hold = drain(rings, until);
      try {
        keepContents();
        complete = true;
      } finally {
        if (!complete) {
          hold.close();
        }
      }
    } finally {
      if (!complete) {
        drop();
        for (int i = 0; i < rings.size(); i++) {
          rings.get(i).token(tokens.get(i));
        }
        tokens.forEach(driver.copier()::ring);
      }
    }
    keepChannels(rings);
    freeAll();
  }

  /** All rings, of a program that can be suspended. */
  private List<ProgramRing> requireAll() throws Denial {
    if (driver.objects().hasNameless()) {
      throw cannot("it has mapped memory that it has freed");
    }
    if (uvm.places().anyMatch(place -> place.attributes().length == 0)) {
      throw cannot("it has mapped memory on several GPUs");
    }
    List<ProgramRing> rings = new ArrayList<>();
    for (RmObject channel : channels.all()) {
      rings.add(
          channels
              .ring(channel)
              .orElseThrow(() -> cannot("the ring of a channel is not in the host's memory")));
      Optional<String> missed = channels.missed(channel);
      if (missed.isPresent()) {
        throw cannot("it is not known how a channel was set up: " + missed.get());
      }
    }
    return rings;
  }

  /** For what is kept of the channels. */
  private void takeHeap(List<ProgramRing> rings) throws Denial {
    long bytes = 0;
    for (ProgramRing ring : rings) {
      bytes += (long) ring.entries() * Long.BYTES;
    }
    for (RmObject channel : channels.all()) {
      bytes += (long) channels.stateWords(channel).length * Integer.BYTES;
    }
    if (!driver.heap().tryUse(bytes)) {
      throw new Denial(
          RmStatus.NO_MEMORY, "its rings are more of the heap than the guest may have");
    }
    heapBytes = bytes;
  }

  private static Denial cannot(String why) {
    return new Denial(RmStatus.NOT_SUPPORTED, why);
  }

  /** Waits until all that was submitted has ended, and stops the channels. */
  private ChannelHold drain(List<ProgramRing> rings, long until) throws Denial {
    GroupProbes probes = GroupProbes.of(driver, pages, pools, uvm, channels.all());
    try {
      while (true) {
        List<Integer> gets = awaitIdle(probes, rings, until);
        ChannelHold hold = ChannelHold.of(driver);
        if (gets.equals(gets(rings))) {
          return hold;
        }
        hold.close(); // it had rung just before its tokens were replaced
        requireTime(until);
      }
    } finally {
      probes.close(); // that it must end is worse than why it goes on
    }
  }

  private static List<Integer> gets(List<ProgramRing> rings) {
    return rings.stream().map(ProgramRing::get).toList();
  }

  private List<Integer> awaitIdle(GroupProbes probes, List<ProgramRing> rings, long until)
      throws Denial {
    List<Integer> before = gets(rings);
    long since = clock.getAsLong();
    int looks = 0;
    while (looks < LOOKS || clock.getAsLong() - since < IDLE_NS) {
      long asked = clock.getAsLong();
      probes.ask();
      while (!probes.areAnswered()) {
        requireTime(until);
        pause();
      }
      List<Integer> now = gets(rings);
      boolean idle = now.equals(before) && clock.getAsLong() - asked < WORK_NS && !isWaiting(rings);
      looks = idle ? looks + 1 : 0;
      since = idle ? since : clock.getAsLong();
      before = now;
      if (!idle) {
        requireTime(until);
      }
      pause();
    }
    return before;
  }

  /**
   * Whether a channel waits for a semaphore, behind which there is more of what it has fetched, or
   * there is more to look at than that is asked for.
   */
  private boolean isWaiting(List<ProgramRing> rings) throws Denial {
    peeks = 0;
    for (ProgramRing ring : rings) {
      requireHere();
      if (PendingAcquire.find(this::peek, ring.fetched(PendingAcquire.ENTRIES)).isPresent()
          || peeks > MOST_PEEKS) {
        return true;
      }
    }
    return false;
  }

  private boolean peek(long address, MemorySegment into) {
    if (++peeks > MOST_PEEKS) {
      return false;
    }
    Optional<MemorySegment> there = uvm.at(address, into.byteSize());
    there.ifPresent(into::copyFrom);
    return there.isPresent();
  }

  private void requireTime(long until) throws Denial {
    if (clock.getAsLong() - until > 0) {
      throw new Denial(RmStatus.TIMEOUT, "its work does not come to an end");
    }
  }

  private void pause() throws Denial {
    requireHere();
    LockSupport.parkNanos(this, PAUSE_NS);
  }

  /** Who has left is not kept waiting. */
  private void requireHere() throws Denial {
    if (leaving.getAsBoolean()) {
      throw cannot("it leaves");
    }
  }

  private void keepContents() throws Denial {
    for (RmObject object : driver.objects().all()) {
      if (!object.is(ProgramClass.NV01_MEMORY_LOCAL_USER) || object.pages().isPresent()) {
        continue;
      }
      requireHere();
      long bytes = object.sizeBytes();
      boolean video = !object.isOfSystem();
      if (video && !driver.system().take(bytes)) {
        throw new Denial(
            RmStatus.NO_MEMORY,
            "what it has in video memory is more of the host's memory than the guest may have");
      }
      boolean complete = false;
      try {
        int client = driver.port().real(object.name().client());
        kept.add(
            new KeptObject(
                object, driver.copier().keep(client, object.name().handle(), bytes), bytes, video));
        complete = true;
      } finally {
        if (!complete && video) {
          driver.system().giveBack(bytes);
        }
      }
    }
  }

  /** Video memory that it had. */
  long videoBytes() {
    return kept.stream().filter(KeptObject::video).mapToLong(KeptObject::bytes).sum();
  }

  /** Gives back what was kept. */
  void drop() {
    for (KeptObject each : kept) {
      each.contents().close();
      if (each.video()) {
        driver.system().giveBack(each.bytes());
      }
    }
    kept.clear();
    held.clear();
    driver.heap().free(heapBytes);
    heapBytes = 0;
  }

  private void keepChannels(List<ProgramRing> rings) {
    channels.look();
    List<RmObject> all = channels.all();
    for (int i = 0; i < rings.size(); i++) {
      ProgramRing ring = rings.get(i);
      held.add(
          new HeldChannel(
              all.get(i),
              ring,
              ring.get() & ring.entries() - 1,
              ImmutableLongArray.copyOf(ring.slots()),
              Arrays.stream(ring.notifier()).boxed().toList(),
              ImmutableIntArray.copyOf(channels.stateWords(all.get(i)))));
    }
  }

  /**
   * Frees all that it has on the card. Events first, then the channels, in RM, and UVM's address
   * space last: UVM would end a channel that it lets go before, which RM tells in the notifier, and
   * the program would take for an error.
   */
  private void freeAll() {
    try {
      for (RmObject object : driver.objects().all()) {
        if (object.is(ProgramClass.NV01_EVENT_OS_EVENT)) {
          free(object);
        }
      }
      freeClients();
      restoreNotifiers();
    } catch (SyscallException e) {
      throw new IllegalStateException("what it has on the card is not freed", e);
    }
    for (KeptObject each : kept) {
      driver.video().giveBack(each.object().videoBytes());
      each.object().setVideoBytes(0);
    }
  }

  /** Frees its clients, with all that they have, and what UVM has. */
  void freeClients() {
    driver.objects().groups().rest();
    for (int client : driver.objects().clients()) {
      Optional<ProgramFile> control = driver.objects().controlOf(client);
      control.ifPresent(file -> driver.port().free(file.fd(), driver.port().real(client)));
    }
    uvm.spaces().forEach(space -> space.file().fd().close());
  }

  private void free(RmObject object) {
    ProgramFile control = driver.objects().controlOf(object.name().client()).orElseThrow();
    int _ = pools.free(control, object.name(), object.parent().handle());
  }

  /** Reads what the program has submitted meanwhile. */
  void readOn() {
    channels.goOn();
  }

  /** Has all notifiers say what they said. */
  void restoreNotifiers() {
    held.forEach(each ->
        each.ring()
            .restoreNotifier(each.notifier().stream().mapToInt(Integer::intValue).toArray()));
  }
}
