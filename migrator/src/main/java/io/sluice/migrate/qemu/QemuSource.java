package io.sluice.migrate.qemu;

import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.machine.MigrationProgress;
import io.sluice.vdevice.machine.PciAddress;
import io.sluice.vdevice.machine.QemuMachine;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A QEMU machine that is to move away.
 *
 * <p>QEMU copies the machine's memory itself, stops the machine when little is left, and waits in
 * {@code pre-switchover}; there the device says which guest memory the GPU wrote, and is saved.
 * After {@link #switchOver} the source is not touched any more until the other side has answered:
 * should that fail, QEMU lets the machine go on by itself.
 *
 * <p>Steps that wait for QEMU are done by a thread of this object. Giving up has a thread of its
 * own, because a frozen peer makes QEMU, and whoever has asked it something, hang.
 */
public final class QemuSource implements SourceMachine {
  private static final Logger LOG = LoggerFactory.getLogger(QemuSource.class);

  /** What a machine's last pass may take that is to be noticed by nobody. */
  private static final Duration SHORT = Duration.ofMillis(30);

  /** QEMU's own maximum. */
  private static final Duration NOW = Duration.ofSeconds(2000);

  /**
   * How it is to move.
   *
   * @param bandwidthBytesPerSecond most that QEMU sends; 0 for no limit
   * @param downtime how long the machine may stand still for its own memory
   * @param patience for an answer of QEMU or of the device's client
   */
  public record Settings(long bandwidthBytesPerSecond, Duration downtime, Duration patience) {}

  /** Of the last pass, so much may be on its way. */
  static final long LAST_PASS_BYTES = 16L << 20;

  private final GuestDevice device;
  private final QemuMachine machine;
  private final RamTransport.Source transport;
  private final Settings settings;
  private final ThreadFactory threads;
  private final Worker worker;
  private final PciAddress address;
  private final AtomicBoolean asking = new AtomicBoolean();

  private volatile Runnable waker = () -> {};
  private volatile boolean started;
  private volatile boolean ended;
  private volatile @Nullable String failure; // what could not be done here
  private volatile @Nullable String givenUpFor; // in QEMU's words
  private volatile MachineProgress figures = MachineProgress.of(State.IDLE);

  // Of the engine's thread, but for what says otherwise.
  private OptionalLong configuration = OptionalLong.empty(); // until it was told
  private boolean heldBack;
  private int touchAsks;

  private volatile long passes; // set behind the figures that it belongs to

  /** What QEMU is to have left; 0 when it may send all. */
  private volatile long keptBytes;

  /** Most bytes that are taken from one look to the next. */
  private volatile long stepBytes = Long.MAX_VALUE;

  // Of the worker's thread.
  private int touchCode; // what the guest is to answer; 0 nothing
  private int touchAsk;

  /** The one of the {@link #touchAsks} that the guest has answered. */
  private volatile int touchedAsk;

  /** The one that it could not be asked. */
  private volatile int untouchedAsk;

  private @Nullable HeldState holding;
  private @Nullable Redirty redirty;
  private @Nullable Thread aborting;
  private volatile boolean settled = true;

  /** As {@link #open} makes it, of a monitor that is open. */
  QemuSource(
      GuestDevice device,
      QemuMachine machine,
      RamTransport.Source transport,
      Settings settings,
      ThreadFactory threads,
      PciAddress address) {
    this.device = device;
    this.machine = machine;
    this.transport = transport;
    this.settings = settings;
    this.threads = threads;
    this.address = address;
    worker = new Worker("sluice-" + device.name() + "-source", threads, this::failed);
    machine.setListener(() -> waker.run());
  }

  /**
   * Takes the machine's monitor. Blocks.
   *
   * @param qmp the socket of the machine's monitor
   * @throws SluiceException the monitor cannot be had, or the machine has not this device
   */
  public static QemuSource open(
      GuestDevice device,
      Path qmp,
      RamTransport.Source transport,
      Settings settings,
      ThreadFactory threads) {
    QemuMachine machine = QemuMachine.connect(qmp, threads, settings.patience());
    try {
      PciAddress address =
          machine.findFunction(
              GuestAbi.PCI_VENDOR, GuestAbi.PCI_DEVICE, device.pci().registersAddress());
      QemuSource source = new QemuSource(device, machine, transport, settings, threads, address);
      source.configuration = machine.findConfigurationSpace();
      return source;
    } catch (SluiceException e) {
      machine.close();
      throw e;
    }
  }

  /**
   * What a machine that nobody moves has against being moved. Blocks, and takes its monitor for
   * that time only.
   *
   * @throws SluiceException the monitor cannot be had
   */
  public static List<Reason> obstacles(Path qmp, ThreadFactory threads, Duration patience) {
    try (QemuMachine machine = QemuMachine.connect(qmp, threads, patience)) {
      return blockers(machine).stream()
          .map(found -> new Reason(found.code(), found.what(), found.remedy()))
          .toList();
    }
  }

  @Override
  public List<Blocker> blockers() {
    return blockers(machine);
  }

  private static List<Blocker> blockers(QemuMachine machine) {
    List<Blocker> found = new ArrayList<>();
    String state = machine.runState();
    if (!state.equals("running")) {
      found.add(
          new Blocker(
              "SLU-MIG-041",
              "the machine does not run, state=" + state,
              "Let it run, and try again."));
    }
    for (String reason : machine.blockedReasons()) {
      found.add(new Blocker("SLU-MIG-042", "QEMU cannot migrate the machine: " + reason, ""));
    }
    return found;
  }

  @Override
  public boolean standsStill() {
    return true;
  }

  /** Once: what the destination would have to ask its own QEMU for while the machine stands. */
  @Override
  public @Nullable ByteBuffer message() {
    OptionalLong known = started && transport.isAnswered() ? configuration : OptionalLong.empty();
    if (known.isEmpty()) {
      return null;
    }
    configuration = OptionalLong.empty();
    return MachineMessages.configuration(known.getAsLong());
  }

  @Override
  public ByteBuffer describe() {
    return MachineMessages.description(address);
  }

  @Override
  public void start(ByteBuffer target) {
    figures = new MachineProgress(State.COPYING, 0, -1, -1, ""); // QEMU has yet to tell
    started = true;
    worker.submit(() -> {
      machine.prepareSource(settings.bandwidthBytesPerSecond(), transport.isAnswered());
      machine.migrate(transport.open(target));
      waker.run();
    });
  }

  @Override
  public boolean canStandBy() {
    return transport.isCounted();
  }

  @Override
  public long passes() {
    return passes;
  }

  /**
   * QEMU's migration thread waits in a write then. Held back by its own limit of what it sends it
   * would sleep until a tenth of a second is over, and only then see what it may do; a thread that
   * has waited for longer than that sees it at once.
   */
  @Override
  public void keepBack(long bytes, long newStepBytes) {
    stepBytes = newStepBytes;
    keptBytes = bytes;
    if (bytes == 0) {
      transport.takeUpTo(Long.MAX_VALUE);
    } // else from the next look on
  }

  /** Behind what QEMU is to be told before: it acts on that when its stream is taken again. */
  private void takeAgain() {
    keptBytes = 0;
    transport.takeUpTo(Long.MAX_VALUE);
  }

  /**
   * What QEMU says to have left it had not sent when it said so: what had been taken before it was
   * asked, and that, is taken in all when it has nothing left.
   *
   * @param takenBefore it was asked
   * @param bytesLeft -1 when it does not say yet
   */
  private void takeSome(long takenBefore, long bytesLeft) {
    long kept = keptBytes;
    transport.takeUpTo(
        kept == 0
            ? Long.MAX_VALUE
            : takenBefore
                + (bytesLeft < 0 ? stepBytes : Math.clamp(bytesLeft - kept, 0, stepBytes)));
  }

  @Override
  public void holdBack() {
    heldBack = true;
    worker.submitNow(() -> {
      machine.holdBack();
      takeAgain();
    });
  }

  @Override
  public void askToTouch() {
    touchAsks++;
    int ask = touchAsks;
    worker.submit(() -> {
      touchAsk = ask;
      touchCode = device.askToTouch();
      if (touchCode == 0) {
        untouchedAsk = ask;
      }
    });
  }

  @Override
  public boolean hasTouched() {
    return touchAsks > 0 && touchedAsk == touchAsks;
  }

  @Override
  public boolean cannotTouch() {
    return touchAsks > 0 && untouchedAsk == touchAsks;
  }

  /** Looks whether the guest has done what it was asked. */
  private void lookForTouch() {
    if (touchCode != 0 && device.hasTouched(touchCode)) {
      touchCode = 0;
      touchedAsk = touchAsk;
      waker.run();
    }
  }

  @Override
  public void goOn() {
    heldBack = false;
    worker.submitNow(() -> {
      machine.goOn(settings.bandwidthBytesPerSecond());
      takeAgain();
    });
  }

  @Override
  public void allowShortStop(long bytesPerSecond) {
    Duration longest = settings.downtime();
    long wanted = settings.bandwidthBytesPerSecond();
    stopWithin(
        longest.compareTo(SHORT) < 0 ? longest : SHORT,
        wanted == 0 || bytesPerSecond == 0
            ? Math.max(wanted, bytesPerSecond)
            : Math.min(wanted, bytesPerSecond));
  }

  @Override
  public void allowStop() {
    stopWithin(settings.downtime(), settings.bandwidthBytesPerSecond());
  }

  @Override
  public void forceStop() {
    stopWithin(NOW, settings.bandwidthBytesPerSecond());
  }

  private void stopWithin(Duration downtime, long bytesPerSecond) {
    heldBack = false;
    worker.submitNow(() -> {
      machine.setDowntime(downtime, bytesPerSecond);
      takeAgain();
    });
  }

  @Override
  public MachineProgress progress() {
    State state = state();
    if (state == State.COPYING) {
      refresh();
    }
    MachineProgress last = figures;
    return new MachineProgress(
        state,
        last.bytesSent(),
        last.bytesLeft(),
        last.dirtyBytesPerSecond(),
        state == State.FAILED ? why() : "");
  }

  @Override
  public long bytesQueued() {
    return transport.bytesQueued();
  }

  @Override
  public long bytesCarried() {
    return transport.isCounted() ? transport.bytesCarried() : figures.bytesSent();
  }

  @Override
  public void limitQueue(long bytes) {
    transport.limitQueue(bytes);
  }

  @Override
  public boolean destinationMayKnowWhy() {
    return failure == null && machine.isOpen();
  }

  /** QEMU may only see that its connection has ended. */
  private String why() {
    String ours = failure;
    if (ours != null) {
      return ours;
    }
    String said = givenUpFor;
    return "QEMU gave the migration up"
        + (said == null ? "" : ", it says: " + said)
        + RamTransport.ended(transport.cut());
  }

  private State state() {
    if (!started || ended) {
      return State.IDLE;
    }
    State state = MachineStates.ofSource(machine.migrationStatus());
    boolean lost = failure != null || givenUpFor != null || !machine.isOpen();
    return lost && state != State.COMPLETED ? State.FAILED : state;
  }

  /** Asks QEMU for figures, unless it is being asked, or was just now. */
  private void refresh() {
    boolean held = heldBack;
    if (asking.compareAndSet(false, true)) {
      worker.submit(() -> {
        try {
          lookForTouch();
          long takenBefore = transport.bytesTaken();
          MigrationProgress now = machine.migration();
          figures =
              new MachineProgress(
                  State.COPYING,
                  now.ramTransferredBytes(),
                  now.ramTotalBytes() == 0 ? -1 : now.ramRemainingBytes(),
                  now.ramTotalBytes() == 0 ? -1 : now.dirtyPagesPerSecond() * 4096,
                  "");
          passes = now.ramPasses();
          takeSome(takenBefore, figures.bytesLeft());
          if (!now.error().isEmpty()) {
            givenUpFor = now.error();
          }
          LockSupport.parkNanos(this, QueryPace.betweenNs(figures.bytesLeft(), held));
        } finally {
          asking.set(false);
        }
      });
    }
  }

  @Override
  public boolean redirty(List<PageRange> pages) {
    Redirty running = redirty;
    if (running == null && pages.isEmpty()) {
      return true;
    }
    if (running == null) {
      Redirty begun = new Redirty(device, pages, settings.patience());
      redirty = begun;
      worker.submit(() -> {
        begun.run();
        waker.run();
      });
      return false;
    }
    return running.isDone();
  }

  @Override
  public boolean holdStill() {
    HeldState begun = holding;
    if (begun == null) {
      HeldState made = new HeldState(device, settings.patience());
      holding = made;
      Thread thread = threads.newThread(() -> hold(made));
      thread.setName("sluice-" + device.name() + "-hold");
      thread.start();
      return false;
    }
    return begun.isDone();
  }

  private void hold(HeldState begun) {
    try {
      begun.run();
    } catch (SluiceException e) {
      failed(e);
    }
    waker.run();
  }

  @Override
  public List<ByteBuffer> save() {
    HeldState begun = holding;
    if (begun == null) {
      throw new IllegalStateException("the device is not held");
    }
    return List.of(begun.encoded());
  }

  /**
   * Nothing comes behind the last pass, so that nothing holds it up any more. It may be held up
   * until now: a machine that had nothing left for a moment has stopped before it was allowed to.
   */
  @Override
  public void switchOver() {
    worker.submitNow(() -> {
      takeAgain();
      transport.limitQueue(LAST_PASS_BYTES);
      machine.switchOver();
    });
  }

  @Override
  public void abort() {
    HeldState held = holding;
    holding = null;
    settled = false;
    Redirty begun = redirty;
    Thread thread = threads.newThread(() -> giveUp(begun, held));
    thread.setName("sluice-" + device.name() + "-abort");
    aborting = thread;
    thread.start();
  }

  /** Ends the migration however QEMU stands, and lets the machine go on. */
  private void giveUp(@Nullable Redirty begun, @Nullable HeldState held) {
    try {
      settle(begun);
      if (started && machine.isOpen()) {
        MachineStart.insist(this::letRun, why -> still("a machine does not go on", why));
      }
    } catch (SluiceException e) {
      failed(e);
      LOG.atError().addKeyValue("guest", device.name()).log("a machine did not go on", e);
    } finally {
      release(held);
      ended = true;
      waker.run();
    }
  }

  private static void release(@Nullable HeldState held) {
    try {
      if (held != null) {
        held.release();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void still(String what, RefusedException why) {
    LOG.atError().addKeyValue("guest", device.name()).log("{}: {}", what, why.getMessage());
  }

  private void letRun() {
    endMigration();
    if (!machine.runState().equals("running")) {
      machine.resume();
    }
    // Held back, or never to stop, QEMU would do the same with its next migration.
    machine.setDowntime(settings.downtime(), settings.bandwidthBytesPerSecond());
  }

  /** What QEMU was asked to write was to be written while nobody else does: not later. */
  private void settle(@Nullable Redirty begun) {
    try {
      if (begun != null) {
        begun.giveUp();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    settled = true;
    waker.run();
  }

  @Override
  public boolean isSettled() {
    return settled;
  }

  @Override
  public boolean hasGoneOn() {
    return ended;
  }

  private void endMigration() {
    switch (MachineStates.ofSource(machine.migrationStatus())) {
      case IDLE, FAILED, COMPLETED, RUNNING -> {}
      case SWITCHING -> machine.yank(); // whoever asks in band would hang
      case COPYING, STOPPED -> machine.cancelMigration();
    }
    if (!machine.migrationStatus().equals(MigrationProgress.NONE)) {
      String _ = machine.awaitEnded(settings.patience());
    }
  }

  @Override
  public void finish() {
    worker.submit(() ->
        MachineStart.insist(
            machine::quit, why -> still("a machine that has left does not end", why)));
  }

  @Override
  public void setWaker(Runnable newWaker) {
    waker = newWaker;
  }

  private void failed(SluiceException e) {
    failure = Worker.text(e);
    waker.run();
  }

  /** The monitor is let go when the machine goes on, or cannot be made to. */
  @Override
  public void close() {
    worker.closeAfter(
        aborting,
        () -> {
          machine.close();
          transport.close();
        });
  }
}
