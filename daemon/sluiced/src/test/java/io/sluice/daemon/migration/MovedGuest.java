package io.sluice.daemon.migration;

import com.google.common.collect.ImmutableSortedMap;
import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.guest.MemoryGrant;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.channel.state.ChannelState;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.migrate.engine.MappedGuest;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.machine.SourceMachine;
import io.sluice.migrate.memory.Lanes;
import io.sluice.migrate.report.MoveContext;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** A guest on a software GPU, with a channel that has nothing to do. */
final class MovedGuest implements AutoCloseable {
  private static final long VRAM_BYTES = 1L << 20;
  private static final GpuVa LOW = new GpuVa(0x2000_0000L);
  private static final GpuVa HIGH = new GpuVa(1L << 40);

  final Kernel kernel = RealKernel.create();
  final Guest guest;
  private final SoftwareGpu model;
  private final PscnvGpu gpu;
  private final int cid;

  MovedGuest() {
    model =
        new SoftwareGpu(
            kernel,
            new GpuConfig(VRAM_BYTES, VRAM_BYTES, 100_000),
            System::nanoTime,
            IdleStrategy.none());
    gpu = new PscnvGpu("moved", kernel, model::open);
    guest = new Guest("web", gpu, kernel, GuestListener.none());
    int vid = guest.spaces().create();
    MemoryGrant ring = guest.buffers().allocate(2, 0, 0, 4096);
    cid = guest.channels().create(vid);
    guest.channels().start(cid, guest.spaces().map(vid, ring.handle(), LOW, HIGH, false), 5, 1);
  }

  MappedGuest map() {
    return MappedGuest.of(guest, kernel);
  }

  /** What a migration of it to another host consists of. */
  OutgoingMigration.OutgoingParts parts(
      MappedGuest mapped, SourceMachine machine, MigrationLink link) {
    return new OutgoingMigration.OutgoingParts(
        new UUID(1, 2),
        "kvm-b:7443",
        new MoveContext(
            "kvm-a", "kvm-b:7443", "0.1.0", "", "gf100", ImmutableSortedMap.of(), Instant.EPOCH),
        mapped,
        machine,
        link,
        Lanes.one(),
        Optional.empty(),
        _ -> {});
  }

  /** Its GPU does what it can do now. */
  void runGpu() {
    int _ = model.engine().doWork(System.nanoTime());
  }

  ChannelState channel() {
    return guest.channels().query(cid).state();
  }

  @Override
  public void close() {
    guest.close();
    gpu.close();
    model.close();
  }
}
