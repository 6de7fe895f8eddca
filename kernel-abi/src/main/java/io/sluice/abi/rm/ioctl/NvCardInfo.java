package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code nv_ioctl_card_info_t}: one of the 32 cards that CARD_INFO tells of.
 *
 * <p>72 bytes. Source: nv-ioctl.h.
 */
public final class NvCardInfo {
  /** Cards in one answer. */
  public static final int MAX_CARDS = 32;

  private static final Struct S = Struct.aligned("nv_ioctl_card_info_t");
  public static final U8 VALID = S.u8("valid", "out: not 0 if there is a card");
  public static final U32 DOMAIN = S.u32("domain", "out: PCI domain");
  public static final U8 BUS = S.u8("bus", "out: PCI bus");
  public static final U8 SLOT = S.u8("slot", "out: PCI slot");
  public static final U8 FUNCTION = S.u8("function", "out: PCI function");
  public static final U16 VENDOR = S.u16("vendor_id", "out: PCI vendor id");
  public static final U16 DEVICE = S.u16("device_id", "out: PCI device id");
  public static final U32 GPU_ID = S.u32("gpu_id", "out: RM's number of the card");
  public static final U32 MINOR_NUMBER =
      S.unused16("interrupt_line", "out")
          .unused64("reg_address", "out: bus address of BAR 0")
          .unused64("reg_size", "out")
          .unused64("fb_address", "out: bus address of BAR 1")
          .unused64("fb_size", "out")
          .u32("minor_number", "out: n of /dev/nvidian");
  public static final StructLayout LAYOUT = S.unusedBytes("dev_name", 10, "out").layout();
  public static final long SIZE = LAYOUT.byteSize();

  private NvCardInfo() {}
}
