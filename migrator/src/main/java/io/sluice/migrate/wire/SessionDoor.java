package io.sluice.migrate.wire;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.nio.file.Path;
import java.util.Set;

/** The way in for sessions of guests of other hosts, and for questions about those of machines. */
@FunctionalInterface
public interface SessionDoor {
  /** Nobody comes in. */
  SessionDoor CLOSED =
      (_, guest) -> {
        throw refuse("it takes no sessions from other hosts, guest=" + guest);
      };

  /** Why one does not come in. */
  static RefusedException refuse(String why) {
    return new RefusedException(WireCode.NO_PLACE, Errno.EPERM, why, "");
  }

  /**
   * The place of a session that comes. Must not block.
   *
   * @param names of the host that brings it, as its certificate has them
   * @param guest whose it is; as the other host says, any text
   * @return a socket at which somebody listens for its stream
   * @throws RefusedException when it may not come; the other host is told why
   */
  Path place(Set<String> names, String guest);

  /**
   * The place of a question whether a session of a machine could come with it. Must not block.
   *
   * @param guest whose machine it is; as the other host says, any text
   * @return a socket at which somebody listens for the session's stream
   * @throws RefusedException when none could come; the other host is told why
   */
  default Path trial(String guest) {
    throw refuse("the guest can have no API sessions there, guest=" + guest);
  }
}
