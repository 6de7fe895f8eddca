package io.sluice.management.local;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import javax.management.OperationsException;

/**
 * The file of a UNIX socket, put in its place with the right owner and mode from its first moment:
 * it is bound in a directory that only we can enter and renamed when it is ready. There is no time
 * at which one could connect who may not, or too early.
 */
public final class SocketFile {
  /** {@code sizeof(sockaddr_un.sun_path)} less the terminating zero: unix(7). */
  public static final int MAX_PATH_BYTES = 107;

  private static final String STAGING = ".new";
  private static final Object STAGE = new Object();

  /** The binding of a socket, and whatever must be done before others can connect. */
  @FunctionalInterface
  public interface Binder {
    /**
     * @param staged where to bind
     */
    void bind(Path staged) throws IOException;
  }

  private final Path path;
  private final String purpose;
  private final ErrorCode code;

  /**
   * @param path where the socket shall be
   * @param purpose for messages, such as {@code the control socket}
   * @param code of what goes wrong
   */
  public SocketFile(Path path, String purpose, ErrorCode code) {
    this.path = path.toAbsolutePath().normalize();
    this.purpose = purpose;
    this.code = code;
  }

  /** Where the socket is, absolute. */
  public Path path() {
    return path;
  }

  /**
   * Makes the socket. A socket file that nobody listens on, left by a daemon that was killed, is
   * replaced.
   *
   * @param group may connect besides the owner; empty for nobody
   * @param onTaken code when somebody listens there
   * @throws OperationsException when the path cannot be had; its message is a {@link Problem}
   */
  public void publish(Optional<GroupPrincipal> group, ErrorCode onTaken, Binder binder)
      throws OperationsException, IOException {
    checkLength();
    removeStale(onTaken);
    replace(group, binder);
  }

  /**
   * Makes the socket in the place of one that is our own.
   *
   * @param group may connect besides the owner; empty for nobody
   */
  public void replace(Optional<GroupPrincipal> group, Binder binder) throws IOException {
    synchronized (STAGE) { // all sockets of a directory are made in the same place
      stage(group, binder);
    }
  }

  private void stage(Optional<GroupPrincipal> group, Binder binder) throws IOException {
    Path staging = path.resolveSibling(STAGING);
    Path staged = staging.resolve("s");
    Files.deleteIfExists(staged);
    Files.deleteIfExists(staging);
    Files.createDirectory(
        staging,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      binder.bind(staged);
      PosixFileAttributeView file =
          Files.getFileAttributeView(staged, PosixFileAttributeView.class);
      if (group.isPresent()) {
        file.setGroup(group.get());
      }
      file.setPermissions(
          PosixFilePermissions.fromString(group.isPresent() ? "rw-rw----" : "rw-------"));
      Files.move(staged, path, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(staged);
      Files.deleteIfExists(staging);
    }
  }

  /** Removes the socket's name. */
  public void delete() throws IOException {
    Files.deleteIfExists(path);
  }

  private void checkLength() throws OperationsException {
    int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_PATH_BYTES) {
      throw refused(
          code,
          "the path has " + bytes + " bytes, the kernel takes " + MAX_PATH_BYTES,
          "choose a shorter path");
    }
  }

  /**
   * Looks whether the socket could be made, and makes nothing.
   *
   * @param onTaken code when somebody listens there
   * @throws OperationsException when not; its message is a {@link Problem}
   */
  public void requireFree(ErrorCode onTaken) throws OperationsException, IOException {
    checkLength();
    boolean _ = isStale(onTaken);
  }

  private void removeStale(ErrorCode onTaken) throws OperationsException, IOException {
    if (isStale(onTaken)) {
      Files.deleteIfExists(path);
    }
  }

  /** Whether there is a socket on which nobody listens; otherwise there is nothing. */
  private boolean isStale(ErrorCode onTaken) throws OperationsException, IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    // A socket is neither file, directory nor link.
    if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isOther()) {
      throw refused(
          code, "there is a file of that name that is no socket", "remove it, or choose another");
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException _) {
      return true;
    }
    throw refused(onTaken, "another process listens there", "stop that one, or choose another");
  }

  private OperationsException refused(ErrorCode error, String cause, String fix) {
    return Problem.of(error, "cannot make " + purpose + " " + path, cause, fix).exception();
  }
}
