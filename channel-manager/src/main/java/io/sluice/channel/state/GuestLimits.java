package io.sluice.channel.state;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.ExtRegionAdd;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvLimits;

/** The named maxima of one guest: no table of ours grows beyond them, whatever a guest asks for. */
public final class GuestLimits {
  /** Memory handles are 1 to this minus 1; SLUICE_REG_MAX_MEMORY. */
  public static final int MAX_MEMORY = 1 << 16;

  /** Mappings of one guest, over all its address spaces. */
  public static final int MAX_MAPPINGS = 1 << 17;

  /** Buffers that live, those included whose handle was given back while something maps them. */
  public static final int MAX_BUFFERS = 1 << 17;

  /** Ranges of guest memory known to the GPU at one time; the software GPU has ids for these. */
  public static final int MAX_REGIONS = ExtRegionAdd.MAX_REGION;

  /** Extents in one call that fills a registered buffer; SLUICE_MAX_EXTENTS. */
  public static final int MAX_EXTENTS = GuestAbi.MAX_EXTENTS;

  /**
   * Extents of all registered buffers of one guest together, after joining neighbours: 2 GiB in
   * which no two pages are, some 60 MB of the heap. As many as the software GPU has for an open;
   * with NVIDIA's driver each is an object of its own.
   */
  public static final int MAX_TOTAL_EXTENTS = 1 << 19;

  /** Words of a set-up segment; SLUICE_MAX_SETUP_WORDS. */
  public static final int MAX_SETUP_WORDS = GuestAbi.MAX_SETUP_WORDS;

  /** Suspends of one channel that have no resume yet. */
  public static final int MAX_SUSPENDS = 1 << 16;

  /** Exponent of the longest ring; FIFO_INIT_IB refuses more. */
  public static final int MAX_RING_ORDER = PscnvLimits.MAX_IB_ORDER;

  /** Granularity of all GPU memory: the GPU's small page. */
  public static final long PAGE_BYTES = PscnvGem.SMALL_PAGE_BYTES;

  private GuestLimits() {}
}
