package io.sluice.vdevice.pci;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.vdevice.state.PciState;
import io.sluice.vdevice.state.SessionRecord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The 256 bytes of PCI configuration space of a Sluice device (PCI Local Bus 3.0, chapter 6).
 *
 * <p>What a register holds after reset and which of its bits can be written is a table. Sizing of a
 * base address register needs no code: the address bits below the size are simply not writable.
 *
 * <p>Nothing here acts: the client emulates decoding, and says by SET_IRQS when MSI-X changes. Used
 * by the connection's thread only.
 */
public final class PciConfigSpace implements DeviceRegion {
  static final int VENDOR_CAPABILITY = 0x50;

  private static final int CAPABILITY_ID_MSIX = 0x11;
  private static final int CAPABILITY_ID_VENDOR = 0x09;
  private static final int VENDOR_CAPABILITY_BYTES = 0x14;

  /** Memory space, bus master, parity error response, SERR, INTx disable. */
  private static final int COMMAND_WRITABLE = 0x0546;

  private static final int STATUS_CAPABILITIES = 0x0010;
  private static final int MSIX_ENABLE_AND_MASK = 0xc000;
  private static final int BAR_64BIT = 0x4;
  private static final int BAR_PREFETCHABLE = 0x8;

  /**
   * A register.
   *
   * @param offset byte offset
   * @param bytes width: 1, 2 or 4
   * @param reset value after reset
   * @param writable bits that can be written
   */
  record Register(int offset, int bytes, int reset, int writable) {}

  /**
   * The identity that the table is made from.
   *
   * @param bars the regions of BAR 0 to 5
   * @param vectors MSI-X vectors
   * @param abiVersion {@code major << 16 | minor} of the guest ABI
   * @param capabilities SLUICE_CAP_*
   */
  public record Identity(
      ImmutableList<? extends DeviceRegion> bars, int vectors, int abiVersion, long capabilities) {}

  private final byte[] reset = new byte[PciState.CONFIG_BYTES];
  private final byte[] writable = new byte[PciState.CONFIG_BYTES];
  private final byte[] values = new byte[PciState.CONFIG_BYTES];

  public PciConfigSpace(Identity identity) {
    for (Register register : registers(identity)) {
      for (int i = 0; i < register.bytes(); i++) {
        reset[register.offset() + i] = (byte) (register.reset() >>> (8 * i));
        writable[register.offset() + i] = (byte) (register.writable() >>> (8 * i));
      }
    }
    reset();
  }

  private static ImmutableList<Register> registers(Identity identity) {
    ImmutableList.Builder<Register> table = ImmutableList.builder();
    table.add(
        new Register(0x00, 2, GuestAbi.PCI_VENDOR, 0),
        new Register(0x02, 2, GuestAbi.PCI_DEVICE, 0),
        new Register(0x04, 2, 0, COMMAND_WRITABLE),
        new Register(0x06, 2, STATUS_CAPABILITIES, 0),
        new Register(0x08, 4, GuestAbi.PCI_CLASS << 8 | GuestAbi.PCI_REVISION, 0),
        new Register(0x0c, 1, 0, 0xff), // cache line size
        new Register(0x2c, 2, GuestAbi.PCI_VENDOR, 0), // subsystem
        new Register(0x2e, 2, GuestAbi.PCI_DEVICE, 0),
        new Register(0x34, 1, PciState.MSIX_CAPABILITY, 0),
        new Register(0x3c, 1, 0, 0xff), // interrupt line; pin 0x3d reads 0: no INTx
        new Register(PciState.MSIX_CAPABILITY, 1, CAPABILITY_ID_MSIX, 0),
        new Register(PciState.MSIX_CAPABILITY + 1, 1, VENDOR_CAPABILITY, 0),
        new Register(PciState.MSIX_CAPABILITY + 2, 2, identity.vectors() - 1, MSIX_ENABLE_AND_MASK),
        new Register(
            PciState.MSIX_CAPABILITY + 4, 4, GuestAbi.BAR0_MSIX_TABLE | GuestAbi.BAR_REGISTERS, 0),
        new Register(
            PciState.MSIX_CAPABILITY + 8, 4, GuestAbi.BAR0_MSIX_PBA | GuestAbi.BAR_REGISTERS, 0),
        new Register(VENDOR_CAPABILITY, 1, CAPABILITY_ID_VENDOR, 0),
        new Register(VENDOR_CAPABILITY + 2, 1, VENDOR_CAPABILITY_BYTES, 0),
        new Register(VENDOR_CAPABILITY + 4, 4, GuestAbi.MAGIC, 0),
        new Register(VENDOR_CAPABILITY + 8, 4, identity.abiVersion(), 0),
        new Register(VENDOR_CAPABILITY + 0xc, 4, (int) identity.capabilities(), 0),
        new Register(VENDOR_CAPABILITY + 0x10, 4, (int) (identity.capabilities() >>> 32), 0));
    addBars(table, identity.bars());
    return table.build();
  }

  private static void addBars(
      ImmutableList.Builder<Register> table, ImmutableList<? extends DeviceRegion> bars) {
    for (int i = 0; i < bars.size(); i++) {
      long size = bars.get(i).sizeBytes();
      if (size == 0) {
        continue;
      }
      long address = -size;
      if (i == GuestAbi.BAR_VRAM) {
        table.add(new Register(0x10 + 4 * i, 4, BAR_64BIT | BAR_PREFETCHABLE, (int) address));
        table.add(new Register(0x14 + 4 * i, 4, 0, (int) (address >>> 32)));
      } else {
        table.add(new Register(0x10 + 4 * i, 4, 0, (int) address));
      }
    }
  }

  /** All registers as after power-on. */
  public void reset() {
    System.arraycopy(reset, 0, values, 0, PciState.CONFIG_BYTES);
  }

  /** All registers; a copy. */
  public byte[] bytes() {
    return values.clone();
  }

  /** Becomes the function of a device that was taken over; what cannot be written is the same. */
  public void restore(byte[] others) {
    for (int i = 0; i < PciState.CONFIG_BYTES; i++) {
      SessionRecord.require(
          ((values[i] ^ others[i]) & ~writable[i]) == 0, "a register that cannot be written");
    }
    System.arraycopy(others, 0, values, 0, PciState.CONFIG_BYTES);
  }

  @Override
  public long sizeBytes() {
    return PciState.CONFIG_BYTES;
  }

  @Override
  public void read(long offset, MemorySegment into, long at, int count) {
    MemorySegment.copy(values, (int) offset, into, ValueLayout.JAVA_BYTE, at, count);
  }

  @Override
  public void write(long offset, MemorySegment from, long at, int count) {
    for (int i = 0; i < count; i++) {
      int index = (int) offset + i;
      int mask = writable[index];
      int written = from.get(ValueLayout.JAVA_BYTE, at + i);
      values[index] = (byte) (values[index] & ~mask | written & mask);
    }
  }
}
