package io.sluice.channel;

import io.sluice.abi.Iova;
import io.sluice.channel.GuestGpu.MemoryRegion;

/** A range of guest memory that the GPU knows. Guarded by the guest's lock. */
final class GuestRegion implements MemoryRegion {
  private final Guest guest;
  final MemoryRegion backend;
  final Iova iova;
  final boolean writable;
  boolean closed;

  GuestRegion(Guest guest, MemoryRegion backend, Iova iova, boolean writable) {
    this.guest = guest;
    this.backend = backend;
    this.iova = iova;
    this.writable = writable;
  }

  @Override
  public long sizeBytes() {
    return backend.sizeBytes();
  }

  @Override
  public void close() {
    guest.removeRegion(this);
  }
}
