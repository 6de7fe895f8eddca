package io.sluice.channel.nvidia.channel;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.Channel;
import io.sluice.channel.Channel.Status.Cause;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.nvidia.channel.NvidiaChannelState.Closed;
import io.sluice.channel.nvidia.channel.NvidiaChannelState.Detached;
import io.sluice.channel.nvidia.channel.NvidiaChannelState.Detaching;
import io.sluice.channel.nvidia.channel.NvidiaChannelState.Draining;
import io.sluice.channel.nvidia.channel.NvidiaChannelState.Ended;
import io.sluice.channel.nvidia.channel.NvidiaChannelState.Live;
import io.sluice.channel.nvidia.channel.NvidiaChannelState.Prepared;
import io.sluice.channel.nvidia.channel.NvidiaChannelState.Returning;
import io.sluice.channel.nvidia.channel.NvidiaChannelState.Running;
import io.sluice.channel.nvidia.memory.NvidiaAddressSpace;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.rm.OpenLock;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.Xid;
import io.sluice.channel.nvidia.submit.RingPointers;
import io.sluice.channel.nvidia.submit.UserdWords;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import io.sluice.quota.Quota;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel of RM. RM wants the ring's address when a channel is made, so that this one is only a
 * number and a control page until {@link #start}. {@link NvidiaChannelState} has its states; calls
 * and {@link #poll} take it from one to the next, queries read. Guarded by the open's lock.
 *
 * <p>Which engine it runs on follows from the {@linkplain DeclaredClasses classes} declared before.
 */
public final class NvidiaChannel implements Channel {
  private static final Logger log = LoggerFactory.getLogger(NvidiaChannel.class);

  private final ChannelHome home;
  private final OpenLock lock;
  private final NvidiaAddressSpace space;
  private final int id;
  private final UserdWords words;
  private final MemorySegment notifier;
  private final DeclaredClasses classes;
  private final ChannelActivity activity = new ChannelActivity();
  private final Probe probe = new Probe(activity);
  private final TakenEntries taken = new TakenEntries();
  private final ChannelUse use = new ChannelUse(activity);
  private int weight;

  // Written under the lock.
  private volatile NvidiaChannelState state = new Prepared(Optional.empty());
  private volatile boolean suspended;

  public NvidiaChannel(ChannelHome home, NvidiaAddressSpace space, int id) {
    this.home = home;
    lock = home.open().lock();
    this.space = space;
    this.id = id;
    classes = new DeclaredClasses(id);
    words = new UserdWords(home.pages().control(id));
    notifier = home.pages().notifier(id);
  }

  public NvidiaAddressSpace space() {
    return space;
  }

  /** Where it stands; any thread. */
  public NvidiaChannelState state() {
    return state;
  }

  @Override
  public int id() {
    return id;
  }

  /** The one place that changes the state. */
  private void enter(NvidiaChannelState next, long nowNs, String reason) {
    if (!state.kind().canBecome(next.kind())) {
      throw new AssertionError(
          "no such transition, cid=" + id + " from=" + state.kind() + " to=" + next.kind());
    }
    log.atTrace()
        .addKeyValue("cid", id)
        .addKeyValue("from", state.kind())
        .addKeyValue("to", next.kind())
        .addKeyValue("atNs", nowNs)
        .addKeyValue("reason", reason)
        .log("channel of RM");
    state = next;
  }

  // ---- life ----

  @Override
  public void start(GpuVa ringStart, int ringOrder, int slimask) {
    lock.run(() -> {
      Prepared fresh = requireFresh();
      fresh.seeding().ifPresent(this::discard);
      ChannelRing wanted = ring(ringStart, ringOrder);
      int gpPut = words.put();
      HardwareChannel made = HardwareChannel.create(home.open().client(), plan(wanted), suspended);
      run(made, wanted, "it has a ring");
      // RM cleared it. What was put before the guest could know its token is looked at now.
      words.putIfFresh(gpPut);
      announce(made);
    });
  }

  private Prepared requireFresh() {
    if (!(state instanceof Prepared fresh)) {
      throw RmRefusal.busy("the channel has a ring or has ended, cid=" + id);
    }
    return fresh;
  }

  private ChannelRing ring(GpuVa start, int order) {
    if (order < 1 || order > ChannelRing.MAX_ORDER) {
      throw RmRefusal.invalid("no such ring size, order=" + order);
    }
    return new ChannelRing(space, id, start, 1 << order);
  }

  private void discard(Seeding seeding) {
    enter(new Prepared(Optional.empty()), home.open().timeNs(), "prepared for another ring");
    seeding.close();
  }

  private HardwareChannel.ChannelPlan plan(ChannelRing wanted) {
    return new HardwareChannel.ChannelPlan(
        space.space().object(),
        classes.engine(home.open().copyEngines()),
        wanted.start(),
        wanted.entries(),
        words.page(),
        notifier);
  }

  private void run(HardwareChannel made, ChannelRing wanted, String reason) {
    enter(new Running(made, wanted), home.open().timeNs(), reason);
    home.host().channelsChanged();
  }

  private void announce(HardwareChannel made) {
    words.publish(made.token());
    home.open().doorbell().ring(made.token());
  }

  /** The control page is ours alone again: the guest may know where it is. */
  public void announceAgain() {
    if (state instanceof Running running) {
      announce(running.hardware());
    }
  }

  @Override
  public SharedArea controlPage() {
    return home.pages().share(id);
  }

  @Override
  public int doorbellToken() {
    return lock.ask(() -> {
      HardwareChannel hardware = state.hardware();
      return hardware == null ? 0 : hardware.token();
    });
  }

  @Override
  public void declareObject(int handle, int objectClass, int flags) {
    lock.run(() -> classes.declare(objectClass, state.hardware()));
  }

  @Override
  public void setupSegment(int[] segment) {
    lock.run(() -> classes.setSegment(segment));
  }

  // ---- taking access back ----

  @Override
  public void suspend() {
    lock.run(() -> {
      suspended = true;
      if (state instanceof Running running) {
        running.hardware().setDisabled(true);
      }
    });
  }

  @Override
  public void resume() {
    lock.run(() -> {
      suspended = false;
      if (state instanceof Running running) {
        running.hardware().setDisabled(false);
        announce(running.hardware());
      }
    });
  }

  @Override
  public void detach() {
    lock.run(() -> {
      long now = home.open().timeNs();
      boolean runs = !suspended && state instanceof Running;
      if (!suspended && state instanceof Returning(var hardware, var ring, var under)) {
        enter(new Detaching(hardware, ring, under), now, "it was not given back yet");
      } else if (runs && state instanceof Running(var hardware, var ring)) {
        Detachment begun = Detachment.begin(home, ring, hardware, words, activity, now);
        enter(new Detaching(hardware, ring, begun), now, "taken back");
        home.host().drains();
      } else if (!(state instanceof Ended ended && ended.hardware() != null)) {
        throw RmRefusal.busy("the channel does not run, cid=" + id);
      }
    });
  }

  /**
   * What was put before the detach ends first, if it has not; the guest holds still so long, but
   * not while that waits for a semaphore: it may be the guest who has yet to release it.
   */
  @Override
  public void attach() {
    lock.run(() -> {
      long now = home.open().timeNs();
      noteError(now);
      switch (state) {
        case Detaching(var hardware, var ring, var detachment) -> {
          detachment.finish(now);
          enter(new Returning(hardware, ring, detachment), now, "given back");
          home.host().drains();
        }
        case Detached detached -> giveBack(detached, detached.detachment(), detached.savedPut());
        case Returning _, Ended _ -> {}
        case Prepared _, Running _, Closed _ ->
            throw RmRefusal.busy("the channel is not detached, cid=" + id);
      }
    });
  }

  /** Whether it drains: then it goes on by {@link #poll}. */
  boolean isDraining() {
    return state instanceof Draining;
  }

  /** Notes that it has drained, after {@link Detachments#poll}. */
  void poll(long nowNs) {
    noteError(nowNs);
    if (state instanceof Draining draining && draining.detachment().isDrained()) {
      switch (draining) {
        case Detaching(var hardware, var ring, var drained) ->
            enter(new Detached(hardware, ring, drained, OptionalInt.empty()), nowNs, "drained");
        case Returning returning ->
            giveBack(returning, returning.detachment(), OptionalInt.empty());
      }
    }
  }

  private void giveBack(Live drained, Detachment detachment, OptionalInt savedPut) {
    try {
      goOn(drained, detachment, savedPut);
    } catch (RefusedException e) {
      // Nobody waits for this answer; the guest, which holds still, must learn that it is over.
      log.atWarn().addKeyValue("cid", id).setCause(e).log("a drained channel could not go on");
      end(new Cause(GuestAbi.ERROR_ENGINE, 0, 0), true, "it could not go on");
    }
  }

  /** Puts a new channel in place of one that has drained. */
  private void goOn(Live drained, Detachment detachment, OptionalInt savedPut) {
    HardwareChannel former = drained.hardware();
    words.withdraw();
    HardwareChannel made;
    HardwareChannel.ChannelPlan same = plan(drained.ring()).on(former.engineType());
    // Another daemon may have led a channel of its own over the page meanwhile.
    savedPut.ifPresent(words::put);
    int put = words.put();
    try (Seeding seeding = Seeding.prepare(home, drained.ring(), same, classes.setup())) {
      made = seeding.lead(detachment.next(), put);
    }
    // The former one goes after: the token must be another one.
    try {
      run(made, drained.ring(), "it goes on");
      if (!suspended) {
        made.setDisabled(false);
      }
      announce(made);
    } finally {
      detachment.close();
      former.destroy();
    }
  }

  @Override
  public void kill(int reason, int info) {
    lock.run(() -> {
      noteError(home.open().timeNs());
      if (state instanceof Prepared || state instanceof Live) {
        long address = reason == GuestAbi.ERROR_TIMEOUT ? probe.acquire() : 0;
        end(new Cause(reason, info, address), false, "killed");
      }
    });
  }

  private void end(Cause cause, boolean errorPending, String reason) {
    NvidiaChannelState former = state;
    enter(new Ended(cause, null, null, errorPending), home.open().timeNs(), reason);
    release(former);
  }

  /** What RM has ended it keeps until it is closed. */
  private void noteError(long nowNs) {
    if (seen() instanceof Ended found && state instanceof Live) {
      enter(found, nowNs, "RM has ended it");
    }
  }

  /** The state, with an error that RM has told of and that was not noted yet. */
  private NvidiaChannelState seen() {
    NvidiaChannelState now = state;
    HardwareChannel.Death death = now instanceof Live live ? live.hardware().death() : null;
    return death == null ? now : new Ended(cause(death), now.hardware(), now.detachment(), true);
  }

  private static Cause cause(HardwareChannel.Death death) {
    return new Cause(
        Xid.reason(death.xid()), Xid.info(death.xid(), death.engineType()), death.address());
  }

  @Override
  public void setWeight(int weight) {
    if (!Quota.isWeight(weight)) {
      throw RmRefusal.invalid("no such weight, weight=" + weight);
    }
    lock.run(() -> {
      this.weight = weight;
      home.host().channelsChanged();
    });
  }

  /** Its weight among the channels of its guest; 0 when nobody has said. */
  public int weight() {
    return weight;
  }

  // ---- what it does ----

  /**
   * GP_GET counts fetched entries: equal pointers mean fetched, not necessarily finished. Of a
   * detached channel it is known, of one that runs as the last look has found.
   */
  @Override
  public Status status() {
    return lock.ask(() -> {
      NvidiaChannelState now = seen();
      boolean runs = now instanceof Running;
      return status(now, runs ? probe.known(words.pointers()) : Probe.ProbeResult.NOTHING);
    });
  }

  @Override
  public Status look() {
    return lock.ask(() -> {
      NvidiaChannelState now = seen();
      if (!(now instanceof Running(var hardware, var ring))) {
        return status(now, Probe.ProbeResult.NOTHING);
      }
      taken.count(words.get(), ring.entries());
      return status(now, probe.look(home, hardware, ring, words));
    });
  }

  private Status status(NvidiaChannelState now, Probe.ProbeResult answer) {
    long entries =
        now instanceof Running running
            ? taken.entries(words.get(), running.ring().entries())
            : taken.entries();
    return new Status(
        life(now),
        now instanceof Ended ended ? ended.cause() : Cause.NONE,
        new Status.Progress(
            words.get(),
            words.put(),
            !answer.unfinished() && !(now instanceof Draining),
            answer.acquire() != 0,
            answer.acquire()),
        new Status.Usage(entries, 0, 0, answer.runningNs(), 0, 0));
  }

  private ChannelState life(NvidiaChannelState now) {
    return switch (now) {
      case Prepared _ -> ChannelState.NEW;
      case Running _ -> suspended ? ChannelState.SUSPENDED : ChannelState.RUNNING;
      case Draining _ -> ChannelState.DRAINING;
      case Detached _ -> ChannelState.DETACHED;
      case Ended _ -> ChannelState.DEAD;
      case Closed _ -> ChannelState.FREED;
    };
  }

  /** Whether it may have something to do, and takes it; takes no lock. */
  boolean isActive() {
    return takesEntries() && !activity.isResting(words.pointers());
  }

  /** Whether it has entries that the GPU has not fetched, and takes them; takes no lock. */
  boolean waits() {
    return takesEntries() && !words.pointers().isAllFetched();
  }

  private boolean takesEntries() {
    return state instanceof Live && !suspended;
  }

  /** Whether it runs, and may have used GPU time since it was looked at last; takes no lock. */
  public boolean mayUseTime() {
    return state instanceof Running && !suspended && !use.isResting(words.pointers());
  }

  /** What it does, for the account of GPU time. */
  public ChannelUse.Doing lookAtUse(ChannelUse.Questions questions) {
    if (!mayUseTime() || !(state instanceof Running(var hardware, var ring))) {
      return ChannelUse.Doing.REST;
    }
    taken.count(words.get(), ring.entries());
    return use.look(hardware, ring, words, questions);
  }

  @Override
  public OptionalLong progress() {
    return isActive() && state instanceof Running
        ? OptionalLong.of((long) words.get() << Integer.SIZE | words.put())
        : OptionalLong.empty();
  }

  /** Whether an interrupt may be its: it runs, and was ever given something. */
  public boolean mayInterrupt() {
    return state instanceof Live && !words.pointers().equals(RingPointers.START);
  }

  /** The error that RM has told of it, once. */
  public Optional<ChannelError> takeError(long timeNs) {
    noteError(timeNs);
    if (!(state instanceof Ended ended && ended.errorPending())) {
      return Optional.empty();
    }
    enter(ended.reported(), timeNs, "its error was reported");
    Cause cause = ended.cause();
    return Optional.of(new ChannelError(id, cause.reason(), cause.info(), cause.address(), timeNs));
  }

  // ---- state ----

  /** From here on the guest holds still: the state says what it has put. */
  @Override
  public byte[] saveState() {
    return lock.ask(() -> {
      if (!(state instanceof Detached(var hardware, var ring, var drained, _))) {
        throw RmRefusal.busy("the channel is not detached and drained, cid=" + id);
      }
      words.withdraw();
      OptionalInt put = OptionalInt.of(words.put());
      enter(
          new Detached(hardware, ring, drained, put), home.open().timeNs(), "its state was saved");
      return new ChannelStateBytes(
              ring.start(),
              Integer.numberOfTrailingZeros(ring.entries()),
              drained.next(),
              put.getAsInt() & (ring.entries() - 1))
          .toBytes();
    });
  }

  @Override
  public void restoreState(byte[] bytes) {
    lock.run(() -> {
      Prepared _ = requireFresh();
      ChannelStateBytes was = ChannelStateBytes.of(bytes);
      ChannelRing wanted = ring(was.ringStart(), was.ringOrder());
      try (Seeding seeding = prepare(wanted)) {
        enter(new Prepared(Optional.empty()), home.open().timeNs(), "it is led");
        HardwareChannel made = seeding.lead(was.next(), was.put());
        suspended = true;
        run(made, wanted, "restored");
        if (!home.pages().areShared()) {
          words.publish(made.token());
        }
      }
    });
  }

  @Override
  public void prepareRestore(GpuVa ringStart, int ringOrder) {
    lock.run(() -> {
      Prepared _ = requireFresh();
      Seeding _ = prepare(ring(ringStart, ringOrder));
    });
  }

  private Seeding prepare(ChannelRing wanted) {
    Optional<Seeding> there = requireFresh().seeding();
    if (there.isPresent() && there.get().isFor(wanted)) {
      return there.get();
    }
    there.ifPresent(this::discard);
    Seeding made = Seeding.prepare(home, wanted, plan(wanted), classes.setup());
    enter(new Prepared(Optional.of(made)), home.open().timeNs(), "a restore will come");
    return made;
  }

  // ---- end ----

  @Override
  public void close() {
    lock.run(() -> {
      if (!(state instanceof Closed)) {
        NvidiaChannelState former = state;
        enter(new Closed(), home.open().timeNs(), "closed");
        release(former);
        if (!home.pages().areShared()) {
          words.page().asSlice(0, GuestAbi.CONTROL_OFFSET).fill((byte) 0);
          words.withdraw();
        }
        home.host().closed(id());
        space.channelClosed();
      }
    });
  }

  /** Frees what a state had. */
  private void release(NvidiaChannelState former) {
    if (former instanceof Prepared(var seeding)) {
      seeding.ifPresent(Seeding::close);
    }
    HardwareChannel hardware = former.hardware();
    if (hardware == null) {
      return;
    }
    @Nullable Detachment detachment = former.detachment();
    if (detachment != null) {
      hardware.disableToEnd();
      detachment.close();
    }
    hardware.destroy();
    home.host().channelsChanged();
  }
}
