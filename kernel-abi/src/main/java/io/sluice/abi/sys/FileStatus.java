package io.sluice.abi.sys;

/**
 * The status of a file by {@code fstat(2)}, as far as Sluice asks.
 *
 * @param device number of the device the file is on
 * @param inode inode number
 * @param mode file type and permissions, {@code st_mode}
 * @param sizeBytes length in bytes
 * @param blocks allocated blocks of 512 bytes
 */
public record FileStatus(long device, long inode, int mode, long sizeBytes, long blocks) {
  private static final int S_IFMT = 0xf000;
  private static final int S_IFREG = 0x8000;

  /** Bytes the file has allocated. */
  public long allocatedBytes() {
    return blocks * 512;
  }

  /** Whether it is a regular file. */
  public boolean isRegular() {
    return (mode & S_IFMT) == S_IFREG;
  }
}
