package io.sluice.migrate.qemu;

import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.LiveMachine;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.phase.StateMachine;
import io.sluice.migrate.qemu.QemuSourceState.Copying;
import io.sluice.migrate.qemu.QemuSourceState.Failed;
import io.sluice.migrate.qemu.QemuSourceState.GivenUp;
import io.sluice.migrate.qemu.QemuSourceState.Open;
import io.sluice.migrate.qemu.QemuSourceState.Settled;
import io.sluice.migrate.qemu.QemuSourceState.Undoing;
import io.sluice.migrate.qemu.QemuSourceState.WentOn;
import io.sluice.migrate.qmp.MigrationProgress;
import io.sluice.migrate.qmp.PciAddress;
import io.sluice.migrate.qmp.QemuMachine;
import io.sluice.vdevice.GuestDevice;
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
public final class QemuSource implements SourceMachine, LiveMachine {
  private static final Logger LOG = LoggerFactory.getLogger(QemuSource.class);

  /** Bytes of what QEMU counts as a page of the machine. */
  private static final long PAGE_BYTES = 4096;

  /** What a machine's last pass may take that is to be noticed by nobody. */
  private static final Duration SHORT = Duration.ofMillis(30);

  /** QEMU's own maximum. */
  private static final Duration NOW = Duration.ofSeconds(2000);

  /**
   * Settings of its move.
   *
   * @param bandwidthBytesPerSecond most that QEMU sends; 0 for no limit
   * @param downtime how long the machine may stand still for its own memory
   * @param patience for an answer of QEMU or of the device's client
   */
  public record Settings(long bandwidthBytesPerSecond, Duration downtime, Duration patience) {}

  /** Of the last pass, so much may be on its way. */
  static final long LAST_PASS_BYTES = 16L << 20;

  /**
   * QEMU's last words about its migration.
   *
   * @param passes over the machine's memory that it has begun
   */
  private record Figures(
      long bytesTotal, long bytesSent, long bytesLeft, long dirtyBytesPerSecond, long passes) {}

  private final GuestDevice device;
  private final RamTransport.Source transport;
  private final Settings settings;
  private final PciAddress address;
  private final MachineMonitor monitor;
  private final QemuMachine machine;
  private final Worker worker;
  private final StateMachine<QemuSourceStage, QemuSourceState> life;
  private final TouchRequest touch;
  private final StandBy standBy;
  private final LastPass lastPass;
  private final AtomicBoolean asking = new AtomicBoolean();
  private final Object telling = new Object(); // held while QEMU is told how to copy
  private volatile Figures figures = new Figures(0, 0, 0, 0, 0);

  // Of the engine's thread.
  private OptionalLong configuration = OptionalLong.empty(); // until it was told

  /** As {@link #open} makes it, of a monitor that is open. */
  QemuSource(
      GuestDevice device,
      QemuMachine machine,
      RamTransport.Source transport,
      Settings settings,
      ThreadFactory threads,
      PciAddress address) {
    this.device = device;
    this.transport = transport;
    this.settings = settings;
    this.address = address;
    this.machine = machine;
    life = new StateMachine<>("machine of " + device.name(), new Open());
    monitor = new MachineMonitor(device.name(), "source", machine, threads, this::failed);
    worker = monitor.worker();
    touch = new TouchRequest(device);
    standBy = new StandBy(transport);
    lastPass = new LastPass(device, settings.patience());
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
    return open(device, device.pci().registersAddress(), qmp, transport, settings, threads);
  }

  /** As the other, of a device whose registers are at an address. */
  static QemuSource open(
      GuestDevice device,
      long registers,
      Path qmp,
      RamTransport.Source transport,
      Settings settings,
      ThreadFactory threads) {
    QemuMachine machine = QemuMachine.connect(qmp, threads, settings.patience());
    try {
      PciAddress address =
          machine.findFunction(GuestAbi.PCI_VENDOR, GuestAbi.PCI_DEVICE, registers);
      OptionalLong configuration = machine.findConfigurationSpace();
      QemuSource source = new QemuSource(device, machine, transport, settings, threads, address);
      source.configuration = configuration;
      return source;
    } catch (RuntimeException | Error e) {
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
              MigrationCode.NOT_RUNNING,
              "the machine does not run, state=" + state,
              "Let it run, and try again."));
    }
    for (String reason : machine.blockedReasons()) {
      found.add(
          new Blocker(
              MigrationCode.QEMU_BLOCKED, "QEMU cannot migrate the machine: " + reason, ""));
    }
    return found;
  }

  @Override
  public boolean standsStill() {
    return true;
  }

  @Override
  public String program() {
    return "QEMU " + machine.version();
  }

  /** Once: what the destination would have to ask its own QEMU for while the machine stands. */
  @Override
  public @Nullable ByteBuffer pollMessage() {
    OptionalLong known = configuration;
    if (known.isEmpty() || stage() == QemuSourceStage.OPEN || !transport.isAnswered()) {
      return null;
    }
    configuration = OptionalLong.empty();
    return MachineMessages.configuration(known.getAsLong());
  }

  @Override
  public ByteBuffer describe() {
    return MachineMessages.description(address);
  }

  private QemuSourceStage stage() {
    return life.stage();
  }

  @Override
  public void start(ByteBuffer target) {
    figures = new Figures(0, 0, -1, -1, 0); // QEMU has yet to tell
    life.enter(new Copying(false), "the destination is ready");
    worker.submit(() -> {
      machine.prepareSource(settings.bandwidthBytesPerSecond(), transport.isAnswered());
      machine.migrate(transport.open(target));
      monitor.wake();
    });
  }

  @Override
  public LiveMachine live() {
    return this;
  }

  @Override
  public boolean canStandBy() {
    return transport.isCounted();
  }

  @Override
  public long passes() {
    return figures.passes();
  }

  @Override
  public void keepBack(long bytes, long stepBytes) {
    standBy.keepBack(bytes, stepBytes);
  }

  @Override
  public void holdBack() {
    copying(true, "it is held back");
    tellNow(machine::holdBack);
  }

  @Override
  public void goOn() {
    copying(false, "it goes on copying");
    tellNow(() -> machine.goOn(settings.bandwidthBytesPerSecond()));
  }

  /** Unless QEMU does not copy yet, or no more. */
  private void copying(boolean heldBack, String reason) {
    if (stage() == QemuSourceStage.COPYING) {
      boolean _ = life.enterIfLegal(new Copying(heldBack), reason);
    }
  }

  /** QEMU acts on what it is told when its stream is taken again. */
  private void tellNow(Runnable told) {
    worker.submitNow(() -> {
      tellUnlessGivenUp(told);
      standBy.end();
    });
  }

  /** What comes late would count for QEMU's next migration. */
  private void tellUnlessGivenUp(Runnable told) {
    synchronized (telling) {
      switch (stage()) {
        case OPEN, COPYING, GIVEN_UP, FAILED -> told.run();
        case UNDOING, SETTLED, WENT_ON -> {}
      }
    }
  }

  @Override
  public void askToTouch() {
    int request = touch.make();
    worker.submit(() -> touch.passOn(request));
  }

  @Override
  public boolean hasTouched() {
    return touch.isDone();
  }

  @Override
  public boolean cannotTouch() {
    return touch.isImpossible();
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
    copying(false, "it may stop");
    tellNow(() -> machine.setDowntime(downtime, bytesPerSecond));
  }

  @Override
  public MachineProgress progress() {
    Figures last = figures;
    State state = state();
    return new MachineProgress(
        state,
        last.bytesTotal(),
        bytesCarried(),
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
    return stage() != QemuSourceStage.FAILED && machine.isOpen();
  }

  /** QEMU may only see that its connection has ended. */
  private String why() {
    return switch (life.state()) {
      case Failed(String ours) -> ours;
      case GivenUp(String said) -> cut(", it says: " + said);
      case Open _, Copying _, Undoing _, Settled _, WentOn _ -> cut("");
    };
  }

  private String cut(String said) {
    return "QEMU gave the migration up" + said + RamTransport.ended(transport.cut());
  }

  private State state() {
    return switch (stage()) {
      case OPEN, WENT_ON -> State.IDLE;
      case COPYING, UNDOING, SETTLED -> machine.isOpen() ? reported() : lost();
      case GIVEN_UP, FAILED -> lost();
    };
  }

  private State reported() {
    return MachineStates.ofSource(machine.migrationStatus());
  }

  /** What is complete stays so. */
  private State lost() {
    return reported() == State.COMPLETED ? State.COMPLETED : State.FAILED;
  }

  /** Asks QEMU for figures, unless it is being asked, or was just now. */
  @Override
  public void poll() {
    if (life.state() instanceof Copying(boolean heldBack)
        && state() == State.COPYING
        && asking.compareAndSet(false, true)) {
      worker.submit(() -> {
        try {
          refresh();
          LockSupport.parkNanos(this, QueryPace.betweenNs(figures.bytesLeft(), heldBack));
        } finally {
          asking.set(false);
        }
      });
    }
  }

  private void refresh() {
    if (touch.look()) {
      monitor.wake();
    }
    long takenBefore = transport.bytesTaken();
    MigrationProgress now = machine.migration();
    boolean known = now.ramTotalBytes() != 0;
    figures =
        new Figures(
            now.ramTotalBytes(),
            now.ramTransferredBytes(),
            known ? now.ramRemainingBytes() : -1,
            known ? now.dirtyPagesPerSecond() * PAGE_BYTES : -1,
            now.ramPasses());
    standBy.look(takenBefore, figures.bytesLeft());
    if (!now.error().isEmpty()) {
      boolean _ = life.enterIfLegal(new GivenUp(now.error()), "QEMU says so");
    }
  }

  @Override
  public boolean redirty(List<PageRange> pages) {
    return lastPass.redirty(
        pages,
        begun ->
            worker.submit(() -> {
              begun.run();
              monitor.wake();
            }));
  }

  @Override
  public boolean holdStill() {
    return lastPass.holdStill(begun -> monitor.thread("hold", () -> hold(begun)).start());
  }

  private void hold(Runnable begun) {
    try {
      begun.run();
    } catch (SluiceException e) {
      failed(e);
    }
    monitor.wake();
  }

  @Override
  public List<ByteBuffer> save() {
    return List.of(lastPass.saved());
  }

  /**
   * Nothing comes behind the last pass, so that nothing holds it up any more. It may be held up
   * until now: a machine that had nothing left for a moment has stopped before it was allowed to.
   */
  @Override
  public void switchOver() {
    worker.submitNow(() -> {
      standBy.end();
      transport.limitQueue(LAST_PASS_BYTES);
      machine.switchOver();
    });
  }

  @Override
  public void abort() {
    switch (stage()) {
      case UNDOING, SETTLED, WENT_ON -> {
        return; // begun, though not all of it was said
      }
      case OPEN, COPYING, GIVEN_UP, FAILED -> {}
    }
    LastPass.Begun begun = lastPass.end();
    boolean started = stage() != QemuSourceStage.OPEN;
    Thread thread = monitor.thread("abort", () -> giveUp(begun, started));
    life.enter(new Undoing(thread), "the migration is given up");
    try {
      thread.start();
    } catch (OutOfMemoryError e) { // the host has no thread left, which may be why it is given up
      try {
        LOG.atError()
            .addKeyValue("guest", device.name())
            .setCause(e)
            .log("a machine goes on without a thread of its own: its migration waits for it");
      } finally {
        giveUp(begun, started);
      }
    }
  }

  /** Ends the migration however QEMU stands, and lets the machine go on. */
  private void giveUp(LastPass.Begun begun, boolean started) {
    try {
      MachineStart.insist(begun::settle, why -> still("guest memory is written still", why));
      life.enter(new Settled(Thread.currentThread()), "nothing writes guest memory any more");
      monitor.wake();
      if (started && machine.isOpen()) {
        MachineStart.insist(this::letRun, why -> still("a machine does not go on", why));
      }
    } catch (SluiceException e) {
      LOG.atError().addKeyValue("guest", device.name()).log("a machine did not go on", e);
    } finally {
      begun.release();
      // Not when it is unknown whether something still writes guest memory.
      boolean _ = life.enterIfLegal(new WentOn(), "all is taken back");
      monitor.wake();
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
    synchronized (telling) {
      machine.setDowntime(settings.downtime(), settings.bandwidthBytesPerSecond());
    }
  }

  @Override
  public boolean isSettled() {
    return stage() != QemuSourceStage.UNDOING;
  }

  @Override
  public boolean hasGoneOn() {
    return stage() == QemuSourceStage.WENT_ON;
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
    monitor.setWaker(newWaker);
  }

  private void failed(SluiceException e) {
    boolean _ = life.enterIfLegal(new Failed(Worker.text(e)), "a step has failed");
  }

  /** The monitor is let go when the machine goes on, or cannot be made to. */
  @Override
  public void close() {
    Thread undoing =
        switch (life.state()) {
          case Undoing(Thread thread) -> thread;
          case Settled(Thread thread) -> thread;
          case Open _, Copying _, GivenUp _, Failed _, WentOn _ -> null;
        };
    monitor.close(undoing, transport);
  }
}
