package io.sluice.abi.pscnv;

/** The sizes of pscnv's tables on a Fermi card. Source: pscnv's nvc0_chan.c, pscnv_vm.c. */
public final class PscnvLimits {
  /** Highest channel id. */
  public static final int MAX_CID = 126;

  /** Highest address-space id. */
  public static final int MAX_VID = 127;

  /** Bytes of an address space. */
  public static final long VSPACE_BYTES = 1L << 40;

  /** Bytes of a channel's control page. */
  public static final long CONTROL_PAGE_BYTES = 0x1000;

  /** Largest {@link PscnvFifoInitIb#ibOrder}. */
  public static final int MAX_IB_ORDER = 29;

  /** Largest storage type of a buffer in video memory. */
  public static final int MAX_VRAM_TILE_FLAGS = 0xff;

  private PscnvLimits() {}
}
