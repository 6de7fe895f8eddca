package io.sluice.management.local;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;

/**
 * The process at the other end of a control connection, by {@code SO_PEERCRED}: what the kernel
 * says, not what the peer says.
 *
 * @param user effective user when it connected
 * @param group effective group when it connected
 */
public record Peer(UserPrincipal user, GroupPrincipal group) {
  /**
   * RMI serves a call on the thread that read it from the connection, so the connection that a
   * thread read from last is the caller's.
   */
  private static final ThreadLocal<Peer> CURRENT = new ThreadLocal<>();

  static Peer of(SocketChannel channel) throws IOException {
    UnixDomainPrincipal principal = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
    return new Peer(principal.user(), principal.group());
  }

  static void setCurrent(Peer peer) {
    CURRENT.set(peer);
  }

  /** Who called the operation that this thread serves; empty for a call from within the daemon. */
  public static Optional<Peer> current() {
    return Optional.ofNullable(CURRENT.get());
  }

  @Override
  public String toString() {
    return "user " + user.getName() + ", group " + group.getName();
  }
}
