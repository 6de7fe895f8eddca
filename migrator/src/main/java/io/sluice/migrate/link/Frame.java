package io.sluice.migrate.link;

import io.sluice.channel.record.SectionHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A frame, which one side of a migration sends the other.
 *
 * @param type kind
 * @param version of the payload's layout, not 0
 * @param payload at most {@link SectionHeader#MAX_PAYLOAD_BYTES}, from position to limit; nobody
 *     changes its bytes, nor its position, once a frame has it
 */
public record Frame(FrameType type, int version, ByteBuffer payload) {
  /** Refuses what no frame is. */
  public Frame {
    if (version == 0 || payload.remaining() > SectionHeader.MAX_PAYLOAD_BYTES) {
      throw new IllegalArgumentException(
          "no frame, type=" + type + " version=" + version + " bytes=" + payload.remaining());
    }
  }

  /** A frame without payload, of layout version 1. */
  public static Frame of(FrameType type) {
    return new Frame(type, 1, ByteBuffer.allocate(0));
  }

  /** A frame of layout version 1. */
  public static Frame of(FrameType type, ByteBuffer payload) {
    return new Frame(type, 1, payload);
  }

  /** The payload to be read, little-endian, with a position of its own. */
  public ByteBuffer reader() {
    return payload.asReadOnlyBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Whether it travels on a stream of pages. */
  public boolean isOfPages() {
    return type == FrameType.PAGES
        || type == FrameType.ZEROS
        || type == FrameType.BARRIER
        || type == FrameType.PROBE;
  }

  /** Bytes on the wire: the payload with its section's head. */
  public int sizeBytes() {
    return SectionHeader.BYTES + payload.remaining();
  }
}
