package io.sluice.channel.pscnv;

import io.sluice.abi.sys.Kernel;
import io.sluice.channel.GuestGpu;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** The open of a device, as its buffers, address spaces and channels share it. */
final class PscnvOpen {
  private static final int NO_REGION = 0;

  private final PscnvCalls calls;
  private final Kernel kernel;
  private final ChannelIds channelIds;
  private final boolean extended;
  private final Optional<GuestGpu.SharedArea> vramAperture;

  private volatile int pendingRegion = NO_REGION;

  // A real pscnv has no accounting: what we asked for is what we have.
  private final AtomicLong vramBytes = new AtomicLong();
  private final AtomicLong systemBytes = new AtomicLong();

  /**
   * @param extended whether the driver offers the software GPU's extensions
   */
  PscnvOpen(
      PscnvCalls calls,
      Kernel kernel,
      ChannelIds channelIds,
      boolean extended,
      Optional<GuestGpu.SharedArea> vramAperture) {
    this.calls = calls;
    this.kernel = kernel;
    this.channelIds = channelIds;
    this.extended = extended;
    this.vramAperture = vramAperture;
  }

  PscnvCalls calls() {
    return calls;
  }

  Kernel kernel() {
    return kernel;
  }

  ChannelIds channelIds() {
    return channelIds;
  }

  boolean isExtended() {
    return extended;
  }

  Optional<GuestGpu.SharedArea> vramAperture() {
    return vramAperture;
  }

  /** The region of the pending bitmap; 0 without one. */
  int pendingRegion() {
    return pendingRegion;
  }

  /** Set once. */
  void setPendingRegion(int region) {
    pendingRegion = region;
  }

  /** Fails when there is a pending bitmap. */
  void requireNoPendingRegion() {
    if (pendingRegion != NO_REGION) {
      throw new IllegalStateException("there is a pending bitmap, region=" + pendingRegion);
    }
  }

  /** Counts bytes that were asked for, or given back. */
  void account(boolean system, long bytes) {
    long _ = (system ? systemBytes : vramBytes).addAndGet(bytes);
  }

  long vramBytes() {
    return vramBytes.get();
  }

  long systemBytes() {
    return systemBytes.get();
  }
}
