package io.sluice.channel;

import io.sluice.abi.Iova;
import io.sluice.channel.GuestGpu.MemoryRegion;
import java.util.function.Consumer;

/** A range of guest memory that the GPU knows. Guarded by the guest's lock. */
final class GuestRegion implements MemoryRegion {
  private final Consumer<GuestRegion> onClose;
  final MemoryRegion backend;
  final Iova iova;
  final boolean writable;
  boolean closed;

  /**
   * @param onClose takes the region away; called without the lock
   */
  GuestRegion(MemoryRegion backend, Iova iova, boolean writable, Consumer<GuestRegion> onClose) {
    this.backend = backend;
    this.iova = iova;
    this.writable = writable;
    this.onClose = onClose;
  }

  @Override
  public long sizeBytes() {
    return backend.sizeBytes();
  }

  @Override
  public void close() {
    onClose.accept(this);
  }
}
