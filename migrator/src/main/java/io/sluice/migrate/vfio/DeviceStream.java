package io.sluice.migrate.vfio;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.MigrationCode;
import java.nio.charset.StandardCharsets;

/**
 * The bytes that a client carries from one device to another. It cuts them wherever it likes.
 *
 * <pre>
 *  section 0x1f3 version 1: "sluice device"
 *  the engine's frames, each a section, in the order in which they were sent
 *  section 0x1f4 version 1: u64 how many sections came before
 * </pre>
 */
final class DeviceStream {
  static final int HEAD = 0x1f3;
  static final int END = 0x1f4;
  static final int VERSION = 1;

  /** What the head says. */
  static final String MAGIC = "sluice device";

  private DeviceStream() {}

  static Section head() {
    return new Section(HEAD, VERSION, MAGIC.getBytes(StandardCharsets.US_ASCII));
  }

  static RefusedException bad(String how) {
    return new RefusedException(
        MigrationCode.DEVICE_DATA,
        Errno.EPROTO,
        "the data are no device's state: " + how,
        "Write all that was read of one device, in that order, and nothing else.");
  }
}
