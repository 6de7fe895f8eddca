package io.sluice.channel.nvidia.rm;

import io.sluice.abi.guest.GuestAbi;

/** The meaning of the driver's numbers of channel errors (Xid) to a guest. Source: nverror.h. */
public final class Xid {
  private static final int GRAPHICS_EXCEPTION = 13;
  private static final int MMU_FAULT = 31;
  private static final int PBDMA_ERROR = 32;

  private Xid() {}

  /** The reason, SLUICE_ERROR_*. */
  public static int reason(int xid) {
    return switch (xid) {
      case GRAPHICS_EXCEPTION -> GuestAbi.ERROR_SM;
      case MMU_FAULT -> GuestAbi.ERROR_PAGE_FAULT;
      case PBDMA_ERROR -> GuestAbi.ERROR_ILLEGAL_METHOD;
      default -> GuestAbi.ERROR_ENGINE;
    };
  }

  /** Whether it has an address. */
  static boolean isPageFault(int xid) {
    return xid == MMU_FAULT;
  }

  /** The detail of a reason: the engine's type above the number. */
  public static int info(int xid, int engineType) {
    return engineType << 16 | (xid & 0xffff);
  }
}
