package io.sluice.migrate.qemu;

import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.channel.record.Section;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.phase.StateMachine;
import io.sluice.migrate.qemu.QemuTargetState.Ending;
import io.sluice.migrate.qemu.QemuTargetState.Expecting;
import io.sluice.migrate.qemu.QemuTargetState.Failed;
import io.sluice.migrate.qemu.QemuTargetState.Open;
import io.sluice.migrate.qemu.QemuTargetState.Receiving;
import io.sluice.migrate.qemu.QemuTargetState.Restored;
import io.sluice.migrate.qemu.QemuTargetState.Restoring;
import io.sluice.migrate.qemu.QemuTargetState.Running;
import io.sluice.migrate.qmp.PciAddress;
import io.sluice.migrate.qmp.QemuMachine;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.state.DeviceState;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A QEMU machine, started with {@code -S -incoming defer}, that receives another one.
 *
 * <p>Its device is attached and empty. When QEMU has loaded everything, the device is made what it
 * was on the source, and writes its own PCI function; the processors stand still until {@link
 * #resume}. Ending it before that costs nothing: it has never run.
 */
public final class QemuTarget implements TargetMachine {
  private static final Logger LOG = LoggerFactory.getLogger(QemuTarget.class);

  private final GuestDevice device;
  private final RamTransport.Target transport;
  private final Duration patience;
  private final MachineMonitor monitor;
  private final QemuMachine machine;
  private final StateMachine<QemuTargetStage, QemuTargetState> life;

  private QemuTarget(
      GuestDevice device,
      QemuMachine machine,
      RamTransport.Target transport,
      Duration patience,
      ThreadFactory threads) {
    this.device = device;
    this.machine = machine;
    this.transport = transport;
    this.patience = patience;
    life = new StateMachine<>("machine for " + device.name(), new Open());
    monitor = new MachineMonitor(device.name(), "target", machine, threads, this::failed);
  }

  /**
   * Takes the machine's monitor. Blocks.
   *
   * @param ways makes the way of its stream once the monitor is had: who cannot have it, because
   *     another one receives there, touches nothing of that one's
   * @param patience for an answer of QEMU or of the device's client
   * @throws SluiceException the monitor cannot be had
   */
  public static QemuTarget open(
      GuestDevice device,
      Path qmp,
      Supplier<? extends RamTransport.Target> ways,
      Duration patience,
      ThreadFactory threads) {
    QemuMachine machine = QemuMachine.connect(qmp, threads, patience);
    RamTransport.Target way = null;
    try {
      way = ways.get();
      return new QemuTarget(device, machine, way, patience, threads);
    } catch (RuntimeException | Error e) {
      machine.close();
      if (way != null) {
        way.close();
      }
      throw e;
    }
  }

  /**
   * Looks whether a machine waits for another one. Blocks, and takes its monitor for that time
   * only.
   *
   * @throws SluiceException the monitor cannot be had, or it does not wait
   */
  public static void requireWaiting(Path qmp, ThreadFactory threads, Duration patience) {
    try (QemuMachine machine = QemuMachine.connect(qmp, threads, patience)) {
      machine.requireIncoming();
    }
  }

  @Override
  public ByteBuffer prepare(ByteBuffer source) {
    PciAddress address = MachineMessages.address(source);
    machine.requireIncoming();
    life.enter(new Expecting(), "it waits for another one");
    device.hold();
    machine.prepareDestination();
    machine.migrateIncoming(transport.uri());
    transport.listening();
    life.enter(new Receiving(address, OptionalLong.empty()), "it listens");
    return transport.address();
  }

  /** Too late once the device is being restored. */
  @Override
  public void tell(ByteBuffer message) {
    OptionalLong space = OptionalLong.of(MachineMessages.configuration(message));
    if (life.state() instanceof Receiving(PciAddress address, _)) {
      life.enter(new Receiving(address, space), "the source says where its space is");
    }
  }

  @Override
  public MachineProgress progress() {
    State state = state();
    return new MachineProgress(state, 0, 0, 0, 0, state == State.FAILED ? why() : "");
  }

  /** QEMU may only see that its connection has ended. */
  private String why() {
    return life.state() instanceof Failed(String ours)
        ? ours
        : "QEMU could not receive" + RamTransport.ended(transport.cut());
  }

  private State state() {
    return switch (life.stage()) {
      case OPEN, EXPECTING -> State.IDLE;
      case RECEIVING, RESTORING, RESTORED ->
          machine.isOpen() ? MachineStates.ofTarget(machine.migrationStatus()) : State.FAILED;
      case RUNNING -> State.RUNNING;
      case FAILED, ENDING -> State.FAILED;
    };
  }

  @Override
  public boolean restore(List<ByteBuffer> parts) {
    if (life.state() instanceof Receiving from) {
      if (parts.size() != 1) {
        throw MachineMessages.unfit(parts.size());
      }
      DeviceState state = DeviceState.decode(Section.read(parts.getFirst().duplicate()));
      life.enter(new Restoring(), "all has come");
      monitor.worker().submit(() -> restore(state, from));
    }
    return life.stage() == QemuTargetStage.RESTORED;
  }

  private void restore(DeviceState state, Receiving from) {
    device.restore(state);
    new PciRestore(device, machine, patience)
        .run(
            from.address(),
            from.configuration().orElseGet(machine::configurationSpace),
            state.pci());
    boolean _ = life.enterIfLegal(new Restored(), "the device is what it was");
    monitor.wake();
  }

  @Override
  public void resume() {
    monitor
        .worker()
        .submit(() -> {
          MachineStart.insist(machine::resume, this::stillFrozen);
          device.releaseRestored();
          life.enter(new Running(), "it is this side's");
          monitor.wake();
        });
  }

  private void stillThere(RefusedException why) {
    LOG.atError()
        .addKeyValue("guest", device.name())
        .log("a machine that did not come does not end: {}", why.getMessage());
  }

  private void stillFrozen(RefusedException why) {
    LOG.atError()
        .addKeyValue("guest", device.name())
        .log("a machine that has come does not go on: {}", why.getMessage());
  }

  /** Only a machine that has waited for another one is ours to end. */
  @Override
  public void abort() {
    boolean ours = life.stage() != QemuTargetStage.OPEN;
    Thread thread = monitor.thread("abort", () -> end(ours));
    life.enter(new Ending(thread), "the migration is given up");
    thread.start();
  }

  private void end(boolean ours) {
    try {
      if (ours && machine.isOpen()) {
        MachineStart.insist(machine::quit, this::stillThere);
      }
    } catch (SluiceException e) {
      // It was asked out of the way while it had not run; what is left of it cannot run either.
      LOG.atWarn()
          .addKeyValue("guest", device.name())
          .log("a machine did not end: {}", e.getMessage());
    } finally {
      monitor.wake();
    }
  }

  @Override
  public void setWaker(Runnable newWaker) {
    monitor.setWaker(newWaker);
  }

  private void failed(SluiceException e) {
    boolean _ = life.enterIfLegal(new Failed(Worker.text(e)), "a step has failed");
    LOG.atError()
        .addKeyValue("guest", device.name())
        .log("a machine that comes has failed: {}", e.getMessage());
  }

  @Override
  public void close() {
    Thread ending = life.state() instanceof Ending(Thread thread) ? thread : null;
    monitor.close(ending, transport);
  }
}
