package io.sluice.migrate.qemu;

import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Errno;
import io.sluice.vdevice.machine.PciAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the two sides of a machine tell each other, little-endian.
 *
 * <pre>
 *   description: u32 1 (version); u32 bus, slot, function of the virtual device
 * </pre>
 */
final class MachineMessages {
  private static final int VERSION = 1;
  private static final int DESCRIPTION_BYTES = 16;

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
        "SLU-MIG-043", Errno.EPROTO, "a device does not come in one part, parts=" + parts, "");
  }

  static PciAddress address(ByteBuffer description) {
    ByteBuffer in = description.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    if (in.remaining() != DESCRIPTION_BYTES || in.getInt() != VERSION) {
      throw new RefusedException(
          "SLU-MIG-040",
          Errno.EPROTO,
          "the source describes its machine in a way that is not known here, bytes="
              + description.remaining(),
          "Migrate between daemons of the same or neighbouring versions.");
    }
    return new PciAddress(in.getInt(), in.getInt(), in.getInt());
  }
}
