package io.sluice.channel.nvidia;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmEngine;
import io.sluice.channel.Channel;
import io.sluice.channel.ChannelError;
import io.sluice.channel.ChannelState;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.nvidia.Detachment.Ring;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel of RM. RM wants the ring's address when a channel is made, so that this one is only a
 * number and a control page until {@link #start}. Guarded by the open's lock.
 *
 * <p>Which engine it runs on follows from the classes declared before: copy engine for a channel
 * that declared nothing but copying, otherwise graphics, which computes and copies.
 */
final class NvidiaChannel implements Channel {
  private static final Logger log = LoggerFactory.getLogger(NvidiaChannel.class);

  /** Rings longer than this have no use, and RM maps them whole. */
  static final int MAX_RING_ORDER = 20;

  private static final int MAX_WEIGHT = 1024;
  private static final int SUBCHANNEL_COMPUTE = 1;

  private final NvidiaGuestGpu gpu;
  private final NvidiaAddressSpace space;
  private final int id;
  private final UserdWords words;
  private final MemorySegment notifier;
  private final Set<Integer> declared = new HashSet<>();
  private final Probe probe = new Probe();
  private final ChannelUse use = new ChannelUse();
  private int[] setup = {};
  private @Nullable HardwareChannel hardware;
  private @Nullable Ring ring;
  private @Nullable Detachment detachment;
  private @Nullable Seeding prepared;
  private int weight;

  /** What the guest had put when its state was saved; it has held still since. */
  private OptionalInt savedPut = OptionalInt.empty();

  private boolean suspended;
  private volatile boolean attaching; // written under the lock
  private boolean closed;

  // Why it has ended.
  private int reason;
  private int info;
  private long address;

  /** RM has ended it, and {@link #takeError} was not asked since. */
  private boolean untold;

  NvidiaChannel(
      NvidiaGuestGpu gpu,
      NvidiaAddressSpace space,
      int id,
      MemorySegment page,
      MemorySegment notifier) {
    this.gpu = gpu;
    this.space = space;
    this.id = id;
    this.words = new UserdWords(page);
    this.notifier = notifier;
  }

  NvidiaAddressSpace space() {
    return space;
  }

  /** The channel of RM; null before it starts and after it ended. */
  @Nullable HardwareChannel hardware() {
    return hardware;
  }

  /** Of one that is detached and lives; null otherwise. */
  @Nullable Detachment detachment() {
    return reason == 0 ? detachment : null;
  }

  @Override
  public int id() {
    return id;
  }

  // ---- life ----

  @Override
  public void start(GpuVa ringStart, int ringOrder, int slimask) {
    gpu.run(() -> {
      requireFresh();
      if (prepared != null) {
        takePrepared().close();
      }
      if (ringOrder < 1 || ringOrder > MAX_RING_ORDER) {
        throw RmRefusal.invalid("no such ring size, order=" + ringOrder);
      }
      int gpPut = words.put();
      Ring wanted = new Ring(space, id, ringStart, 1 << ringOrder);
      HardwareChannel made = HardwareChannel.create(gpu.client(), plan(wanted), suspended);
      run(made, wanted);
      // RM cleared it. What was put before the guest could know its token is looked at now.
      words.putIfFresh(gpPut);
      announce(made);
    });
  }

  private void requireFresh() {
    if (hardware != null || reason != 0 || closed) {
      throw RmRefusal.busy("the channel has a ring or has ended, cid=" + id);
    }
  }

  private HardwareChannel.Plan plan(Ring wanted) {
    return new HardwareChannel.Plan(
        space.object(), engine(), wanted.start(), wanted.entries(), words.page(), notifier);
  }

  private int engine() {
    boolean copiesOnly = declared.equals(Set.of(RmClass.HOPPER_DMA_COPY_A.number()));
    return copiesOnly ? gpu.copyEngines().next() : RmEngine.GRAPHICS;
  }

  private void run(HardwareChannel made, Ring wanted) {
    hardware = made;
    ring = wanted;
    gpu.slices().divide();
  }

  private void announce(HardwareChannel made) {
    words.publish(made.token());
    gpu.doorbellPage().ring(made.token());
  }

  /** The control page is ours alone again: the guest may know where it is. */
  void announceAgain() {
    if (hardware != null && detachment == null) {
      announce(hardware);
    }
  }

  @Override
  public SharedArea controlPage() {
    return gpu.controlPage(id);
  }

  @Override
  public int doorbellToken() {
    return gpu.ask(() -> hardware == null ? 0 : hardware.token());
  }

  @Override
  public void declareObject(int handle, int objectClass, int flags) {
    gpu.run(() -> {
      boolean copy = objectClass == RmClass.HOPPER_DMA_COPY_A.number();
      boolean compute = objectClass == RmClass.HOPPER_COMPUTE_A.number();
      if (!copy && !compute) {
        throw RmRefusal.noClass(
            "no such engine class, class=0x" + Integer.toHexString(objectClass));
      }
      if (compute && hardware != null && RmEngine.isCopy(hardware.engineType())) {
        throw RmRefusal.busy("the channel runs on a copy engine already, cid=" + id);
      }
      declared.add(objectClass);
    });
  }

  @Override
  public void setupSegment(int[] segment) {
    gpu.run(() -> setup = segment.clone());
  }

  /** Without a word from the guest: each class at its customary subchannel. */
  private int[] setup() {
    if (setup.length > 0) {
      return setup;
    }
    HopperCommands commands = new HopperCommands();
    if (declared.contains(RmClass.HOPPER_DMA_COPY_A.number())) {
      commands.bindCopy();
    }
    if (!declared.equals(Set.of(RmClass.HOPPER_DMA_COPY_A.number()))) {
      commands.method(
          SUBCHANNEL_COMPUTE, HopperMethods.SET_OBJECT, RmClass.HOPPER_COMPUTE_A.number());
    }
    return commands.toArray();
  }

  // ---- taking access back ----

  @Override
  public void suspend() {
    gpu.run(() -> {
      suspended = true;
      if (hardware != null && detachment == null) {
        hardware.setDisabled(true);
      }
    });
  }

  @Override
  public void resume() {
    gpu.run(() -> {
      suspended = false;
      if (hardware != null && detachment == null) {
        hardware.setDisabled(false);
        announce(hardware);
      }
    });
  }

  @Override
  public void detach() {
    gpu.run(() -> {
      if (detachment != null && attaching && !suspended) {
        attaching = false; // it has not been given back yet
        return;
      }
      if (hardware == null || ring == null || detachment != null || suspended) {
        throw RmRefusal.busy("the channel does not run, cid=" + id);
      }
      detachment = Detachment.begin(gpu, ring, hardware, words);
    });
  }

  /**
   * What was put before the detach ends first, if it has not; the guest holds still so long, but
   * not while that waits for a semaphore: it may be the guest who has yet to release it.
   */
  @Override
  public void attach() {
    gpu.run(() -> {
      if (detachment == null) {
        throw RmRefusal.busy("the channel is not detached, cid=" + id);
      }
      attaching = true;
      detachment.finish();
      advance();
      if (attaching) {
        gpu.wantTending();
      }
    });
  }

  /** Whether it was given back, and goes on only when what was put before has ended. */
  boolean isAttaching() {
    return attaching;
  }

  /** Takes what is under way a step further. */
  void advance() {
    noteError();
    if (reason != 0 || detachment == null || !detachment.advance() || !attaching) {
      return;
    }
    try {
      goOn(detachment);
    } catch (RefusedException e) {
      // Nobody waits for this answer; the guest, which holds still, must learn that it is over.
      log.atWarn().addKeyValue("cid", id).setCause(e).log("a drained channel could not go on");
      untold = true;
      reason = GuestAbi.ERROR_ENGINE;
      destroyHardware();
    }
  }

  /** Puts a new channel in place of one that has drained. */
  private void goOn(Detachment ended) {
    HardwareChannel former = hardware;
    if (former == null || ring == null) {
      throw new AssertionError("detached without a channel, cid=" + id);
    }
    words.withdraw();
    HardwareChannel made;
    HardwareChannel.Plan same = plan(ring).on(former.engineType());
    // Another daemon may have led a channel of its own over the page meanwhile.
    savedPut.ifPresent(words::put);
    savedPut = OptionalInt.empty();
    int put = words.put();
    try (Seeding seeding = Seeding.prepare(gpu, ring, same, setup())) {
      made = seeding.lead(ended.next(), put);
    }
    // The former one goes after: the token must be another one.
    attaching = false;
    detachment = null;
    hardware = made;
    try {
      run(made, ring);
      if (!suspended) {
        made.setDisabled(false);
      }
      announce(made);
    } finally {
      ended.close();
      former.destroy();
    }
  }

  @Override
  public void kill(int reason, int info) {
    gpu.run(() -> {
      noteError();
      if (this.reason == 0) {
        address = reason == GuestAbi.ERROR_TIMEOUT ? probe.acquire() : 0;
        this.reason = reason;
        this.info = info;
        destroyHardware();
      }
    });
  }

  @Override
  public void setWeight(int weight) {
    if (weight < 1 || weight > MAX_WEIGHT) {
      throw RmRefusal.invalid("no such weight, weight=" + weight);
    }
    gpu.run(() -> {
      this.weight = weight;
      gpu.slices().divide();
    });
  }

  /** Its weight among the channels of its guest; 0 when nobody has said. */
  int weight() {
    return weight;
  }

  // ---- what it does ----

  /**
   * GP_GET counts fetched entries: equal pointers mean fetched, not necessarily finished. Of a
   * detached channel it is known.
   */
  @Override
  public Status status() {
    return gpu.ask(() -> {
      advance();
      gpu.slices().refresh();
      Probe.Answer answer = look();
      boolean drained = detachment == null ? !answer.unfinished() : detachment.isDrained();
      long where = answer.acquire() == 0 ? address : answer.acquire();
      return new Status(
          state(),
          reason,
          info,
          where,
          drained,
          answer.acquire() != 0,
          words.get(),
          words.put(),
          probe.taken(),
          0,
          0,
          answer.runningNs());
    });
  }

  private Probe.Answer look() {
    if (reason != 0 || hardware == null || ring == null) {
      return new Probe.Answer(false, 0, 0);
    }
    if (detachment != null) {
      return new Probe.Answer(true, 0, 0);
    }
    return probe.look(gpu, hardware, ring, words);
  }

  private int state() {
    ChannelState state;
    if (reason != 0) {
      state = ChannelState.DEAD;
    } else if (hardware == null) {
      state = ChannelState.NEW;
    } else if (detachment != null) {
      state = ChannelState.DETACHED;
    } else {
      state = suspended ? ChannelState.SUSPENDED : ChannelState.RUNNING;
    }
    return state.code();
  }

  private void noteError() {
    HardwareChannel.Death death = reason == 0 && hardware != null ? hardware.death() : null;
    if (death != null) {
      untold = true;
      reason = Xid.reason(death.xid());
      info = Xid.info(death.xid(), death.engineType());
      address = death.address();
    }
  }

  /** Whether it runs and was ever given something. */
  boolean hasWork() {
    noteError();
    return reason == 0 && hardware != null && (words.put() | words.get()) != 0;
  }

  /** Whether it runs, and may have something to do; takes no lock. */
  boolean isActive() {
    return reason == 0 && hardware != null && !suspended && !probe.isResting(words);
  }

  /** Whether it runs, and may have used GPU time since it was looked at last. */
  boolean mayUseTime() {
    return reason == 0
        && hardware != null
        && !suspended
        && detachment == null
        && !use.isResting(words);
  }

  /** What it does, for the account of GPU time. */
  ChannelUse.Doing lookAtUse(ChannelUse.Questions questions) {
    return hardware == null || ring == null || !mayUseTime()
        ? ChannelUse.Doing.REST
        : use.look(hardware, ring, words, questions);
  }

  @Override
  public OptionalLong progress() {
    return isActive() && detachment == null
        ? OptionalLong.of((long) words.get() << Integer.SIZE | words.put())
        : OptionalLong.empty();
  }

  /** Whether it has entries that the GPU has not fetched. */
  boolean waits() {
    return reason == 0 && hardware != null && !suspended && words.put() != words.get();
  }

  /** The error that RM has told of it, once. */
  Optional<ChannelError> takeError(long timeNs) {
    if (!untold) {
      return Optional.empty();
    }
    untold = false;
    return Optional.of(new ChannelError(id, reason, info, address, timeNs));
  }

  // ---- state ----

  /** From here on the guest holds still: the state says what it has put. */
  @Override
  public byte[] saveState() {
    return gpu.ask(() -> {
      if (detachment == null || ring == null || !detachment.advance()) {
        throw RmRefusal.busy("the channel is not detached and drained, cid=" + id);
      }
      words.withdraw();
      savedPut = OptionalInt.of(words.put());
      int order = Integer.numberOfTrailingZeros(ring.entries());
      int put = words.put() & (ring.entries() - 1);
      return new ChannelStateBytes(ring.start(), order, detachment.next(), put).toBytes();
    });
  }

  @Override
  public void restoreState(byte[] state) {
    gpu.run(() -> {
      requireFresh();
      ChannelStateBytes was = ChannelStateBytes.of(state);
      Ring wanted = new Ring(space, id, was.ringStart(), 1 << was.ringOrder());
      prepare(wanted);
      try (Seeding seeding = takePrepared()) {
        HardwareChannel made = seeding.lead(was.next(), was.put());
        suspended = true;
        run(made, wanted);
        if (!gpu.isShared()) {
          words.publish(made.token());
        }
      }
    });
  }

  @Override
  public void prepareRestore(GpuVa ringStart, int ringOrder) {
    gpu.run(() -> {
      requireFresh();
      if (ringOrder < 1 || ringOrder > MAX_RING_ORDER) {
        throw RmRefusal.invalid("no such ring size, order=" + ringOrder);
      }
      prepare(new Ring(space, id, ringStart, 1 << ringOrder));
    });
  }

  private void prepare(Ring wanted) {
    if (prepared != null && !prepared.isFor(wanted)) {
      takePrepared().close();
    }
    if (prepared == null) {
      prepared = Seeding.prepare(gpu, wanted, plan(wanted), setup());
    }
  }

  private Seeding takePrepared() {
    Seeding taken = prepared;
    if (taken == null) {
      throw new AssertionError("nothing was prepared, cid=" + id);
    }
    prepared = null;
    return taken;
  }

  // ---- end ----

  @Override
  public void close() {
    gpu.run(() -> {
      if (!closed) {
        closed = true;
        if (prepared != null) {
          takePrepared().close();
        }
        destroyHardware();
        if (!gpu.isShared()) {
          words.page().asSlice(0, GuestAbi.CONTROL_OFFSET).fill((byte) 0);
          words.withdraw();
        }
        gpu.forget(this);
        space.channelClosed();
      }
    });
  }

  private void destroyHardware() {
    attaching = false;
    if (hardware == null) {
      return;
    }
    HardwareChannel doomed = hardware;
    hardware = null;
    if (detachment != null) {
      doomed.disableToEnd();
      detachment.close();
      detachment = null;
    }
    doomed.destroy();
    gpu.slices().divide();
  }
}
