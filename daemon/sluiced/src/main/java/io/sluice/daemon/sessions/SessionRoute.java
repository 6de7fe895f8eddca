package io.sluice.daemon.sessions;

import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * The way of sessions to daemons of other hosts.
 *
 * @param leadsTo whether a text says where one listens
 * @param joiner of streams to them
 */
public record SessionRoute(Predicate<String> leadsTo, Joiner joiner) {
  /** There is none. */
  static final SessionRoute NONE = new SessionRoute(_ -> false, (_, _, _) -> {});

  /** Joins a session's stream to a socket at which somebody listens. */
  @FunctionalInterface
  public interface Joiner {
    /**
     * Blocks until the stream stands.
     *
     * @param guest whose session it is
     * @param to where the other daemon listens
     * @throws io.sluice.abi.SluiceException when it does not come to that
     */
    void join(String guest, String to, Path socket);
  }
}
