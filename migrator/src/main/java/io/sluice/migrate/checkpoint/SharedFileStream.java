package io.sluice.migrate.checkpoint;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A stream of a file that others read, too: it has a place of its own, and the file stays open when
 * it ends. Whoever reads by the same channel reads the same file, also when another one has got its
 * name meanwhile.
 */
final class SharedFileStream extends InputStream {
  private static final int BUFFER_BYTES = 1 << 20;

  private final FileChannel file; // its owner's
  private long position;

  private SharedFileStream(FileChannel file) {
    this.file = file;
  }

  /** A buffered stream from the beginning of a file. */
  static InputStream of(FileChannel file) {
    return new BufferedInputStream(new SharedFileStream(file), BUFFER_BYTES);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
  }

  @Override
  public int read(byte[] into, int from, int most) throws IOException {
    int count = file.read(ByteBuffer.wrap(into, from, most), position);
    position += Math.max(count, 0);
    return count;
  }
}
