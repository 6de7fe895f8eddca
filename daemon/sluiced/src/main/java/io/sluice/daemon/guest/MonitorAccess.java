package io.sluice.daemon.guest;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.AccessList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.daemon.config.GuestSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rights at machines' monitors. QEMU makes its monitor's socket, as a user of its own, in a
 * directory where each member of the guests' group can make files and none can remove or use
 * another's: an ACL gives what is made there to its maker and to the daemon's user. Whoever holds a
 * guest's monitor must be the user who is attached as that guest.
 */
public final class MonitorAccess {
  private static final Logger LOG = LoggerFactory.getLogger(MonitorAccess.class);

  /** {@code rwxrwx---}, and only the owner of a file removes it. */
  private static final int STICKY_MODE = 01770;

  private static final String UID = "unix:uid";
  private static final int ROOT = 0;

  private MonitorAccess() {}

  /**
   * Makes the directory. On a file system without ACLs it is the daemon's user's alone.
   *
   * @param group whose members make monitors in it
   */
  public static void makeDirectory(Path directory, GroupPrincipal group, Kernel kernel)
      throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    try {
      kernel.setDefaultAccess(directory, new AccessList(owner(directory)));
    } catch (SyscallException e) {
      LOG.atWarn()
          .addKeyValue("directory", directory)
          .log("other users' machines can have no monitors here: {}", e.getMessage());
      return;
    }
    Files.getFileAttributeView(directory, PosixFileAttributeView.class).setGroup(group);
    Files.setAttribute(directory, "unix:mode", STICKY_MODE);
  }

  /**
   * The monitor of a guest's machine.
   *
   * @param client who is attached, if anybody is
   * @throws RefusedException somebody else holds it
   */
  static Path of(GuestSettings guest, Optional<PeerCredentials> client) {
    Path qmp = guest.qmp();
    Optional<Integer> maker = maker(qmp);
    if (client.isPresent() && maker.isPresent() && !mayHold(maker.get(), client.get().uid())) {
      throw new RefusedException(
          MonitorCode.FOREIGN,
          Errno.EPERM,
          "the monitor is another user's than the machine, socket="
              + qmp
              + ", its user="
              + maker.get()
              + ", the machine's="
              + client.get().uid(),
          "Remove that socket, see who made it, and start the machine anew.");
    }
    return qmp;
  }

  /** Root and the daemon's own user need not pretend anything. */
  private static boolean mayHold(int maker, int client) {
    return maker == client || maker == ROOT || maker == ownUser();
  }

  /** The user who has made a socket; empty when there is none. */
  public static Optional<Integer> maker(Path socket) {
    try {
      return Optional.of(owner(socket));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw new RefusedException(
          MonitorCode.ACCESS,
          Errno.EACCES,
          "the monitor cannot be looked at, socket=" + socket + ", reason=" + e.getMessage(),
          "See to its directory.");
    }
  }

  /**
   * Lets the machine's user connect to a socket of the daemon's.
   *
   * @throws RefusedException its file system has no ACLs
   */
  static void admit(Path socket, PeerCredentials client, Kernel kernel) {
    if (client.uid() == ROOT || client.uid() == ownUser()) {
      return;
    }
    try {
      kernel.setAccess(socket, new AccessList(client.uid()));
    } catch (SyscallException e) {
      throw new RefusedException(
          MonitorCode.ACCESS,
          Errno.EACCES,
          "the machine's user cannot be let in, socket=" + socket + ", reason=" + e.getMessage(),
          "Have daemon.run-dir, and the guest's qmp, on a file system with ACLs, such as tmpfs.");
    }
  }

  /** The user of this process. */
  private static int ownUser() {
    try {
      return owner(Path.of("/proc/self"));
    } catch (IOException _) {
      return ROOT;
    }
  }

  private static int owner(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, UID, LinkOption.NOFOLLOW_LINKS);
  }
}
