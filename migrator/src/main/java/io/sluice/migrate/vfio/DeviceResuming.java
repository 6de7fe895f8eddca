package io.sluice.migrate.vfio;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.record.Section;
import io.sluice.migrate.engine.AttachedHost;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationTarget;
import io.sluice.migrate.engine.Offer;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.TargetMachine;
import io.sluice.migrate.phase.RetriedStep;
import io.sluice.migrate.phase.TargetPhase;
import io.sluice.vdevice.state.DeviceState;
import io.sluice.vdevice.state.StateTransfers;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A device that becomes what a client writes. The engine is driven by the writes, and takes each in
 * as far as it goes; it is as suspicious of them as of another host.
 */
final class DeviceResuming implements StateTransfers.StateInput {
  /** Nobody is silent here: the client writes when it likes. */
  private static final long FOR_EVER_NS = Long.MAX_VALUE / 2;

  private final StateTransfers.Device device;
  private final LongSupplier clock;
  private final MappedGuest guest;
  private final ResumingLink link = new ResumingLink();
  private final MigrationTarget target;

  DeviceResuming(StateTransfers.Device device, Kernel kernel, LongSupplier clock) {
    this.device = device;
    this.clock = clock;
    guest = MappedGuest.of(device.guest(), kernel);
    target =
        new MigrationTarget(
            link,
            new AttachedHost(guest, this::admit),
            FOR_EVER_NS,
            clock.getAsLong(),
            (_, _) -> {});
  }

  @Override
  public void write(MemorySegment from) {
    requireAlive();
    try {
      link.feed(from);
    } catch (RefusedException e) {
      target.discardNow(Reason.of(e));
      throw e;
    }
    drive();
  }

  private void drive() {
    int worked = 1;
    while (worked > 0) {
      worked = target.doWork(clock.getAsLong());
    }
    requireAlive();
  }

  private void requireAlive() {
    if (target.phase() == TargetPhase.DISCARDED) {
      Reason why =
          target.reason().orElse(new Reason(MigrationCode.RESUME_GIVEN_UP, "it was given up", ""));
      throw new RefusedException(why.code(), Errno.EPROTO, why.what(), why.remedy());
    }
  }

  @Override
  public void finish() {
    requireAlive();
    if (!link.isComplete()) {
      throw DeviceStream.bad("its end is missing");
    }
    drive();
    if (!link.isReady()) {
      throw DeviceStream.bad("a part of it is missing");
    }
  }

  @Override
  public void run() {
    link.commit();
    drive();
    while (target.phase() == TargetPhase.COMMITTING) { // what has failed is tried again
      LockSupport.parkNanos(this, RetriedStep.PAUSE_NS);
      drive();
    }
    if (target.phase() != TargetPhase.RUNNING) {
      throw new AssertionError("a guest that was built does not run, phase=" + target.phase());
    }
  }

  @Override
  public void close() {
    target.discardNow(new Reason(MigrationCode.CANCELLED, "the client has given it up", ""));
    guest.close();
    link.close();
  }

  private TargetMachine admit(Offer offer) {
    if (offer.apertureBytes() == 0) {
      throw DeviceStream.bad("it has no memory");
    }
    return new Client();
  }

  private final class Client implements TargetMachine {
    @Override
    public ByteBuffer prepare(ByteBuffer source) {
      return ByteBuffer.allocate(0);
    }

    @Override
    public MachineProgress progress() {
      return MachineProgress.of(State.COMPLETED);
    }

    @Override
    public boolean restore(List<ByteBuffer> parts) {
      if (parts.size() != 1) {
        throw DeviceStream.bad("it has " + parts.size() + " devices");
      }
      device.restore(DeviceState.decode(Section.read(parts.getFirst().duplicate())));
      return true;
    }

    @Override
    public void resume() {
      device.releaseRestored();
    }

    @Override
    public void abort() {}

    @Override
    public void setWaker(Runnable waker) {}

    @Override
    public void close() {}
  }
}
