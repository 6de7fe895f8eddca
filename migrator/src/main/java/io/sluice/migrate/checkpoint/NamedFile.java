package io.sluice.migrate.checkpoint;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The opening of a file that somebody else names. Who can write beside it can put a FIFO or a
 * device there at any time, whose opening may last for ever, or do something. So what has the name
 * is taken hold of first, which waits for nothing, and opened when it is known to be a file.
 */
final class NamedFile {
  /** {@code O_PATH}. */
  private static final int ITSELF = 0x200000;

  /** {@code O_PATH | O_NOFOLLOW}. */
  private static final int LINK_ITSELF = 0x220000;

  private NamedFile() {}

  /**
   * Opens a file.
   *
   * @param how to read or to write
   * @param links none to follow them
   * @throws IOException when it cannot be opened, or is something else
   */
  static FileChannel open(Kernel kernel, Path file, StandardOpenOption how, LinkOption... links)
      throws IOException {
    try (Fd held = kernel.open(file, links.length == 0 ? ITSELF : LINK_ITSELF)) {
      if (!kernel.fstat(held).isRegular()) {
        throw new FileSystemException(file.toString(), null, "it is no file");
      }
      return FileChannel.open(FilePlace.path(held), how);
    } catch (AccessDeniedException _) {
      throw new AccessDeniedException(file.toString()); // by its name
    } catch (SyscallException e) {
      if (e.is(Errno.ENOENT)) {
        throw new NoSuchFileException(file.toString());
      }
      throw e.is(Errno.EACCES)
          ? new AccessDeniedException(file.toString())
          : new FileSystemException(file.toString(), null, Errno.nameOf(e.errno()));
    }
  }
}
