package io.sluice.vdevice.dma;

import io.sluice.abi.Errno;
import io.sluice.abi.ErrorEntry;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.Kernel;

/**
 * The checks on a file that a client shares as guest memory. A client that could shorten it, or
 * whose file blocks on access, could take the daemon down or hold it up; only files of tmpfs and
 * hugetlbfs that can never shrink pass.
 */
public final class SharedFileCheck {
  private static final long TMPFS_MAGIC = 0x01021994L;
  private static final long HUGETLBFS_MAGIC = 0x958458f6L;

  private static final String REMEDY =
      "Give the machine its memory with -object memory-backend-memfd,share=on"
          + " (or a process a sealable memfd).";

  private SharedFileCheck() {}

  /**
   * Checks a descriptor and seals its file against shrinking.
   *
   * @return bytes of addresses that mapping it takes: those of the file's pages in which the range
   *     is, which on hugetlbfs are up to a GiB each
   * @throws RefusedException EINVAL: another kind of file, too short, or it cannot be sealed
   */
  public static long check(Kernel kernel, Fd fd, long offset, long sizeBytes) {
    int seals = seals(kernel, fd);
    FileStatus status = kernel.fstat(fd);
    if (!status.isRegular()) {
      throw refused(DmaCode.NOT_A_FILE, "shared memory is not a regular file", status.mode());
    }
    long type = kernel.fileSystemType(fd);
    if (type != TMPFS_MAGIC && type != HUGETLBFS_MAGIC) {
      throw refused(DmaCode.FILE_SYSTEM, "shared memory is not on tmpfs or hugetlbfs", type);
    }
    if (offset < 0 || sizeBytes < 0 || sizeBytes > status.sizeBytes() - offset) {
      throw refused(DmaCode.TOO_SHORT, "the file is shorter than the map", status.sizeBytes());
    }
    long mappedBytes = type == HUGETLBFS_MAGIC ? pages(kernel, fd, offset, sizeBytes) : sizeBytes;
    if ((seals & Kernel.F_SEAL_SHRINK) != 0) {
      return mappedBytes;
    }
    if ((seals & Kernel.F_SEAL_SEAL) != 0) {
      throw refused(DmaCode.CAN_SHRINK, "the file can shrink and cannot be sealed", seals);
    }
    kernel.addSeals(fd, Kernel.F_SEAL_SHRINK);
    // It may have been shortened between the look at its length and the seal.
    if (sizeBytes > kernel.fstat(fd).sizeBytes() - offset) {
      throw refused(DmaCode.TOO_SHORT, "the file is shorter than the map", status.sizeBytes());
    }
    return mappedBytes;
  }

  /** The range lies in the file, whose length is no more than a few pages from the largest. */
  private static long pages(Kernel kernel, Fd fd, long offset, long sizeBytes) {
    long pageBytes = kernel.pageBytes(fd);
    long first = offset / pageBytes;
    return (Math.ceilDiv(offset + sizeBytes, pageBytes) - first) * pageBytes;
  }

  /**
   * Asked first, and of every file: the kernel answers by itself, and for files in memory alone.
   * Whatever else is asked of another file, its file system answers, when it likes.
   */
  private static int seals(Kernel kernel, Fd fd) {
    try {
      return kernel.getSeals(fd);
    } catch (SyscallException e) {
      if (e.errno() != Errno.EINVAL.number() && e.errno() != Errno.EBADF.number()) {
        throw e;
      }
      throw refused(DmaCode.NOT_SEALABLE, "shared memory is no file that can be sealed", e.errno());
    }
  }

  private static RefusedException refused(ErrorEntry code, String what, long value) {
    return new RefusedException(
        code, Errno.EINVAL, what + ", value=0x" + Long.toHexString(value), REMEDY);
  }
}
