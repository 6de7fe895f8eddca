package io.sluice.migrate.session;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.machine.MovedSessions;
import io.sluice.migrate.machine.SourceMachine.PageRange;
import io.sluice.migrate.phase.StateMachine;
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
 * are. {@link LeavingStage} has the stages of all together, {@link LeavingSession} those of each.
 */
final class LeavingSessions implements AutoCloseable {
  /** How long all of them may take to stand still together, while those that do wait. */
  private static final long STANDING_NS = 60_000_000_000L;

  private final Kernel kernel;
  private final MachineSessions sessions;
  private final RamTransport.Source way;
  private final SessionPlaces places;
  private final LongSupplier nanoTime;
  private final Worker worker;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Map<Integer, LeavingSession> leaving = new TreeMap<>(); // by handle

  private final StateMachine<LeavingStage, LeavingState> life =
      new StateMachine<>("sessions", new LeavingState.At(LeavingStage.COPYING));
  private @Nullable Path socket; // of the worker
  private int seen = -1; // changes; of the engine's thread
  private volatile int synced = -1; // changes that were dealt with
  private volatile Runnable waker = () -> {};

  /** The states, each with what it must know. */
  private sealed interface LeavingState extends StateMachine.State<LeavingStage> {
    /** One in which they are to stand still. */
    sealed interface Stopping extends LeavingState {
      /** Since when. */
      long sinceNs();
    }

    /** {@link LeavingStage#HALTING}. */
    record Halting(long sinceNs) implements Stopping {
      @Override
      public LeavingStage stage() {
        return LeavingStage.HALTING;
      }
    }

    /** {@link LeavingStage#HALTED}. */
    record Halted(long sinceNs) implements Stopping {
      @Override
      public LeavingStage stage() {
        return LeavingStage.HALTED;
      }
    }

    /** {@link LeavingStage#BROKEN}. */
    record Broken(String why) implements LeavingState {
      @Override
      public LeavingStage stage() {
        return LeavingStage.BROKEN;
      }
    }

    /** Any other. */
    record At(LeavingStage stage) implements LeavingState {}
  }

  /**
   * @param way of their streams, owned
   * @param places where those stay that do not move
   */
  LeavingSessions(
      Kernel kernel,
      MachineSessions sessions,
      RamTransport.Source way,
      SessionPlaces places,
      ThreadFactory threads,
      LongSupplier nanoTime) {
    this.kernel = kernel;
    this.sessions = sessions;
    this.way = way;
    this.places = places;
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

  /** Begins those that have opened since, tells of memory that was added, and looks who fails. */
  void look() {
    int now = sessions.changes();
    if (now != seen) {
      seen = now;
      submit(this::sync);
    }
    long nowNs = nanoTime.getAsLong();
    all().forEach(each -> each.look(nowNs));
  }

  /** The machine is near its stop: nothing that takes long is to keep them from theirs. */
  void approach() {
    LeavingState.At approaching = new LeavingState.At(LeavingStage.APPROACHING);
    if (life.enterIfLegal(approaching, "the machine is near its stop")) {
      submit(this::sync);
    }
  }

  /** Whether nothing that takes long keeps any of them. */
  boolean arePrepared() {
    return life.stage() != LeavingStage.COPYING
        && synced == sessions.changes()
        && all().stream().allMatch(each -> each.isPrepared() || each.isGone());
  }

  /** The machine is about to stop: so do they. */
  void halt() {
    LeavingState.Halting halting = new LeavingState.Halting(nanoTime.getAsLong());
    if (life.enterIfLegal(halting, "the machine is about to stop")) {
      submit(() -> {
        boolean _ = life.enterIfLegal(new LeavingState.Halted(halting.sinceNs()), "they hear it");
        sync();
      });
    }
  }

  /** Whether all stand still, and their other hosts are ready. */
  boolean isStanding() {
    return life.stage() == LeavingStage.HALTED
        && synced == sessions.changes()
        && all().stream().allMatch(each -> each.isStanding() || each.isGone());
  }

  /** Why they cannot move with the machine. */
  Optional<String> failure() {
    long nowNs = nanoTime.getAsLong();
    return switch (life.state()) {
      case LeavingState.Broken(String why) -> Optional.of(why);
      case LeavingState.Stopping stopping ->
          failureOfOne(nowNs).or(() -> late(nowNs - stopping.sinceNs()));
      case LeavingState.At _ -> failureOfOne(nowNs);
    };
  }

  private Optional<String> failureOfOne(long nowNs) {
    return all().stream().flatMap(each -> each.failure(nowNs).stream()).findFirst();
  }

  private Optional<String> late(long waitedNs) {
    return waitedNs > STANDING_NS && !isStanding()
        ? Optional.of("programs open sessions faster than these come to stand still together")
        : Optional.empty();
  }

  /** Guest memory that their hosts may have written, and where the guest is told of ends. */
  List<PageRange> pages() {
    List<PageRange> pages = new ArrayList<>();
    for (LeavingSession each : all()) {
      if (each.isStanding()) {
        each.session().locate(each.standing().join().pages()).forEach(found -> add(found, pages));
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
    ImmutableList.Builder<String> stayed = ImmutableList.builder();
    for (LeavingSession each : all()) {
      if (each.isStanding()) {
        each.place().ifPresent(stayed::add);
        Standing standing = each.standing().join();
        count++;
        bytes += standing.sentBytes();
        longestNs = Math.max(longestNs, standing.stoppedNs());
      }
    }
    return new MovedSessions(count, bytes, longestNs, stayed.build());
  }

  /** Handles of those that go on at the destination: not of those that have ended meanwhile. */
  Set<Integer> handles() {
    Set<Integer> handles = new HashSet<>();
    synchronized (lock) {
      leaving.forEach((handle, each) -> {
        if (each.isStanding() && !each.isGone()) {
          handles.add(handle);
        }
      });
    }
    return handles;
  }

  /** They go on here: those that were begun now, and those that the worker is about to begin. */
  void stay() {
    life.enter(new LeavingState.At(LeavingStage.STAYING), "the machine does not move");
    stayNow();
    submit(this::stayNow);
  }

  private void stayNow() {
    all().forEach(LeavingSession::stay);
  }

  private List<LeavingSession> all() {
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
    LeavingState broken = new LeavingState.Broken(String.valueOf(e.getMessage()));
    boolean _ = life.enterIfLegal(broken, "a step has failed");
    waker.run();
  }

  private void sync() {
    int changes = sessions.changes();
    for (CarriedSession each : sessions.carried()) {
      try {
        sync(each);
      } catch (SluiceException e) { // it may be at its end, which is no failure
        put(new LeavingSession(each, CompletableFuture.failedFuture(e)));
      }
    }
    switch (life.stage()) {
      case APPROACHING -> all().forEach(LeavingSession::approach);
      case HALTED -> all().forEach(LeavingSession::halt);
      case COPYING, HALTING, BROKEN, STAYING -> {}
    }
    synced = changes;
  }

  private void put(LeavingSession begun) {
    synchronized (lock) {
      leaving.put(begun.session().handle(), begun);
    }
  }

  private @Nullable LeavingSession known(CarriedSession session) {
    synchronized (lock) {
      LeavingSession known = leaving.get(session.handle());
      return known != null && known.see(session) ? known : null;
    }
  }

  private void sync(CarriedSession session) {
    LeavingSession known = known(session);
    if (known == null) {
      known = begin(session);
    }
    for (int index : session.segments().keySet()) {
      if (known.markTold(index)) {
        say(word(SessionMessages.SEGMENT, session, index, index, "")).close();
      }
    }
  }

  private LeavingSession begin(CarriedSession session) {
    Optional<String> place = places.of(session.session());
    Word word =
        place
            .map(at -> word(SessionMessages.NEAR_END, session, session.api(), 0, at))
            .orElseGet(() -> word(SessionMessages.SESSION, session, session.api(), 0, ""));
    LeavingSession begun;
    try (Fd stream = say(word)) {
      begun =
          new LeavingSession(
              session,
              place.isPresent() ? session.session().part(stream) : session.session().leave(stream),
              place);
    }
    put(begun);
    var _ = begun.standing().whenComplete((_, _) -> waker.run());
    return begun;
  }

  private static Word word(int kind, CarriedSession session, int number, int index, String place) {
    return new Word(
        kind,
        session.handle(),
        number,
        java.util.Objects.requireNonNull(session.segments().get(index)),
        place);
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
