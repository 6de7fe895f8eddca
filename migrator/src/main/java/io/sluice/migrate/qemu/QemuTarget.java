package io.sluice.migrate.qemu;

import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.channel.record.Section;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.vdevice.DeviceState;
import io.sluice.vdevice.GuestDevice;
import io.sluice.vdevice.machine.PciAddress;
import io.sluice.vdevice.machine.QemuMachine;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
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
  private final QemuMachine machine;
  private final RamTransport.Target transport;
  private final Duration patience;
  private final ThreadFactory threads;
  private final Worker worker;

  private volatile Runnable waker = () -> {};
  private volatile boolean prepared;
  private volatile boolean restored;
  private volatile boolean running;
  private volatile @Nullable String failure;

  // Of the engine's thread.
  private @Nullable PciAddress address;
  private OptionalLong configuration = OptionalLong.empty(); // as the source says, if it does
  private boolean restoring;

  /** It has waited for another one: only such a machine is ours to end. */
  private volatile boolean waited;

  private @Nullable Thread aborting;

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
    this.threads = threads;
    worker = new Worker("sluice-" + device.name() + "-target", threads, this::failed);
    machine.setListener(() -> waker.run());
  }

  /**
   * Takes the machine's monitor. Blocks.
   *
   * @param patience for an answer of QEMU or of the device's client
   * @throws SluiceException the monitor cannot be had
   */
  public static QemuTarget open(
      GuestDevice device,
      Path qmp,
      RamTransport.Target transport,
      Duration patience,
      ThreadFactory threads) {
    return new QemuTarget(
        device, QemuMachine.connect(qmp, threads, patience), transport, patience, threads);
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
    address = MachineMessages.address(source);
    machine.requireIncoming();
    waited = true;
    device.hold();
    machine.prepareDestination();
    machine.migrateIncoming(transport.uri());
    transport.listening();
    prepared = true;
    return transport.address();
  }

  @Override
  public void tell(ByteBuffer message) {
    configuration = OptionalLong.of(MachineMessages.configuration(message));
  }

  @Override
  public MachineProgress progress() {
    State state = state();
    return new MachineProgress(state, 0, 0, 0, state == State.FAILED ? why() : "");
  }

  /** QEMU may only see that its connection has ended. */
  private String why() {
    String ours = failure;
    return ours == null ? "QEMU could not receive" + RamTransport.ended(transport.cut()) : ours;
  }

  private State state() {
    if (running) {
      return State.RUNNING;
    }
    if (!prepared) {
      return failure == null ? State.IDLE : State.FAILED;
    }
    boolean lost = failure != null || !machine.isOpen();
    return lost ? State.FAILED : MachineStates.ofTarget(machine.migrationStatus());
  }

  @Override
  public boolean restore(List<ByteBuffer> parts) {
    if (!restoring) {
      restoring = true;
      if (parts.size() != 1 || address == null) {
        throw MachineMessages.unfit(parts.size());
      }
      PciAddress at = address;
      OptionalLong space = configuration;
      DeviceState state = DeviceState.decode(Section.read(parts.getFirst().duplicate()));
      worker.submit(() -> {
        device.restore(state);
        new PciRestore(device, machine, patience)
            .run(at, space.orElseGet(machine::configurationSpace), state.pci());
        restored = true;
        waker.run();
      });
    }
    return restored;
  }

  @Override
  public void resume() {
    worker.submit(() -> {
      MachineStart.insist(machine::resume, this::stillFrozen);
      device.releaseRestored();
      running = true;
      waker.run();
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

  @Override
  public void abort() {
    Thread thread = threads.newThread(this::end);
    thread.setName("sluice-" + device.name() + "-abort");
    aborting = thread;
    thread.start();
  }

  private void end() {
    try {
      if (waited && machine.isOpen()) {
        MachineStart.insist(machine::quit, this::stillThere);
      }
    } catch (SluiceException e) {
      // It was asked out of the way while it had not run; what is left of it cannot run either.
      LOG.atWarn()
          .addKeyValue("guest", device.name())
          .log("a machine did not end: {}", e.getMessage());
    } finally {
      waker.run();
    }
  }

  @Override
  public void setWaker(Runnable newWaker) {
    waker = newWaker;
  }

  private void failed(SluiceException e) {
    failure = Worker.text(e);
    LOG.atError()
        .addKeyValue("guest", device.name())
        .log("a machine that comes has failed: {}", e.getMessage());
    waker.run();
  }

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
