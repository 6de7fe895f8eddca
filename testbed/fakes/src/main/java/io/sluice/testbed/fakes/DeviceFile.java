package io.sluice.testbed.fakes;

import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.Kernel;
import java.nio.file.Path;

/** A device node whose driver is a test's. */
final class DeviceFile extends OpenFile {
  private static final long DEVTMPFS_MAGIC = 0x01021994;
  private static final int S_IFCHR_0666 = 0x21b6;

  final DeviceDriver driver;

  DeviceFile(Path path, long inode, DeviceDriver driver) {
    super(path.toString(), inode);
    this.driver = driver;
  }

  @Override
  int readiness() {
    return Kernel.POLLIN | Kernel.POLLOUT;
  }

  @Override
  FileStatus status() {
    return new FileStatus(4, inode, S_IFCHR_0666, 0, 0);
  }

  @Override
  long fileSystemType() {
    return DEVTMPFS_MAGIC;
  }
}
