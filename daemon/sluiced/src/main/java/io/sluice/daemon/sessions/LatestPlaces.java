package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.daemon.sessions.GuestMoves.LocatedSession;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The hosts to which a guest's sessions moved last, and the moves under way. A host that a session
 * has left still lists it until its last thread is gone; this tells which of the two is right.
 */
final class LatestPlaces {
  @GuardedBy("this")
  private final Map<Long, String> hosts = new HashMap<>();

  /** Moves that have begun so far, and those that are over. */
  @GuardedBy("this")
  private long begun;

  @GuardedBy("this")
  private long over;

  /** A move that is under way until it is closed. */
  interface MoveInProgress extends AutoCloseable {
    @Override
    void close();
  }

  /** A session's move begins. */
  synchronized MoveInProgress begin() {
    begun++;
    return this::end;
  }

  private synchronized void end() {
    over++;
  }

  /** How many moves are over so far. */
  synchronized long over() {
    return over;
  }

  /** Whether no session has moved, in part or wholly, since so many moves were over. */
  synchronized boolean isQuietSince(long over) {
    return begun == over;
  }

  /** A session lives in another host from now on. */
  synchronized void moved(long session, String host) {
    hosts.put(session, host);
  }

  /**
   * Each session once, in the order given.
   *
   * @param listed by all of the guest's hosts; those that nobody lists any more are forgotten
   */
  synchronized List<LocatedSession> once(List<LocatedSession> listed) {
    Map<Long, LocatedSession> once = new LinkedHashMap<>();
    for (LocatedSession located : listed) {
      long number = located.report().number();
      once.merge(
          number,
          located,
          (first, other) -> other.host().equals(hosts.get(number)) ? other : first);
    }
    hosts.keySet().retainAll(once.keySet());
    return once.values().stream().collect(Collectors.toUnmodifiableList());
  }
}
