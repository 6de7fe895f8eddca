package io.sluice.migrate.qmp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;

/** A reader that cuts a stream into lines of bounded length. */
final class LineReader {
  private static final int CHUNK_BYTES = 8192;

  private final ReadableByteChannel in;
  private final int maxBytes;
  private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES).flip();
  private byte[] line = new byte[CHUNK_BYTES];
  private int length;
  private boolean tooLong;

  LineReader(ReadableByteChannel in, int maxBytes) {
    this.in = in;
    this.maxBytes = maxBytes;
  }

  /**
   * Reads the next line that is not empty.
   *
   * @return false at the end of the stream, or at a line that is too long; a last line without its
   *     end is not one
   */
  boolean next() throws IOException {
    length = 0;
    while (true) {
      if (!chunk.hasRemaining()) {
        chunk.clear();
        int read = in.read(chunk);
        chunk.flip();
        if (read < 0) {
          return false;
        }
        continue;
      }
      byte one = chunk.get();
      if (one == '\n') {
        if (length > 0) {
          return true;
        }
      } else if (one != '\r') {
        if (length == maxBytes) {
          tooLong = true;
          return false;
        }
        append(one);
      }
    }
  }

  private void append(byte one) {
    if (length == line.length) {
      line = Arrays.copyOf(line, Math.min(maxBytes, 2 * length));
    }
    line[length++] = one;
  }

  /** Holds the line; valid until the next one. */
  byte[] bytes() {
    return line;
  }

  /** Bytes of the line. */
  int length() {
    return length;
  }

  /** Whether {@link #next} ended for a line that was too long. */
  boolean isTooLong() {
    return tooLong;
  }
}
