package io.sluice.vdevice.state;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.vdevice.protocol.Limits;

/**
 * The words that the guest has written to the PCI function, which its machine must be told when the
 * device is another process's.
 */
public final class PciState {
  /** Bytes of the MSI-X table. */
  public static final int MSIX_TABLE_BYTES = 16 * Limits.MAX_VECTORS;

  /** Where in BAR 0 the MSI-X table is. */
  public static final int MSIX_TABLE_OFFSET = GuestAbi.BAR0_MSIX_TABLE;

  /** Offset of the MSI-X capability in configuration space. */
  public static final int MSIX_CAPABILITY = 0x40;

  /** Offset of the MSI-X control word in configuration space. */
  public static final int MSIX_CONTROL = MSIX_CAPABILITY + 2;

  /** Bit of the MSI-X control word. */
  public static final int MSIX_ENABLE = 0x8000;

  /** Offset of the command word. */
  public static final int COMMAND = 0x04;

  /** Bit of the command word. */
  public static final int BUS_MASTER = 0x4;

  /** Bytes of configuration space. */
  public static final int CONFIG_BYTES = 256;

  private static final int FIRST_BAR = 0x10;
  private static final int BARS = 6;

  private final byte[] config;
  private final byte[] msixTable;

  /**
   * @param config {@link #CONFIG_BYTES}; copied
   * @param msixTable {@link #MSIX_TABLE_BYTES}; copied
   */
  public PciState(byte[] config, byte[] msixTable) {
    if (config.length != CONFIG_BYTES || msixTable.length != MSIX_TABLE_BYTES) {
      throw DeviceState.damaged("a PCI function of another size");
    }
    this.config = config.clone();
    this.msixTable = msixTable.clone();
  }

  /** Configuration space; a copy. */
  public byte[] config() {
    return config.clone();
  }

  /** The MSI-X table; a copy. */
  public byte[] msixTable() {
    return msixTable.clone();
  }

  /** A 16-bit word of configuration space. */
  public int word(int offset) {
    return config[offset] & 0xff | (config[offset + 1] & 0xff) << 8;
  }

  /** Offset of a base address register in configuration space. */
  public static int barOffset(int bar) {
    return FIRST_BAR + 4 * bar;
  }

  /** A base address register. */
  public int bar(int bar) {
    if (bar < 0 || bar >= BARS) {
      throw new IndexOutOfBoundsException(bar);
    }
    int at = barOffset(bar);
    return word(at) | word(at + 2) << 16;
  }

  /** The bus address of BAR 0, which is 32 bits wide. */
  public long registersAddress() {
    return Integer.toUnsignedLong(bar(GuestAbi.BAR_REGISTERS)) & ~0xfL;
  }

  /** Whether the guest lets the device access memory. */
  public boolean isBusMaster() {
    return (word(COMMAND) & BUS_MASTER) != 0;
  }

  /** Whether the guest has MSI-X enabled. */
  public boolean usesMsix() {
    return (word(MSIX_CONTROL) & MSIX_ENABLE) != 0;
  }
}
