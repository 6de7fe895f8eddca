package io.sluice.abi.vfio;

/** Indexes of the regions and interrupts of a PCI device. Source: linux/vfio.h. */
public final class VfioPci {
  /** Region: BAR 0; the others follow. */
  public static final int BAR0_REGION = 0;

  /** Region: BAR 5. */
  public static final int BAR5_REGION = 5;

  /** Region: expansion ROM. */
  public static final int ROM_REGION = 6;

  /** Region: configuration space. */
  public static final int CONFIG_REGION = 7;

  /** Region: VGA. */
  public static final int VGA_REGION = 8;

  /** Regions of a PCI device. */
  public static final int NUM_REGIONS = 9;

  /** Interrupt: pin. */
  public static final int INTX_IRQ = 0;

  /** Interrupt: MSI. */
  public static final int MSI_IRQ = 1;

  /** Interrupt: MSI-X. */
  public static final int MSIX_IRQ = 2;

  /** Interrupt: the device failed. */
  public static final int ERR_IRQ = 3;

  /** Interrupt: the device is to be given back. */
  public static final int REQ_IRQ = 4;

  /** Kinds of interrupt of a PCI device. */
  public static final int NUM_IRQS = 5;

  private VfioPci() {}
}
