package io.sluice.migrate.qemu;

import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.qmp.PciAddress;
import java.nio.ByteBuffer;

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
  private static final int CONFIGURATION = 1;

  /** Firmware places it so, and no higher than processors can address. */
  private static final long CONFIGURATION_ALIGNMENT = 1L << 20;

  private static final long MAX_CONFIGURATION = 1L << 52;

  private MachineMessages() {}

  static ByteBuffer description(PciAddress address) {
    return ByteBuffer.wrap(
        new FieldWriter()
            .bits(VERSION)
            .bits(address.bus())
            .bits(address.slot())
            .bits(address.function())
            .toBytes());
  }

  static RefusedException unfit(int parts) {
    return new RefusedException(
        MigrationCode.DEVICE_PARTS,
        Errno.EPROTO,
        "a device does not come in one part, parts=" + parts,
        "");
  }

  static ByteBuffer configuration(long address) {
    return ByteBuffer.wrap(new FieldWriter().bits(CONFIGURATION).u64(address).toBytes());
  }

  /** Where the machine that comes has its configuration space, as the peer says. */
  static long configuration(ByteBuffer message) {
    FieldReader in = reader(message, "the source says of its machine what is not to be understood");
    in.require(in.bits() == CONFIGURATION, "it is a configuration's");
    long address = in.u64();
    in.require(
        address > 0 && address < MAX_CONFIGURATION && address % CONFIGURATION_ALIGNMENT == 0,
        "a configuration space is where firmware places it");
    in.end();
    return address;
  }

  static PciAddress address(ByteBuffer description) {
    FieldReader in =
        reader(description, "the source describes its machine in a way that is not known here");
    in.require(in.bits() == VERSION, "the version is " + VERSION);
    PciAddress address = new PciAddress(in.bits(), in.bits(), in.bits());
    in.end();
    return address;
  }

  private static FieldReader reader(ByteBuffer message, String failed) {
    return new FieldReader(
        message,
        (_, what) ->
            new RefusedException(
                MigrationCode.MACHINE_MESSAGE,
                Errno.EPROTO,
                failed + ", bytes=" + message.remaining() + ": " + what,
                "Migrate between daemons of the same or neighbouring versions."));
  }
}
