package io.sluice.abi.vfio;

/** Indexes of the regions and interrupts of a PCI device. Source: linux/vfio.h. */
public final class VfioPci {
  /** Region: BAR 0; the others follow. */
  public static final int BAR0_REGION = 0;

  /** Regions of a PCI device. */
  public static final int NUM_REGIONS = 9;

  /** Interrupt: MSI-X. */
  public static final int MSIX_IRQ = 2;

  /** Kinds of interrupt of a PCI device. */
  public static final int NUM_IRQS = 5;

  private VfioPci() {}
}
