package io.sluice.daemon.migration;

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
