package io.sluice.migrate.engine;

import io.sluice.abi.Errno;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;
import java.nio.ByteBuffer;

/** The fields of control frames. */
final class Payload {
  private Payload() {}

  /** A frame of fields. */
  static Frame frame(FrameType type, FieldWriter fields) {
    return Frame.of(type, ByteBuffer.wrap(fields.toBytes()));
  }

  /** The fields of a frame of the peer's. */
  static FieldReader reader(Frame frame) {
    FieldReader in = new FieldReader(frame.reader(), (_, what) -> refused(frame, what));
    in.require(frame.version() == 1, "has a layout that nobody knows");
    return in;
  }

  /** What says that a frame of the peer's is not to be accepted. */
  static RefusedException refused(Frame frame, String what) {
    return new RefusedException(
        MigrationCode.PAYLOAD,
        Errno.EPROTO,
        "a frame is damaged: "
            + what
            + ", type="
            + frame.type()
            + " bytes="
            + frame.payload().remaining(),
        "Both sides must run the same version of Sluice, or neighbouring ones.");
  }
}
