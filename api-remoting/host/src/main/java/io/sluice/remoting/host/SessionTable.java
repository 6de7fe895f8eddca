package io.sluice.remoting.host;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.SessionLimits;
import io.sluice.remoting.control.SessionReport;
import io.sluice.remoting.session.MachineSession;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.ServedSession;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of the guest. A place is taken before an application is served and given back when
 * nothing of it is left, so that there are never more than the limit.
 */
final class SessionTable {
  /** The process is one of the machine's: the host's kernel does not know it. */
  private static final PeerCredentials IN_MACHINE = new PeerCredentials(0, -1, -1);

  private final Kernel kernel;
  private final Applications applications;
  private final LongSupplier wallClockMs;
  private final Consumer<HostMessage> tell;
  private final CurrentLimits limits;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final TreeMap<Long, OpenSession> open = new TreeMap<>();

  @GuardedBy("lock")
  private int places; // taken

  @GuardedBy("lock")
  private long next; // number of the next session

  /**
   * @param limits how many there may be at one time
   * @param first number of the first
   * @param tell hears of sessions that come and go, from any thread
   */
  SessionTable(
      Kernel kernel,
      Applications applications,
      CurrentLimits limits,
      long first,
      LongSupplier wallClockMs,
      Consumer<HostMessage> tell) {
    this.kernel = kernel;
    this.applications = applications;
    this.limits = limits;
    this.next = first;
    this.wallClockMs = wallClockMs;
    this.tell = tell;
  }

  /** Milliseconds since 1970. */
  long nowMs() {
    return wallClockMs.getAsLong();
  }

  /** Other limits from now on; what is beyond them stays. */
  void limit(SessionLimits changed) {
    limits.set(changed);
  }

  /** Takes a place, or none when there are as many sessions as there may be. */
  boolean takePlace() {
    synchronized (lock) {
      if (places >= limits.now().sessions()) {
        return false;
      }
      places++;
      return true;
    }
  }

  /** Serves an application in the place that was taken for it, until it is over. */
  void serve(Fd connection) {
    try {
      run(connection);
    } finally {
      givePlace();
    }
  }

  /**
   * Serves an application in the guest's machine, on a thread of its own.
   *
   * @param stream by which its session comes; null when it begins here
   * @return the number of its session
   * @throws ProtocolException when it cannot be served; the descriptors stay the caller's then
   */
  long serveMachine(int api, List<FilePiece> first, Fd doorbell, Fd notify, @Nullable Fd stream) {
    if (!takePlace()) {
      throw new ProtocolException(Errno.EDQUOT, "there are as many sessions as there may be");
    }
    boolean complete = false;
    try {
      MachineApplication application = applications.ofMachine(api, first, doorbell, notify, stream);
      OpenSession session = admit(IN_MACHINE, _ -> application);
      applications.start(() -> {
        try {
          serve(session);
        } finally {
          givePlace();
        }
      });
      complete = true;
      return session.number();
    } finally {
      if (!complete) {
        givePlace();
      }
    }
  }

  /**
   * The session of an application in the machine.
   *
   * @throws ProtocolException EPIPE when there is none of that number
   */
  MachineSession machine(long number) {
    ServedSession session =
        switch (application(number)) {
          case MachineApplication application -> application.machine();
          case RelayedApplication away -> away.near();
          case ParkedApplication parked -> parked.served();
          case null, default -> served(number);
        };
    if (session instanceof MachineSession own) {
      return own;
    }
    throw new ProtocolException(Errno.EPIPE, "no session of the machine, number=" + number);
  }

  /** Gives back a place that was taken. */
  void givePlace() {
    synchronized (lock) {
      places--;
    }
  }

  private void run(Fd connection) {
    PeerCredentials peer;
    try {
      peer = kernel.peerCredentials(connection);
    } catch (SyscallException _) {
      connection.close(); // a connection that is none
      return;
    }
    serve(admit(peer, number -> applications.of(number, connection)));
  }

  private OpenSession admit(PeerCredentials peer, LongFunction<Application> maker) {
    OpenSession session;
    synchronized (lock) {
      long number = next++;
      session = new OpenSession(number, peer, wallClockMs.getAsLong(), maker.apply(number));
      open.put(number, session);
    }
    tell.accept(new Opened(session.number(), peer.pid()));
    return session;
  }

  /** Serves an application that is in the table, until it is over. */
  void serve(OpenSession session) {
    String reason = "it failed";
    try {
      reason = session.application().serve();
    } finally {
      synchronized (lock) {
        open.remove(session.number(), session);
      }
      tell.accept(new Ended(session.number(), reason));
    }
  }

  /**
   * Serves an application whose session came from another host, in the place that was taken for it,
   * until it is over.
   *
   * @param begun is done when it is in the table
   */
  void serveArrived(
      long number, PeerCredentials peer, long sinceMs, Application application, Runnable begun) {
    OpenSession session = admitArrived(number, peer, sinceMs, application);
    begun.run();
    serve(session);
  }

  /** An application whose session comes from another host is in the table from now on. */
  OpenSession admitArrived(
      long number, PeerCredentials peer, long sinceMs, Application application) {
    OpenSession session = new OpenSession(number, peer, sinceMs, application);
    synchronized (lock) {
      open.put(number, session);
      next = Math.max(next, number + 1);
    }
    return session;
  }

  /** A number that no session here has had or gets. */
  long takeNumber() {
    synchronized (lock) {
      return next++;
    }
  }

  /** The session of an application that is served; null when there is none of that number. */
  @Nullable ServedSession served(long number) {
    Application application = application(number);
    return application == null ? null : application.session();
  }

  /** The application of a session; null when there is none of that number. */
  @Nullable Application application(long number) {
    synchronized (lock) {
      OpenSession session = open.get(number);
      return session == null ? null : session.application();
    }
  }

  /** Serves a session that came with its machine; false when there is none. */
  boolean goOn(long number) {
    return switch (application(number)) {
      case MachineApplication application -> application.goOn();
      case RelayedApplication near -> near.goOn();
      case null, default -> false;
    };
  }

  /** All there are. */
  List<SessionReport> reports() {
    List<OpenSession> sessions;
    synchronized (lock) {
      sessions = List.copyOf(open.values());
    }
    return sessions.stream().map(OpenSession::report).toList();
  }

  /** Ends a session; false when there is none of that number. */
  boolean end(long number) {
    OpenSession session;
    synchronized (lock) {
      session = open.get(number);
    }
    if (session != null) {
      session.application().end();
    }
    return session != null;
  }
}
