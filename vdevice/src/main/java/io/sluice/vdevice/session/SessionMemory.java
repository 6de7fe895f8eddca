package io.sluice.vdevice.session;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.sys.Fd;

/**
 * A segment of guest memory: pieces of files, one behind the other.
 *
 * @param files owned
 */
public record SessionMemory(ImmutableList<Fd> files, ImmutableList<FileRange> pieces)
    implements AutoCloseable {
  /** Most files of a segment: they travel with one message, as do two eventfds. */
  public static final int MAX_FILES = 8;

  /** Most pieces of a segment. */
  public static final int MAX_PIECES = 2048;

  /**
   * A part of a file, in whole pages.
   *
   * @param file index in {@link #files}
   */
  public record FileRange(int file, long offset, long bytes) {}

  /** Bytes of all pieces. */
  public long bytes() {
    return pieces.stream().mapToLong(FileRange::bytes).sum();
  }

  @Override
  public void close() {
    files.forEach(Fd::close);
  }
}
