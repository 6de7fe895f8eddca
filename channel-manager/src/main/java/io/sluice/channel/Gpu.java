package io.sluice.channel;

import com.google.common.collect.ImmutableSet;

/**
 * One GPU of this host: the seam between Sluice and a backend.
 *
 * <p>docs/adr/0002-gpu-spi.md writes down how each call maps to pscnv and to NVIDIA's RM.
 */
public interface Gpu extends AutoCloseable {
  /** What the GPU is. */
  GpuInfo info();

  /** What this backend can do. */
  ImmutableSet<Capability> capabilities();

  /** What all guests together may have at one time, as far as the GPU itself limits it. */
  default SlotLimits slots() {
    return SlotLimits.NONE;
  }

  /** GPU time in nanoseconds (PTIMER). */
  long timeNs();

  /**
   * Opens the GPU for one guest: one DRM file, or one set of RM clients.
   *
   * @param guestName for messages only
   */
  GuestGpu open(String guestName);

  @Override
  void close();
}
