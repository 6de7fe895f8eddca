package io.sluice.vdevice;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.vdevice.protocol.DeviceCode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The one place that a device has for a client, and whether the client in it is served.
 *
 * <p>The thread that serves a client asks here between two messages whether to pause, and waits
 * here for what becomes of it; everybody else comes with a wish. All that waits is told of every
 * change.
 */
final class Seat {
  /** The service of a client. */
  private enum Service {
    /** It is. */
    RUNNING,
    /** It is to be paused. */
    PAUSING,
    /** It waits for what becomes of it. */
    PAUSED,
    /** Another daemon has it. */
    GONE
  }

  /** The client that has the seat. The socket is closed when it has {@link #left}. */
  static final class Occupant {
    final Fd socket;
    final PeerCredentials peer;

    // Both guarded by the seat's lock.
    private @Nullable DeviceSession session; // once the GPU is open
    private Service service;

    /** Its session is ending. */
    private boolean going;

    private Occupant(Fd socket, PeerCredentials peer, Service service) {
      this.socket = socket;
      this.peer = peer;
      this.service = service;
    }

    /** One that is served from the start. */
    static Occupant running(Fd socket, PeerCredentials peer) {
      return new Occupant(socket, peer, Service.RUNNING);
    }

    /** One that another daemon has served, and that waits for a decision. */
    static Occupant paused(Fd socket, PeerCredentials peer) {
      return new Occupant(socket, peer, Service.PAUSED);
    }
  }

  /** A client that is paused, with its session. */
  record PausedClient(Occupant occupant, DeviceSession session) {}

  private final String guest;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock")
  private @Nullable Occupant occupant;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * @param guest its name, for messages
   */
  Seat(String guest) {
    this.guest = guest;
  }

  // ---- who has it ----

  /**
   * Takes the seat.
   *
   * @param patience how long to wait for one that is just going; zero asks once
   * @return whether it was free and not closed
   */
  boolean take(Occupant newcomer, Duration patience) {
    return take(newcomer, patience, patience, _ -> false);
  }

  /**
   * Takes the seat; one that is going is waited for longer than one that stays.
   *
   * @param patience how long to wait for one that stays
   * @param goingPatience how long for one that is going
   * @param hasHungUp whether the client at the other end of a socket has left; asks only
   * @return whether it was free and not closed
   */
  boolean take(
      Occupant newcomer, Duration patience, Duration goingPatience, Predicate<Fd> hasHungUp) {
    lock.lock();
    try {
      boolean going = occupant != null && (occupant.going || hasHungUp.test(occupant.socket));
      long left = (going ? goingPatience : patience).toNanos();
      while (occupant != null && !closed && left > 0) {
        left = awaitNanos(left);
      }
      if (occupant != null || closed) {
        return false;
      }
      occupant = newcomer;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The GPU is open for a client. */
  void opened(Occupant by, DeviceSession session) {
    lock.lock();
    try {
      by.session = session;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The session of a client is about to end: nobody gets it here any more.
   *
   * @param last what is to be done with it before anybody else can look
   */
  void ending(Occupant of, Runnable last) {
    lock.lock();
    try {
      last.run();
      of.session = null;
      of.going = true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A client has gone, and all it held. Its socket is closed here, because who {@linkplain #expel
   * expels} it shuts that down as long as it has the seat.
   */
  void left(Occupant gone) {
    lock.lock();
    try {
      gone.socket.close();
      vacated(gone);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The session of the client.
   *
   * @throws RefusedException ENOTCONN without one
   */
  DeviceSession attached() {
    return session()
        .orElseThrow(() ->
            new RefusedException(
                DeviceCode.NOBODY, Errno.ENOTCONN, "nobody is attached, guest=" + guest, ""));
  }

  /** It did not come to that a client is served; its socket stays its owner's. */
  void withdrawn(Occupant never) {
    lock.lock();
    try {
      vacated(never);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void vacated(Occupant former) {
    former.session = null;
    if (occupant == former) {
      occupant = null;
    }
    changed.signalAll();
  }

  Optional<PeerCredentials> peer() {
    lock.lock();
    try {
      return occupant == null ? Optional.empty() : Optional.of(occupant.peer);
    } finally {
      lock.unlock();
    }
  }

  Optional<DeviceSession> session() {
    lock.lock();
    try {
      return occupant == null ? Optional.empty() : Optional.ofNullable(occupant.session);
    } finally {
      lock.unlock();
    }
  }

  /** Nobody takes it any more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Has the client's socket shut down, if there is a client. */
  void expel(Consumer<Fd> shutdown) {
    lock.lock();
    try {
      if (occupant != null) {
        shutdown.accept(occupant.socket);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Does that, and waits until who was the client has left, served or not.
   *
   * @param patience how long
   * @return whether it has
   */
  boolean vacate(Consumer<Fd> shutdown, Duration patience) {
    Occupant going;
    DeviceSession session;
    lock.lock();
    try {
      going = occupant;
      if (going == null) {
        return true;
      }
      shutdown.accept(going.socket);
      become(going, Service.RUNNING);
      session = going.session;
    } finally {
      lock.unlock();
    }
    if (session != null) {
      // The serving thread itself may be stuck in one. Takes its time, so not under the lock.
      session.vectors().close();
    }
    lock.lock();
    try {
      long left = patience.toNanos();
      while (occupant == going && left > 0) {
        left = awaitNanos(left);
      }
      return occupant != going;
    } finally {
      lock.unlock();
    }
  }

  // ---- pausing ----

  /** Has the client pause that is served and has a session, if there is one. */
  Optional<Occupant> pause() {
    lock.lock();
    try {
      Occupant served = occupant;
      if (served == null || served.session == null || served.service != Service.RUNNING) {
        return Optional.empty();
      }
      become(served, Service.PAUSING);
      return Optional.of(served);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until a client has paused.
   *
   * @param patience how long
   * @return empty when it did not come to that; it goes on then
   */
  Optional<PausedClient> awaitPaused(Occupant pausing, Duration patience) {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (occupant == pausing && !isPaused(pausing) && left > 0) {
        left = awaitNanos(left);
      }
      DeviceSession session = pausing.session;
      if (occupant != pausing || session == null || !isPaused(pausing)) {
        become(pausing, Service.RUNNING);
        return Optional.empty();
      }
      return Optional.of(new PausedClient(pausing, session));
    } finally {
      lock.unlock();
    }
  }

  /** Whether a client is served here, and not merely offered by another daemon. */
  boolean isServed(Occupant client) {
    lock.lock();
    try {
      return client.service == Service.RUNNING || client.service == Service.PAUSING;
    } finally {
      lock.unlock();
    }
  }

  /** Asked by the thread that serves a client, between two messages. */
  boolean isPausing(Occupant served) {
    lock.lock();
    try {
      return served.service == Service.PAUSING;
    } finally {
      lock.unlock();
    }
  }

  /** That thread pauses, if it still is to, and waits until it is decided what becomes of it. */
  boolean awaitDecision(Occupant served) {
    lock.lock();
    try {
      if (served.service == Service.PAUSING) {
        become(served, Service.PAUSED);
      }
      while (served.service == Service.PAUSED) {
        changed.awaitUninterruptibly();
      }
      return served.service == Service.RUNNING;
    } finally {
      lock.unlock();
    }
  }

  /** A paused client is served again, or for the first time. */
  void resume(Occupant paused) {
    decide(paused, Service.RUNNING);
  }

  /** A paused client is another daemon's; returns when nothing of it is left here. */
  void releasePaused(Occupant paused) {
    lock.lock();
    try {
      decide(paused, Service.GONE);
      while (occupant == paused) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void decide(Occupant paused, Service service) {
    lock.lock();
    try {
      if (isPaused(paused)) {
        become(paused, service);
      }
    } finally {
      lock.unlock();
    }
  }

  private static boolean isPaused(Occupant of) {
    return of.service == Service.PAUSED;
  }

  private void become(Occupant of, Service service) {
    of.service = service;
    changed.signalAll();
  }

  private long awaitNanos(long ns) {
    try {
      return changed.awaitNanos(ns);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }
}
