package io.sluice.migrate.qemu;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.qmp.PciAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The messages between the two sides of a machine, little-endian.
 *
 * <pre>
 *   description: u32 1 (version); u32 bus, slot, function of the virtual device
 *   configuration (MACHINE frame): u32 1 (kind); u64 address of the memory-mapped configuration space
 * </pre>
 */
final class MachineMessages {
  private static final int VERSION = 1;
  private static final int DESCRIPTION_BYTES = 16;
  private static final int CONFIGURATION = 1;
  private static final int CONFIGURATION_BYTES = 12;

  /** Firmware places it so, and no higher than processors can address. */
  private static final long CONFIGURATION_ALIGNMENT = 1L << 20;

  private static final long MAX_CONFIGURATION = 1L << 52;

  private MachineMessages() {}

  static ByteBuffer description(PciAddress address) {
    return ByteBuffer.allocate(DESCRIPTION_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(VERSION)
        .putInt(address.bus())
        .putInt(address.slot())
        .putInt(address.function())
        .flip();
  }

  static RefusedException unfit(int parts) {
    return new RefusedException(
        MigrationCode.DEVICE_PARTS,
        Errno.EPROTO,
        "a device does not come in one part, parts=" + parts,
        "");
  }

  static ByteBuffer configuration(long address) {
    return ByteBuffer.allocate(CONFIGURATION_BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(CONFIGURATION)
        .putLong(address)
        .flip();
  }

  /** Where the machine that comes has its configuration space, as the peer says. */
  static long configuration(ByteBuffer message) {
    ByteBuffer in = message.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    if (in.remaining() == CONFIGURATION_BYTES && in.getInt() == CONFIGURATION) {
      long address = in.getLong();
      if (address > 0 && address < MAX_CONFIGURATION && address % CONFIGURATION_ALIGNMENT == 0) {
        return address;
      }
    }
    throw new RefusedException(
        MigrationCode.MACHINE_MESSAGE,
        Errno.EPROTO,
        "the source says of its machine what is not to be understood, bytes=" + message.remaining(),
        "Migrate between daemons of the same or neighbouring versions.");
  }

  static PciAddress address(ByteBuffer description) {
    ByteBuffer in = description.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    if (in.remaining() != DESCRIPTION_BYTES || in.getInt() != VERSION) {
      throw new RefusedException(
          MigrationCode.MACHINE_MESSAGE,
          Errno.EPROTO,
          "the source describes its machine in a way that is not known here, bytes="
              + description.remaining(),
          "Migrate between daemons of the same or neighbouring versions.");
    }
    return new PciAddress(in.getInt(), in.getInt(), in.getInt());
  }
}
