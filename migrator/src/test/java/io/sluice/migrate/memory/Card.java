package io.sluice.migrate.memory;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.pscnv.PscnvGpu;
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
    model =
        new SoftwareGpu(
            kernel, new GpuConfig(bytes, bytes, 0), System::nanoTime, IdleStrategy.none());
    gpu = new PscnvGpu("test", kernel, model::open);
    guest = new Guest("test", gpu, kernel, GuestListener.none());
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
}
