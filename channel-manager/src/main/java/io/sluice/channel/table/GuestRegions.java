package io.sluice.channel.table;

import io.sluice.abi.Errno;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.Refusal;
import io.sluice.channel.state.GuestLimits;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Ranges of guest memory that the GPU knows of one guest. Guarded by the guest's lock. */
public final class GuestRegions {
  private final Set<GuestRegion> regions = new LinkedHashSet<>();

  /** By their bus addresses, of which no two are the same while both have memory. */
  private final TreeMap<Long, GuestRegion> byIova = new TreeMap<>(Long::compareUnsigned);

  /** ENOMEM when no more may be added. */
  public void requireRoom() {
    if (regions.size() == GuestLimits.MAX_REGIONS) {
      throw Refusal.full("ranges of guest memory", GuestLimits.MAX_REGIONS);
    }
  }

  public void add(GuestRegion region) {
    regions.add(region);
    byIova.put(region.iova.value(), region);
  }

  /** A region that the GPU has no access to any more when this returns. */
  public void remove(GuestRegion region) {
    region.closed = true;
    regions.remove(region);
    byIova.remove(region.iova.value(), region);
    Closing.close(region.backend::close, "memory region");
  }

  public int size() {
    return regions.size();
  }

  public List<GuestRegion> all() {
    return List.copyOf(regions);
  }

  /** The region of an extent that lies within it; EFAULT. */
  public GuestRegion containing(RegionExtent extent) {
    RegisteredMemory named = extent.region();
    if (!(named instanceof GuestRegion region)
        || !regions.contains(region)
        || extent.offset() < 0
        || extent.bytes() > region.sizeBytes() - extent.offset()) {
      throw Refusal.with(Errno.EFAULT, "no guest memory there, extent=" + extent);
    }
    return region;
  }

  /** Where guest memory of a bus address is, as far as one region goes; EFAULT. */
  public RegionExtent extentAt(long iova, long bytes) {
    Map.Entry<Long, GuestRegion> below = byIova.floorEntry(iova);
    if (below != null) {
      GuestRegion region = below.getValue();
      long offset = iova - below.getKey();
      if (offset >= 0 && offset < region.sizeBytes()) {
        return new RegionExtent(region, offset, Math.min(bytes, region.sizeBytes() - offset));
      }
    }
    throw Refusal.with(Errno.EFAULT, "no guest memory there, iova=0x" + Long.toHexString(iova));
  }
}
