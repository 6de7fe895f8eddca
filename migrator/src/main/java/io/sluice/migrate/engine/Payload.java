package io.sluice.migrate.engine;

import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes the payload of a control frame, little-endian. */
final class Payload {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  Payload u32(int value) {
    for (int i = 0; i < Integer.SIZE; i += Byte.SIZE) {
      out.write(value >>> i);
    }
    return this;
  }

  Payload u64(long value) {
    return u32((int) value).u32((int) (value >>> Integer.SIZE));
  }

  /** Length and bytes. */
  Payload bytes(ByteBuffer value) {
    u32(value.remaining());
    return raw(value);
  }

  /** Bytes without their length: the last field. */
  Payload raw(ByteBuffer value) {
    byte[] copy = new byte[value.remaining()];
    value.duplicate().get(copy);
    out.writeBytes(copy);
    return this;
  }

  Payload text(String value) {
    return bytes(ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
  }

  Frame frame(FrameType type) {
    return Frame.of(type, ByteBuffer.wrap(out.toByteArray()));
  }
}
