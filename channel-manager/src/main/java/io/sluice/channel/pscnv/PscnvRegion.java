package io.sluice.channel.pscnv;

import io.sluice.abi.pscnv.ExtRegionDel;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.channel.GuestGpu.RegisteredMemory;

/** A range of guest memory that the software GPU knows. */
final class PscnvRegion implements RegisteredMemory {
  private final PscnvCalls calls;
  private final int region;
  private final long sizeBytes;

  PscnvRegion(PscnvCalls calls, int region, long sizeBytes) {
    this.calls = calls;
    this.region = region;
    this.sizeBytes = sizeBytes;
  }

  int number() {
    return region;
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public void close() {
    calls.call(PscnvIoctl.REGION_DEL, argument -> ExtRegionDel.REGION.setBits(argument, region));
  }
}
