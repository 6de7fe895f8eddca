package io.sluice.migrate.memory;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.channel.state.ChannelError;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;

/** A software GPU with a guest, and its video memory, mapped. */
final class Card implements AutoCloseable {
  private final SoftwareGpu model;
  private final PscnvGpu gpu;
  final Guest guest;
  final Mapping vram;

  Card(Kernel kernel, long bytes) {
    model = new SoftwareGpu(kernel, new GpuConfig(bytes, bytes, 0), System::nanoTime, new NoIdle());
    gpu = new PscnvGpu("test", kernel, model::open);
    guest = new Guest("test", gpu, kernel, new NoListener());
    vram =
        kernel.mmap(
            guest.vramAperture().orElseThrow().fd(),
            0,
            bytes,
            Kernel.PROT_READ | Kernel.PROT_WRITE);
  }

  @Override
  public void close() {
    vram.close();
    guest.close();
    gpu.close();
    model.close();
  }

  private static final class NoIdle implements IdleStrategy {
    @Override
    public void idle(long ns) {}

    @Override
    public void wake() {}
  }

  private static final class NoListener implements GuestListener {
    @Override
    public void onInterrupt(int channelId) {}

    @Override
    public void onChannelError(ChannelError error) {}
  }
}
