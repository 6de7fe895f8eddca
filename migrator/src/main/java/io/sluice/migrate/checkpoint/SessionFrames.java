package io.sluice.migrate.checkpoint;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The frames of a session's stream, as far as a file must know them: where each ends, and which of
 * them ask the reader something. docs/session-protocol.md, "State", has them all.
 */
final class SessionFrames {
  /** Bytes before a frame's fields: u32 bytes, these included; u16 type; u16 0. */
  static final int HEADER_BYTES = 8;

  /** The answer that goes on. */
  static final int READY = 17;

  /** The answer that has a list of what is in the way. */
  static final int REFUSED = 18;

  private static final int PREPARED = 14;
  private static final int COMPLETE = 15;
  private static final int MOST_BYTES = 16 << 20;

  private final ByteBuffer header =
      ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private int left; // of the frame whose header is there
  private boolean complete;

  /**
   * Takes bytes of the stream, up to the end of the next frame that asks something.
   *
   * @return whether there is one
   * @throws RefusedException when there can be no such frames
   */
  boolean take(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      if (complete) {
        throw refused("goes on behind its end");
      }
      if (header.hasRemaining()) {
        takeHeader(bytes);
      } else {
        int some = Math.min(left, bytes.remaining());
        bytes.position(bytes.position() + some);
        left -= some;
      }
      if (!header.hasRemaining() && left == 0 && end()) {
        return true;
      }
    }
    return false;
  }

  private void takeHeader(ByteBuffer bytes) {
    while (header.hasRemaining() && bytes.hasRemaining()) {
      header.put(bytes.get());
    }
    if (!header.hasRemaining()) {
      left = length(header) - HEADER_BYTES;
    }
  }

  /**
   * Bytes of a frame.
   *
   * @throws RefusedException when none has so many
   */
  static int length(ByteBuffer header) {
    int bytes = header.getInt(0);
    if (bytes < HEADER_BYTES || bytes > MOST_BYTES || header.getShort(6) != 0) {
      throw refused("has a frame of " + Integer.toUnsignedString(bytes) + " bytes");
    }
    return bytes;
  }

  /** The kind of a frame. */
  static int type(ByteBuffer header) {
    return header.getShort(4) & 0xffff;
  }

  private boolean end() {
    int type = type(header);
    header.clear();
    complete = type == COMPLETE;
    return complete || type == PREPARED;
  }

  /** Whether the session is there whole. */
  boolean isComplete() {
    return complete;
  }

  /** The frame that lets the writer go on. */
  static ByteBuffer ready() {
    ByteBuffer frame = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    return frame.putInt(HEADER_BYTES).putShort((short) READY).putShort((short) 0).flip();
  }

  private static RefusedException refused(String what) {
    return new RefusedException(
        CheckpointCode.SESSION, Errno.EPROTO, "the stream of an API session " + what, "");
  }
}
