package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.Compute;
import io.sluice.gpu.engine.Engine;
import io.sluice.gpu.engine.EngineHost;
import io.sluice.gpu.engine.GridLauncher;
import io.sluice.gpu.engine.Outcome;
import io.sluice.gpu.engine.TimeShare;
import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuAddressSpace;
import io.sluice.gpu.mmu.GpuUnit;
import io.sluice.gpu.mmu.Run;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A command-submission channel, host class 906f: a ring, a control page, eight subchannels.
 *
 * <p>It executes in slices. A slice ends when the ring is empty, when its budget is used up or its
 * time is over, when an acquire blocks, or when the channel faults, and always between two steps
 * that can be saved: after a word, or after a piece of a long copy. A fault ends this channel, is
 * latched with its reason, and touches nothing else. Guarded by the GPU's lock and its open's gate:
 * who changes anything waits until the engine is outside; who executes is inside.
 */
public final class GpuChannel implements EngineHost {
  private static final int FIRST_ENGINE_METHOD = 0x100;
  private final int cid;
  private final GpuAddressSpace space;
  private final Userd userd;
  private final ChannelServices services;
  private final ChannelFaults faults;
  private final Pusher pusher;
  private final SliceBudget budget;

  final ChannelLife life = new ChannelLife();
  final EventLatch events = new EventLatch();
  final Ring ring = new Ring();
  final Decoder decoder;
  final HostSemaphore semaphore;
  final Subchannels subchannels;
  final HostMethods hostMethods;
  final Pace pace = new Pace();
  @Nullable Engine pending;

  /** Number of its last turn, of all that were given. */
  long lastTurn;

  /** Whether it is among those that the next round looks at. */
  boolean attended;

  private OpenLooks looks = new OpenLooks();

  private int currentSubchannel;
  private long commandNs;
  long busyNs;
  private long instructions;
  private long interpreted;
  private int interrupts;
  private @Nullable InterruptTarget interruptTarget;

  /**
   * @param cid the channel's number on the card
   * @param space its address space
   * @param controlPages the mapping of the control pages
   * @param pageOffset offset of its page
   * @param services the GPU around it
   */
  public GpuChannel(
      int cid,
      GpuAddressSpace space,
      MemorySegment controlPages,
      long pageOffset,
      ChannelServices services) {
    this.cid = cid;
    this.space = space;
    this.userd = new Userd(controlPages, pageOffset);
    this.services = services;
    this.budget = new SliceBudget(services.clock());
    this.faults = new ChannelFaults(life, this::ended);
    this.pusher = new Pusher(space, userd, ring, life, faults);
    this.decoder = new Decoder(new Sink());
    this.semaphore = new HostSemaphore(this, faults);
    GridLauncher launcher = services.launcher();
    this.subchannels = new Subchannels(this, launcher);
    this.hostMethods = new HostMethods(this, subchannels, semaphore, userd);
  }

  // ---- control, while the engine is outside ----

  /** The channel's number on the card. */
  public int cid() {
    return cid;
  }

  /** Whether a ring can be where it is said to be. */
  public static boolean isLegalRing(long ringStart, int ringOrder) {
    return Ring.isLegal(ringStart, ringOrder);
  }

  /** Whether OBJ_ENG_NEW may name a class. */
  public static boolean isKnownClass(int objectClass) {
    return Subchannels.isKnownClass(objectClass);
  }

  /**
   * Gives the channel its ring and lets it run.
   *
   * @return false when it has one, or has ended
   */
  public boolean start(long ringStart, int ringOrder) {
    if (!life.transition(ChannelLife.LifeStep.START)) {
      return false;
    }
    userd.clear();
    ring.initialise(ringStart, ringOrder);
    pace.touched(timeNs());
    return true;
  }

  /** Whether it has never been given a ring. */
  public boolean isNew() {
    return life.phase() == ChannelLife.LifePhase.NEW;
  }

  /** Whether one of its gates is closed. */
  public boolean isGated() {
    return life.isGated();
  }

  /** Whether its whole state can be saved: a grid cannot be saved while it runs. */
  public boolean isBetweenCommands() {
    return !(pending instanceof Compute);
  }

  /** Its state was set from a record: it has a ring now and waits to be resumed. */
  void restored(@Nullable Engine pendingEngine) {
    pending = pendingEngine;
    commandNs = 0;
    life.transition(ChannelLife.LifeStep.START);
    life.suspended(true);
    ring.publishAll(userd);
    hostMethods.publishReference();
    pace.touched(timeNs());
  }

  /** Closes or opens the gate before execution. */
  public void setSuspended(boolean closed) {
    long now = timeNs();
    life.suspended(closed);
    pace.touched(now);
  }

  /** Closes or opens the gate before GP_PUT. */
  public void setDetached(boolean closed) {
    life.detached(closed);
    pace.touched(timeNs());
  }

  /** Ends the channel from outside. */
  public void end(int reason, int info, long address) {
    faults.end(reason == 0 ? EndReason.OPERATOR.code() : reason, info, address);
  }

  /** Ends its grid, if one runs: nothing of the channel touches memory any more. */
  public void cancelGrid() {
    if (pending instanceof Compute) {
      services.launcher().cancel(this);
    }
  }

  /** Sets its share of the GPU's time relative to the other channels. */
  public void setWeight(int weight) {
    pace.setWeight(weight);
  }

  /** Where its interrupts go at once; null has them latched. */
  public void setInterruptTarget(@Nullable InterruptTarget target) {
    interruptTarget = target;
  }

  /** Interrupts it asked for. */
  public int interrupts() {
    return interrupts;
  }

  /** What it has raised. */
  public EventLatch events() {
    return events;
  }

  /** Where it stands, SLUICE_CHANNEL_*. */
  public int state() {
    return life.state();
  }

  /** Whether it has ended. */
  public boolean isDead() {
    return life.phase() == ChannelLife.LifePhase.DEAD;
  }

  /** SLUICE_ERROR_*, 0 while it lives. */
  public int errorReason() {
    return faults.reason();
  }

  /** Detail of the error. */
  public int errorInfo() {
    return faults.info();
  }

  /** Address of the error. */
  public long errorAddress() {
    return faults.address();
  }

  /** Next ring entry to fetch. */
  public int gpGet() {
    return ring.gpGet();
  }

  /** GP_PUT as last read. */
  public int gpPut() {
    return ring.gpPut();
  }

  /** Ring entries taken. */
  public long entries() {
    return ring.entries();
  }

  /** GPU time used. */
  public long busyNs() {
    return busyNs;
  }

  /** Warp instructions of grids that have ended. */
  public long instructions() {
    return instructions;
  }

  /** Those of them that were not compiled. */
  public long interpreted() {
    return interpreted;
  }

  /**
   * How long the command that is being executed has worked, or an acquire has been looked at
   * without success; 0 when there is neither. Neither the time in which others had the engine
   * counts, nor that in which it, a collector or the host stood still.
   */
  public long runningNs() {
    if (pending == null) {
      return semaphore.isParked() ? Math.max(1, semaphore.waitedNs()) : 0;
    }
    return Math.max(1, hasGrid() ? services.launcher().workedNs(this) : commandNs);
  }

  /** Whether a command has begun that takes more than a slice. */
  boolean isInCommand() {
    return pending != null && !hasGrid();
  }

  /** Its command was executed for a time. */
  void commandWorked(long ns) {
    commandNs += ns;
  }

  /**
   * GPU address of the word that began the command being executed, or of what an acquire waits for;
   * 0 when there is neither.
   */
  public long commandAddress() {
    return pending == null ? semaphore.parkedAddress() : ring.address() - 4;
  }

  /** Whether an acquire waits. */
  public boolean isWaiting() {
    return semaphore.isParked();
  }

  /** Whether nothing that was seen of the ring is left to do. */
  public boolean isDrained() {
    return isDead() || (ring.isDrained() && pending == null && !semaphore.isParked());
  }

  // ---- execution ----

  /** The looks that the channels of its open get; its own alone before it is on a runlist. */
  OpenLooks looks() {
    return looks;
  }

  void setLooks(OpenLooks ofOpen) {
    looks = ofOpen;
  }

  /** Its open's, to be gone through before anything is touched that is the guest's. */
  EngineGate gate() {
    return services.gate();
  }

  /** Whether a slice could do anything; reads GP_PUT from the control page. */
  boolean hasWork() {
    return !isQuiet() || (!life.isDetached() && userd.gpPut() != ring.gpPut());
  }

  /** Whether nothing is left of what was seen: only a new GP_PUT can mean work. */
  boolean isQuiet() {
    return pending == null
        && !ring.isOpen()
        && !semaphore.isParked()
        && ring.gpGet() == ring.gpPut();
  }

  /** Has its GP_PUT watched, if a new one is work for it now; it {@link #isQuiet}. */
  void watch(IdleWatch watch) {
    if (life.isRunnable() && !life.isDetached()) {
      userd.watch(watch, ring.gpPut());
    }
  }

  /** Whether it waits for a grid, or has not yet seen that one has ended. */
  boolean hasGrid() {
    return pending instanceof Compute;
  }

  /**
   * Whether a slice would get on: what there is to do does not wait for something else. Of an
   * acquire {@link #lookInside} says so.
   */
  boolean canGoOn() {
    if (hasGrid()) {
      return !services.launcher().isRunning(this);
    }
    return pending != null || (!semaphore.isParked() && hasWork());
  }

  /** Whether {@link #lookInside} has something to look at: an acquire, or a grid that has ended. */
  boolean wantsLookInside() {
    if (life.isRunnable()) {
      return semaphore.isParked();
    }
    return hasGrid() && !isDead() && !services.launcher().isRunning(this);
  }

  /**
   * Looks at what is the guest's: at the memory that an acquire waits for, or what a grid leaves
   * that went on to its end while the channel was suspended. Inside the open's gate.
   *
   * @return whether a slice would get on
   */
  boolean lookInside() {
    if (life.isRunnable()) {
      return semaphore.isParked() && semaphore.canGoOn();
    }
    if (hasGrid() && !isDead()) {
      goOn();
    }
    return false;
  }

  /**
   * Executes for one slice, inside the open's gate.
   *
   * @param window scratch
   * @param units the budget
   * @param endNs GPU time after which it has no budget any more, at the next look at the clock
   * @return why it ended; what was not used is in {@link #budgetLeft}
   */
  SliceEnd run(PushbufferWindow window, long units, long endNs) {
    window.drop();
    budget.begin(units, endNs);
    SliceEnd end = execute(window);
    if (ring.isOpen() && budget.left() != units) {
      ring.publishPosition(userd);
    }
    return end;
  }

  /** What is left of the budget of the last slice; may be below 0. */
  long budgetLeft() {
    return budget.left();
  }

  private SliceEnd execute(PushbufferWindow window) {
    Outcome outcome = goOn();
    while (true) {
      switch (outcome) {
        case DONE -> {}
        case YIELD -> {
          return SliceEnd.YIELDED;
        }
        case PENDING -> {
          return SliceEnd.READY;
        }
        case BLOCKED, RUNNING -> {
          return SliceEnd.BLOCKED;
        }
        case FAULT -> {
          return SliceEnd.DEAD;
        }
      }
      if (!budget.isLeft()) {
        return SliceEnd.READY;
      }
      if (ring.wordsLeft() > 0) {
        outcome = nextWord(window);
      } else if (ring.isOpen()) {
        ring.close(userd);
      } else if (!pusher.seesWork()) {
        return isDead() ? SliceEnd.DEAD : SliceEnd.IDLE;
      } else {
        budget.spendWord();
        outcome = pusher.nextEntry();
      }
    }
  }

  /** Finishes what the last slice began. */
  private Outcome goOn() {
    Engine engine = pending;
    if (engine != null) {
      Outcome outcome = engine.resume();
      if (!goesOn(outcome)) {
        pending = null;
      }
      return outcome;
    }
    if (semaphore.isParked()) {
      Outcome outcome = semaphore.retry();
      if (outcome == Outcome.DONE) {
        budget.spendWord();
      }
      return outcome;
    }
    return Outcome.DONE;
  }

  private static boolean goesOn(Outcome outcome) {
    return outcome == Outcome.PENDING || outcome == Outcome.RUNNING;
  }

  private Outcome nextWord(PushbufferWindow window) {
    if (window.isEmpty()) {
      budget.spendPage();
      Outcome fetched = pusher.fetch(window);
      if (fetched != Outcome.DONE) {
        return fetched;
      }
    }
    budget.spendWord();
    int word = window.take();
    ring.consumed();
    Outcome outcome = decoder.word(word);
    if (goesOn(outcome)) {
      commandNs = 0;
    }
    if (ring.wordsLeft() == 0) {
      window.drop();
    }
    return outcome;
  }

  // ---- methods ----

  private final class Sink implements PushbufferSink {
    @Override
    public Outcome method(int subchannel, int method, int data) {
      currentSubchannel = subchannel;
      return method < FIRST_ENGINE_METHOD
          ? hostMethods.method(subchannel, method, data)
          : engineMethod(subchannel, method, data);
    }

    @Override
    public Outcome endSegment() {
      ring.skipRest();
      return Outcome.DONE;
    }

    @Override
    public Outcome illegalWord(int word) {
      return faults.fault(EndReason.ILLEGAL_WORD, word, ring.address() - 4);
    }
  }

  private Outcome engineMethod(int subchannel, int method, int data) {
    Engine engine = subchannels.engine(subchannel);
    if (engine == null) {
      return faults.method(EndReason.EMPTY_SUBCHANNEL, subchannel, method, data);
    }
    Outcome outcome = engine.method(method, data);
    if (goesOn(outcome)) {
      pending = engine;
    }
    return outcome;
  }

  // ---- what engines see ----

  @Override
  public GpuAddressSpace space() {
    return space;
  }

  @Override
  public FaultReason translate(long address, long wanted, boolean write, Run run) {
    budget.spendFirstTouch(address, write);
    return space.translate(address, wanted, write, run);
  }

  @Override
  public TimeShare timeShare() {
    return services.share();
  }

  @Override
  public long timeNs() {
    return services.clock().getAsLong();
  }

  @Override
  public void interrupt() {
    interrupts++;
    budget.spendPage();
    InterruptTarget direct = interruptTarget;
    if (direct != null && direct.deliver()) {
      return;
    }
    if (events.raiseInterrupt(timeNs())) {
      services.events().run();
    }
  }

  @Override
  public boolean hasBudget() {
    return budget.isLeft();
  }

  @Override
  public void spend(long units) {
    budget.spend(units);
  }

  @Override
  public void used(long ns) {
    busyNs += ns;
  }

  @Override
  public void executed(long instructionsRun, long interpretedRun) {
    instructions += instructionsRun;
    interpreted += interpretedRun;
  }

  @Override
  public Outcome pageFault(FaultReason reason, boolean write, GpuUnit unit, long address) {
    return faults.pageFault(reason, write, unit, address);
  }

  @Override
  public Outcome illegalMethod(int method, int data) {
    return faults.method(EndReason.ILLEGAL_METHOD, currentSubchannel, method, data);
  }

  @Override
  public Outcome engineError(int code, int method) {
    return faults.fault(EndReason.ENGINE, code, method);
  }

  @Override
  public Outcome warpError(int code, int pc) {
    return faults.fault(EndReason.SM, code, Integer.toUnsignedLong(pc));
  }

  @Override
  public Outcome deviceError() {
    return faults.fault(EndReason.DEVICE, 0, 0);
  }

  @Override
  public Outcome unsupported(int method, int data) {
    return faults.method(EndReason.UNSUPPORTED, currentSubchannel, method, data);
  }

  /** It has ended, and why is known. */
  private void ended() {
    cancelGrid();
    pending = null;
    events.raiseError(timeNs());
    services.events().run();
  }
}
