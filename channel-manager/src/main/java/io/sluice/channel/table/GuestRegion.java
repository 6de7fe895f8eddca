package io.sluice.channel.table;

import io.sluice.abi.Iova;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import java.util.function.Consumer;

/** A range of guest memory that the GPU knows. Guarded by the guest's lock. */
public final class GuestRegion implements RegisteredMemory {
  private final Consumer<GuestRegion> onClose;
  public final RegisteredMemory backend;
  public final Iova iova;
  final boolean writable;
  public boolean closed;

  /**
   * @param onClose takes the region away; called without the lock
   */
  public GuestRegion(
      RegisteredMemory backend, Iova iova, boolean writable, Consumer<GuestRegion> onClose) {
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
