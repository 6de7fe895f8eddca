package io.sluice.daemon.sessions;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * A directory that is open: what is done by it is done in that one, whatever a session host has put
 * in its place meanwhile. No link is followed on the way from one to another in it.
 */
final class HeldDirectory implements AutoCloseable {
  /** {@code O_PATH | O_NOFOLLOW | O_DIRECTORY}: it may be one that nobody may read. */
  private static final int DIRECTORY_ITSELF = 0x230000;

  private final Kernel kernel;
  private final Fd fd;

  private HeldDirectory(Kernel kernel, Fd fd) {
    this.kernel = kernel;
    this.fd = fd;
  }

  /**
   * Opens a directory by its path.
   *
   * @throws IOException when it is a link, something else, or not there
   */
  static HeldDirectory open(Kernel kernel, Path path) throws IOException {
    try {
      return new HeldDirectory(kernel, kernel.open(path, DIRECTORY_ITSELF));
    } catch (SyscallException e) {
      throw new IOException(e);
    }
  }

  /** Opens one in this one. */
  HeldDirectory child(Path name) throws IOException {
    return open(kernel, path().resolve(name));
  }

  /** A path of it, as long as it is open. */
  Path path() {
    return Path.of("/proc/self/fd", Integer.toString(fd.number()));
  }

  /** Changes what may be done with it. */
  void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
    Path _ = Files.setPosixFilePermissions(path(), permissions);
  }

  /**
   * Removes a file, a link, or an empty directory.
   *
   * @param file below this one, all of whose directories are to be directories
   */
  void remove(Path file) throws IOException {
    if (file.getNameCount() == 1) {
      boolean _ = Files.deleteIfExists(path().resolve(file));
      return;
    }
    try (HeldDirectory next = child(file.getName(0))) {
      next.remove(file.subpath(1, file.getNameCount()));
    }
  }

  @Override
  public void close() {
    fd.close();
  }
}
