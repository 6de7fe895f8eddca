package io.sluice.daemon.sessions;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.management.ErrorCode;
import io.sluice.management.local.SocketFile;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.management.OperationsException;

/**
 * The listening socket of a guest's applications, which wait there while a session host follows
 * another. A host gets the socket as it is, and can leave it so that nobody can listen there any
 * more: then there is another in its place. Closing it closes all that those have sent who wait
 * there, so that is for a custody.
 */
final class SessionSocket {
  private static final int BACKLOG = 64;

  private final Kernel kernel;
  private final SocketFile file;
  private final Optional<GroupPrincipal> group;
  private Fd listener;

  private SessionSocket(
      Kernel kernel, SocketFile file, Optional<GroupPrincipal> group, Fd listener) {
    this.kernel = kernel;
    this.file = file;
    this.group = group;
    this.listener = listener;
  }

  /**
   * Makes it.
   *
   * @param group whose members may connect besides the owner; empty for nobody
   * @throws OperationsException when the path cannot be had
   */
  static SessionSocket open(Kernel kernel, SocketFile file, Optional<GroupPrincipal> group)
      throws OperationsException, IOException {
    Fd made = listen(kernel, binder -> file.publish(group, ErrorCode.SESSION_SOCKET, binder));
    return new SessionSocket(kernel, file, group, made);
  }

  /** The way in which a listening socket gets its place. */
  private interface Placing<E extends Exception> {
    void place(SocketFile.Binder binder) throws E, IOException;
  }

  /** A socket that listens, once it is in its place. */
  private static <E extends Exception> Fd listen(Kernel kernel, Placing<E> placing)
      throws E, IOException {
    Fd[] made = new Fd[1];
    boolean complete = false;
    try {
      placing.place(staged -> made[0] = kernel.listen(staged, BACKLOG));
      complete = true;
      return made[0];
    } finally {
      if (!complete && made[0] != null) {
        made[0].close();
      }
    }
  }

  /** Where it is. */
  Path path() {
    return file.path();
  }

  /** What the next host gets; stays this one's. */
  Fd listener() {
    return listener;
  }

  /**
   * Puts another in its place. Who has connected to the former one, and waits, is turned away.
   *
   * @param custody closes the former one
   */
  void renew(UnaryOperator<Fd> custody) throws IOException {
    Fd made = SessionSocket.<IOException>listen(kernel, binder -> file.replace(group, binder));
    close(custody);
    listener = made;
  }

  /** Removes its name. */
  void delete() throws IOException {
    file.delete();
  }

  /**
   * Closes it.
   *
   * @param custody does
   */
  void close(UnaryOperator<Fd> custody) {
    custody.apply(listener).close();
  }
}
