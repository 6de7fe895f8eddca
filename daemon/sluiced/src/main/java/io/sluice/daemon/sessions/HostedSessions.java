package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.management.ErrorCode;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Shared;
import io.sluice.remoting.control.MemoryPiece;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.Order.Near;
import io.sluice.remoting.control.Order.OpenShared;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.SessionMemory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The sessions of processes in a guest's machine: what the machine's device asks for, by orders to
 * the guest's session host.
 *
 * <p>A host tells of a session before it answers the order that opened it, so each is known here
 * before it can end. No lock is held while a host is asked.
 */
final class HostedSessions implements ApiSessions {
  /** What a guest is told as it is; anything else a host says is EIO to it. */
  private static final Set<Errno> TOLD =
      Set.of(
          Errno.EAGAIN,
          Errno.EDQUOT,
          Errno.EINVAL,
          Errno.EMFILE,
          Errno.ENOMEM,
          Errno.EOPNOTSUPP,
          Errno.EPIPE);

  /** A process in which sessions of the guest live. */
  interface SessionProcess {
    /**
     * Its answer to an order; none when it has ended. One that does not answer in time is ended,
     * and gone when this returns none.
     *
     * @param files go with the order; stay the caller's
     */
    Optional<HostMessage> ask(LongFunction<Order> order, List<Fd> files);

    /**
     * Gives it an order, and does not wait for the answer, or for there being none any more.
     *
     * @param files go with the order; stay the caller's
     */
    CompletableFuture<HostMessage> tell(LongFunction<Order> order, List<Fd> files);

    /** By what it is named: its implementation, or where its sessions live. */
    default String place() {
      return "";
    }

    /** A clock that does not go back. */
    long nanoTime();

    /** Ends it. Does not wait. */
    void end(String why);

    /** Whether nothing of the process is left; {@link HostedSessions#onHostGone} follows. */
    boolean isGone();
  }

  /**
   * A place in which a near end may be: its host, and the way to the other host.
   *
   * @param number of its session
   * @param far a stream to the session's host; owned
   * @param forget has the host expect it no more
   */
  record FoundPlace(SessionProcess host, long number, Fd far, Runnable forget) {}

  private final Supplier<Optional<? extends SessionProcess>> main;
  private final LongSupplier mostMemoryBytes;
  private final Function<String, FoundPlace> nearEnds;
  private final Object lock = new Object();

  /** By number; those whose order is not answered yet are among them. */
  @GuardedBy("lock")
  private final Map<Long, HostedSession> sessions = new HashMap<>();

  /**
   * @param main the host in which sessions are opened, if it serves
   * @param mostMemoryBytes of the objects of all
   */
  HostedSessions(Supplier<Optional<? extends SessionProcess>> main, LongSupplier mostMemoryBytes) {
    this(
        main,
        mostMemoryBytes,
        at -> {
          throw refused(Errno.EOPNOTSUPP, "none lives elsewhere, at=" + at);
        });
  }

  /**
   * As the other.
   *
   * @param nearEnds finds a place for the near end of a session that lives at a host
   */
  HostedSessions(
      Supplier<Optional<? extends SessionProcess>> main,
      LongSupplier mostMemoryBytes,
      Function<String, FoundPlace> nearEnds) {
    this.main = main;
    this.mostMemoryBytes = mostMemoryBytes;
    this.nearEnds = nearEnds;
  }

  @Override
  public long mostMemoryBytes() {
    return mostMemoryBytes.getAsLong();
  }

  @Override
  public Opened open(int api, SessionMemory memory, Fd doorbell, Fd notify, Consumer<Errno> ended) {
    return open(api, memory, List.of(doorbell, notify), ended);
  }

  @Override
  public Opened arrive(
      int api, SessionMemory memory, Fd doorbell, Fd notify, Fd stream, Consumer<Errno> ended) {
    return open(api, memory, List.of(doorbell, notify, stream), ended);
  }

  /**
   * @param others descriptors behind those of the memory: two, or three of one that comes
   */
  private Opened open(int api, SessionMemory memory, List<Fd> others, Consumer<Errno> ended) {
    boolean comes = others.size() > 2;
    requireApi(api);
    List<MemoryPiece> pieces = pieces(memory);
    List<Fd> files = new ArrayList<>(memory.files());
    files.addAll(others);
    SessionProcess host =
        main.get()
            .orElseThrow(() -> refused(Errno.EAGAIN, "the guest has no session host just now"));
    Shared answer =
        check(
            host.ask(id -> new OpenShared(id, api, comes, memory.files().size(), pieces), files),
            Errno.EAGAIN);
    return claim(host, answer.session(), ended);
  }

  private static void requireApi(int api) {
    if (api < 1 || api > Order.MAX_API) {
      throw refused(Errno.EOPNOTSUPP, "no such API, number=" + Integer.toUnsignedString(api));
    }
  }

  /** The session that a host has opened: it is there, has ended by now, or its host has. */
  private Opened claim(SessionProcess host, long number, Consumer<Errno> ended) {
    synchronized (lock) {
      HostedSession session = sessions.get(number);
      if (session != null) {
        session.tellEnd(ended);
        return session;
      }
    }
    if (host.isGone()) {
      throw refused(Errno.EAGAIN, "the session host ended just now");
    }
    HostedSession over = new HostedSession(host, number, _ -> {});
    over.onEnded(host, true);
    return over;
  }

  @Override
  public NearPlace reach(String at) {
    return new NearEndPlace(nearEnds.apply(at));
  }

  /** A place for a near end, which the host's sessions get with it. */
  private final class NearEndPlace implements NearPlace {
    private final FoundPlace found;
    private boolean taken;

    NearEndPlace(FoundPlace found) {
      this.found = found;
    }

    @Override
    public Opened arrive(
        int api, SessionMemory memory, Fd doorbell, Fd notify, Fd stream, Consumer<Errno> ended) {
      requireApi(api);
      List<MemoryPiece> pieces = pieces(memory);
      List<Fd> files = new ArrayList<>(memory.files());
      files.addAll(List.of(doorbell, notify, stream, found.far()));
      HostedSession session =
          new HostedSession(found.host(), found.number(), HostedSessions.this::forget);
      synchronized (lock) {
        sessions.put(session.number(), session);
      }
      try {
        Shared _ =
            check(
                found
                    .host()
                    .ask(
                        id -> new Near(id, found.number(), api, memory.files().size(), pieces),
                        files),
                Errno.EAGAIN);
        taken = true;
      } finally {
        if (!taken) {
          session.onEnded(found.host(), true);
        }
      }
      session.tellEnd(ended);
      return session;
    }

    @Override
    public void close() {
      found.far().close();
      if (!taken) {
        found.forget().run();
      }
    }
  }

  // ---- what the host tells ----

  /** A session of the machine is there; by the thread that hears the host. */
  void onOpened(SessionProcess host, long number) {
    synchronized (lock) {
      if (sessions.size() < GuestAbi.MAX_API_SESSIONS) {
        sessions.putIfAbsent(number, new HostedSession(host, number, this::forget));
        return;
      }
    }
    host.end("it has more sessions of the machine than were asked for");
  }

  private void forget(HostedSession session) {
    synchronized (lock) {
      sessions.remove(session.number(), session);
    }
  }

  /**
   * A host has nothing left of a session, which may be none of the machine.
   *
   * @param guestKnows whether the host has told the guest that it ended
   */
  void onEnded(SessionProcess host, long number, boolean guestKnows) {
    find(number).ifPresent(session -> session.onEnded(host, guestKnows));
  }

  /** A session, which may be none of the machine, is about to move to a host. */
  void onMoving(SessionProcess to, long number) {
    find(number).ifPresent(session -> session.onMoving(to));
  }

  /** A session that moved lives in a host from now on. */
  void onArrived(SessionProcess to, long number) {
    find(number).ifPresent(session -> session.onArrived(to));
  }

  private Optional<HostedSession> find(long number) {
    synchronized (lock) {
      return Optional.ofNullable(sessions.get(number));
    }
  }

  /** Whether there is none. */
  boolean isEmpty() {
    synchronized (lock) {
      return sessions.isEmpty();
    }
  }

  /** A host has no process any more. */
  void onHostGone(SessionProcess host) {
    List<HostedSession> all;
    synchronized (lock) {
      all = List.copyOf(sessions.values());
    }
    all.forEach(session -> session.onHostGone(host));
  }

  // ---- words ----

  /**
   * The pieces as the link has them.
   *
   * @throws RefusedException EINVAL more than an order may have
   */
  static List<MemoryPiece> pieces(SessionMemory memory) {
    if (memory.pieces().size() > MemoryPiece.MAX_PIECES) {
      throw refused(Errno.EINVAL, "a segment is in too many pieces, n=" + memory.pieces().size());
    }
    return memory.pieces().stream()
        .map(piece -> new MemoryPiece(piece.file(), piece.offset(), piece.bytes()))
        .toList();
  }

  /**
   * The host's answer to an order about a session, which was carried out.
   *
   * @param none what the guest is told when there is no answer
   */
  static Shared check(Optional<HostMessage> answer, Errno none) {
    if (!(answer.orElse(null) instanceof Shared shared)) {
      throw refused(none, "the guest has no session host just now");
    }
    if (shared.errno() != 0) {
      Errno errno = Errno.of(shared.errno()).filter(TOLD::contains).orElse(Errno.EIO);
      throw refused(errno, "the session host refuses it, errno=" + Errno.nameOf(shared.errno()));
    }
    return shared;
  }

  static RefusedException refused(Errno errno, String what) {
    return new RefusedException(ErrorCode.SESSION_HOST.code(), errno, what, "");
  }
}
