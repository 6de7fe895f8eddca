package io.sluice.migrate.session;

import io.sluice.vdevice.session.ApiSessions;
import java.util.Optional;

/** The places at which sessions stay when their machine moves. */
@FunctionalInterface
public interface SessionPlaces {
  /** None stays. */
  SessionPlaces NONE = _ -> Optional.empty();

  /**
   * Where a session stays.
   *
   * @return HOST:PORT at which the daemon listens there, for the destination; empty for one that
   *     moves with its machine
   */
  Optional<String> of(ApiSessions.Opened session);
}
