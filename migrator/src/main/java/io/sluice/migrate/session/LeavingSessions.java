package io.sluice.migrate.session;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.MovedSessions;
import io.sluice.migrate.machine.SourceMachine.PageRange;
import io.sluice.migrate.qemu.RamTransport;
import io.sluice.migrate.qemu.Worker;
import io.sluice.migrate.session.SessionMessages.Word;
import io.sluice.vdevice.dma.GuestRange;
import io.sluice.vdevice.session.ApiSessions.Standing;
import io.sluice.vdevice.session.CarriedSession;
import io.sluice.vdevice.session.MachineSessions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a machine that moves away. A thread of its own begins each one's move when it
 * opens, and tells the destination of memory that is added; the engine's thread looks how far they
 * are.
 *
 * <pre>
 *   start → halt → (standing) → stay, or they end with the machine
 * </pre>
 */
final class LeavingSessions implements AutoCloseable {
  /** A session that ends fails first, and is gone a moment later. */
  private static final long ENDING_NS = 2_000_000_000L;

  /** How long all of them may take to stand still together, while those that do wait. */
  private static final long STANDING_NS = 60_000_000_000L;

  private final Kernel kernel;
  private final MachineSessions sessions;
  private final RamTransport.Source way;
  private final LongSupplier nanoTime;
  private final Worker worker;
  private final Object lock = new Object();
  private final Map<Integer, Leaving> leaving = new TreeMap<>(); // by handle; by lock
  private @Nullable String broken; // by lock
  private @Nullable Path socket; // of the worker
  private int seen = -1; // changes; of the engine's thread
  private boolean halting; // of the engine's thread
  private long haltingNs; // since when; of the engine's thread
  private volatile boolean halted; // what is begun from now on is halted, too
  private volatile int synced = -1; // changes that were dealt with
  private volatile Runnable waker = () -> {};

  /** A session that has been begun. */
  private static final class Leaving {
    CarriedSession session; // as it was seen last; by lock
    final Set<Integer> told = new HashSet<>(); // segments; of the worker
    final CompletableFuture<Standing> standing;
    private long failedNs; // first seen; of the engine's thread
    private boolean stays; // by this
    private boolean isHalted; // of the worker

    Leaving(CarriedSession session, CompletableFuture<Standing> standing) {
      this.session = session;
      this.standing = standing;
      told.add(0);
    }

    boolean isGone() {
      return session.session().isGone();
    }

    /** By the worker. */
    void halt() {
      if (!isHalted) {
        isHalted = true;
        session.session().halt();
      }
    }

    /** Whether it has yet to be told that it stays; once. */
    synchronized boolean mayStay() {
      boolean first = !stays;
      stays = true;
      return first;
    }
  }

  /**
   * @param way of their streams, owned
   */
  LeavingSessions(
      Kernel kernel,
      MachineSessions sessions,
      RamTransport.Source way,
      ThreadFactory threads,
      LongSupplier nanoTime) {
    this.kernel = kernel;
    this.sessions = sessions;
    this.way = way;
    this.nanoTime = nanoTime;
    worker = new Worker("sluice-sessions-leave", threads, this::failed);
  }

  void setWaker(Runnable newWaker) {
    waker = newWaker;
  }

  // ---- the engine's thread ----

  /**
   * Begins.
   *
   * @param address of the destination's end
   */
  void start(ByteBuffer address) {
    submit(() -> socket = Path.of(way.open(address).substring("unix:".length())));
  }

  /** Begins those that have opened since, and tells of memory that was added. */
  void look() {
    int now = sessions.changes();
    if (now != seen) {
      seen = now;
      submit(this::sync);
    }
  }

  /** The machine is about to stop: so do they. */
  void halt() {
    if (!halting) {
      halting = true;
      haltingNs = nanoTime.getAsLong();
      submit(() -> {
        halted = true;
        sync();
      });
    }
  }

  /** Whether all stand still, and their other hosts are ready. */
  boolean isStanding() {
    return halted
        && synced == sessions.changes()
        && all().stream().allMatch(each -> isStanding(each) || each.isGone());
  }

  private static boolean isStanding(Leaving each) {
    return each.standing.isDone() && !each.standing.isCompletedExceptionally();
  }

  /** Why they cannot move with the machine. */
  Optional<String> failure() {
    synchronized (lock) {
      if (broken != null) {
        return Optional.of(broken);
      }
    }
    for (Leaving each : all()) {
      if (each.standing.isCompletedExceptionally() && !each.isGone()) {
        long now = nanoTime.getAsLong();
        each.failedNs = each.failedNs == 0 ? now : each.failedNs;
        if (now - each.failedNs > ENDING_NS) {
          return Optional.of(String.valueOf(each.standing.exceptionNow().getMessage()));
        }
      }
    }
    return halting && nanoTime.getAsLong() - haltingNs > STANDING_NS && !isStanding()
        ? Optional.of("programs open sessions faster than these come to stand still together")
        : Optional.empty();
  }

  /** Guest memory that their hosts may have written, and where the guest is told of ends. */
  List<PageRange> pages() {
    List<PageRange> pages = new ArrayList<>();
    for (Leaving each : all()) {
      if (isStanding(each)) {
        each.standing
            .join()
            .pages()
            .forEach(range -> each.session.locate(range).forEach(found -> add(found, pages)));
      }
    }
    sessions.words().forEach(word -> add(word, pages));
    return pages;
  }

  private static void add(GuestRange range, List<PageRange> pages) {
    pages.add(new PageRange(range.address(), range.bytes()));
  }

  /** Those that stand, as they are told in a report. */
  MovedSessions figures() {
    int count = 0;
    long bytes = 0;
    long longestNs = 0;
    for (Leaving each : all()) {
      if (isStanding(each)) {
        Standing standing = each.standing.join();
        count++;
        bytes += standing.sentBytes();
        longestNs = Math.max(longestNs, standing.stoppedNs());
      }
    }
    return new MovedSessions(count, bytes, longestNs);
  }

  /** Handles of those that go on at the destination: not of those that have ended meanwhile. */
  Set<Integer> handles() {
    Set<Integer> handles = new HashSet<>();
    synchronized (lock) {
      leaving.forEach((handle, each) -> {
        if (isStanding(each) && !each.isGone()) {
          handles.add(handle);
        }
      });
    }
    return handles;
  }

  /** They go on here: those that were begun now, and those that the worker is about to begin. */
  void stay() {
    stayNow();
    submit(this::stayNow);
  }

  private void stayNow() {
    for (Leaving each : all()) {
      if (each.mayStay()) {
        each.session.session().stay();
      }
    }
  }

  private List<Leaving> all() {
    synchronized (lock) {
      return List.copyOf(leaving.values());
    }
  }

  // ---- the worker ----

  private void submit(Runnable step) {
    worker.submit(() -> {
      try {
        step.run();
      } finally {
        waker.run();
      }
    });
  }

  private void failed(SluiceException e) {
    synchronized (lock) {
      broken = broken == null ? String.valueOf(e.getMessage()) : broken;
    }
    waker.run();
  }

  private void sync() {
    int changes = sessions.changes();
    for (CarriedSession each : sessions.carried()) {
      try {
        sync(each);
      } catch (SluiceException e) { // it may be at its end, which is no failure
        put(new Leaving(each, CompletableFuture.failedFuture(e)));
      }
    }
    if (halted) {
      all().forEach(Leaving::halt);
    }
    synced = changes;
  }

  private void put(Leaving begun) {
    synchronized (lock) {
      leaving.put(begun.session.handle(), begun);
    }
  }

  private void sync(CarriedSession session) {
    Leaving known;
    synchronized (lock) {
      known = leaving.get(session.handle());
      if (known != null && known.session.session() == session.session()) {
        known.session = session;
      } else {
        known = null;
      }
    }
    if (known == null) {
      known = begin(session);
    }
    for (int index : session.segments().keySet()) {
      if (!known.standing.isCompletedExceptionally() && known.told.add(index)) {
        say(word(SessionMessages.SEGMENT, session, index, index)).close();
      }
    }
  }

  private Leaving begin(CarriedSession session) {
    Leaving begun;
    try (Fd stream = say(word(SessionMessages.SESSION, session, session.api(), 0))) {
      begun = new Leaving(session, session.session().leave(stream));
    }
    put(begun);
    var _ = begun.standing.whenComplete((_, _) -> waker.run());
    return begun;
  }

  private static Word word(int kind, CarriedSession session, int number, int index) {
    return new Word(
        kind,
        session.handle(),
        number,
        java.util.Objects.requireNonNull(session.segments().get(index)));
  }

  private Fd say(Word word) {
    Path to = socket;
    if (to == null) {
      throw new RefusedException(
          MigrationCode.SESSIONS,
          Errno.EOPNOTSUPP,
          "the destination has no sessions for the guest",
          "");
    }
    return SessionWords.say(kernel, to, word);
  }

  /** Ends what is its own; sessions that leave still have their streams. */
  @Override
  public void close() {
    worker.submit(way::close);
    worker.close();
  }
}
