package io.sluice.migrate.checkpoint;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The place of a file that somebody else names: an open directory, and a name in it. Who can write
 * beside it can put a link, or another directory, where that one was; what is made here is made in
 * the one that was opened, and looked at, all the same. One thread at a time uses it.
 */
public final class FilePlace implements AutoCloseable {
  /** {@code O_PATH | O_DIRECTORY}. */
  private static final int DIRECTORY_ONLY = 0x210000;

  /** {@code O_WRONLY | O_CREAT | O_EXCL}. */
  private static final int NEW_ONLY = 0xc1;

  private final Kernel kernel;
  private final Path file;
  private final Fd directory;

  private FilePlace(Kernel kernel, Path file, Fd directory) {
    this.kernel = kernel;
    this.file = file;
    this.directory = directory;
  }

  /**
   * Opens the directory of a file, whatever links lead there.
   *
   * @param file absolute, and no directory by its name
   * @throws RefusedException when there is no such directory, or it is not to be entered
   */
  public static FilePlace open(Kernel kernel, Path file) {
    Path parent = file.getParent();
    Path name = file.getFileName();
    if (parent == null || name == null || name.toString().matches("\\.{0,2}")) {
      throw refused(file, "it is no name of a file");
    }
    try {
      return new FilePlace(kernel, file, kernel.open(parent, DIRECTORY_ONLY));
    } catch (SyscallException e) {
      throw refused(
          file,
          e.errno() == Errno.ENOENT.number()
              ? "there is no directory " + parent
              : e.errno() == Errno.ENOTDIR.number()
                  ? parent + " is no directory"
                  : e.errno() == Errno.EACCES.number()
                      ? "the daemon's user may not enter " + parent
                      : Errno.nameOf(e.errno()));
    }
  }

  private static RefusedException refused(Path file, String why) {
    return new RefusedException(
        CheckpointCode.WRITE,
        Errno.EIO,
        "the checkpoint cannot be written, " + file + ": " + why,
        "See to the room on that disk and the permissions of the directory.");
  }

  /** The file as it was named, for people. */
  public Path named() {
    return file;
  }

  /** As {@link #named}, with an ending. */
  Path named(String ending) {
    return file.resolveSibling(file.getFileName() + ending);
  }

  /** The file, without links, where its directory is now. */
  public Path real() throws IOException {
    return Files.readSymbolicLink(directory()).resolve(file.getFileName());
  }

  /** The file in the open directory; of a link of that name, the link. */
  Path used(String ending) {
    return directory().resolve(file.getFileName() + ending);
  }

  /** The open directory. */
  Path directory() {
    return path(directory);
  }

  /** An open file, whatever has its name by now. */
  static Path path(Fd open) {
    return Path.of("/proc/self/fd", Integer.toString(open.number()));
  }

  /**
   * Makes a file, which only its owner can read.
   *
   * @throws IOException when it cannot be made, or there is something of that name
   */
  Fd make(String ending) throws IOException {
    try {
      return kernel.open(used(ending), NEW_ONLY);
    } catch (SyscallException e) {
      throw e.errno() == Errno.EACCES.number()
          ? new AccessDeniedException(named(ending).toString())
          : new FileSystemException(named(ending).toString(), null, Errno.nameOf(e.errno()));
    }
  }

  /**
   * Opens the file that is there; no link.
   *
   * @throws IOException when it cannot be opened, or is something else
   */
  FileChannel openThere(String ending, StandardOpenOption how) throws IOException {
    return NamedFile.open(kernel, used(ending), how, LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public void close() {
    directory.close();
  }
}
