package io.sluice.migrate.vfio;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.record.Section;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.engine.MigrationSettings;
import io.sluice.migrate.engine.MigrationSettings.DetachTime;
import io.sluice.migrate.engine.MigrationSource;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.MachineProgress;
import io.sluice.migrate.machine.MachineProgress.State;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.memory.DirtyDetection;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.phase.Phase;
import io.sluice.vdevice.state.StateTransfers;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * A device whose state a client reads. The engine is driven by the reads: it does as much as it
 * takes to have the bytes that are asked for, and nothing between. It never hears that the guest
 * was restored anywhere, and so never gives it away: the client closes one of the two devices.
 */
final class DeviceSaving implements StateTransfers.StateOutput {
  /** Nobody is silent here: the client reads when it likes. */
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  private static final MigrationSettings SETTINGS =
      new MigrationSettings(
          DetachTime.LAST,
          DirtyDetection.DEFAULT,
          1,
          0,
          FOR_EVER,
          Duration.ZERO,
          MigrationSettings.OnTimeout.ABORT,
          new MigrationSettings.PeerPatience(FOR_EVER, FOR_EVER, FOR_EVER),
          true);

  private final LongSupplier clock;
  private final MappedGuest guest;
  private final SavingLink link = new SavingLink();
  private final Client client;
  private final MigrationSource source;

  DeviceSaving(
      StateTransfers.Device device,
      Kernel kernel,
      LongSupplier clock,
      UUID id,
      RandomGenerator random) {
    this.clock = clock;
    client = new Client(device);
    guest = MappedGuest.of(device.guest(), kernel);
    source =
        new MigrationSource(
            new MigrationSource.MigrationParts(guest, client, link, Lanes.one()),
            SETTINGS,
            id,
            random,
            clock.getAsLong(),
            (_, _) -> {});
  }

  @Override
  public void stopped() {
    client.stopped = true;
  }

  @Override
  public int read(MemorySegment into) {
    int done = 0;
    boolean more = true;
    while (more && done < into.byteSize()) {
      int some = link.fetch(into.asSlice(done));
      done += some;
      more = some > 0 || advance();
    }
    return done;
  }

  /** Whether there may be bytes now. */
  private boolean advance() {
    if (source.phase() == Phase.RESTORE && !link.isComplete()) {
      link.complete();
      return true;
    }
    boolean worked = source.doWork(clock.getAsLong()) > 0;
    if (source.phase() == Phase.ABORTING || source.phase() == Phase.ABORTED) {
      Reason why =
          source.reason().orElse(new Reason(MigrationCode.SAVE_GIVEN_UP, "it was given up", ""));
      throw new RefusedException(why.code(), Errno.EIO, why.what(), why.remedy());
    }
    return worked;
  }

  @Override
  public void close() {
    link.close();
    guest.close();
  }

  /** The client, whose own memory is its own concern. */
  private static final class Client implements SourceMachine {
    /** What is left of its memory before it has stopped: nobody tells, so no end is near. */
    private static final long UNKNOWN_BYTES = 1L << 50;

    private final StateTransfers.Device device;
    private boolean stopped;
    private State state = State.IDLE;

    Client(StateTransfers.Device device) {
      this.device = device;
    }

    @Override
    public List<Blocker> blockers() {
      return List.of();
    }

    /** It uses DMA_LOGGING_REPORT. */
    @Override
    public boolean asksForGuestWrites() {
      return true;
    }

    @Override
    public ByteBuffer describe() {
      return ByteBuffer.allocate(0);
    }

    @Override
    public void start(ByteBuffer target) {
      state = State.COPYING;
    }

    @Override
    public void allowStop() {
      state = State.STOPPED;
    }

    @Override
    public void forceStop() {
      throw new AssertionError("no time was set");
    }

    @Override
    public MachineProgress progress() {
      return new MachineProgress(state, 0, 0, stopped ? 0 : UNKNOWN_BYTES, -1, "");
    }

    @Override
    public boolean redirty(List<PageRange> pages) {
      return true;
    }

    @Override
    public List<ByteBuffer> save() {
      Section section = device.save().encode();
      ByteBuffer bytes = ByteBuffer.allocate(section.sizeBytes());
      section.write(bytes);
      return List.of(bytes.flip());
    }

    @Override
    public void switchOver() {
      state = State.COMPLETED;
    }

    @Override
    public void abort() {}

    @Override
    public void finish() {
      throw new AssertionError("nothing was given away");
    }

    @Override
    public void setWaker(Runnable waker) {}

    @Override
    public void close() {}
  }
}
