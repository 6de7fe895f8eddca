package io.sluice.abi.pscnv;

/** Ids of GETPARAM: what can be asked of the card. Source: pscnv_drm.h. */
public final class PscnvParam {
  /** PCI vendor id of the card. */
  public static final int PCI_VENDOR = 3;

  /** PCI device id of the card. */
  public static final int PCI_DEVICE = 4;

  /** 0 AGP, 1 PCI, {@link #BUS_TYPE_PCIE} PCI Express. */
  public static final int BUS_TYPE = 5;

  /** Video memory in bytes. */
  public static final int FB_SIZE = 8;

  /** Chipset, {@link #CHIPSET_GTX480} for a GTX 480. */
  public static final int CHIPSET_ID = 11;

  /** GPU time in nanoseconds. */
  public static final int PTIMER_TIME = 14;

  /** Graphics processing clusters. */
  public static final int GPC_COUNT = 15;

  /** Texture processors of the cluster whose index is in the upper half of the id. */
  public static final int TP_COUNT_IDX = 16;

  /** Bus address of BAR 0. */
  public static final int BAR0_ADDR = 17;

  /** Multiprocessors: 15 on a GTX 480. */
  public static final int MP_COUNT = 100;

  /** Value of {@link #BUS_TYPE}: PCI Express. */
  public static final int BUS_TYPE_PCIE = 2;

  /** Value of {@link #CHIPSET_ID}: GF100. */
  public static final int CHIPSET_GTX480 = 0xc0;

  private PscnvParam() {}
}
