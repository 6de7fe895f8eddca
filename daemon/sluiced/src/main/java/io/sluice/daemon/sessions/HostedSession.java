package io.sluice.daemon.sessions;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multiset;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.daemon.sessions.HostedSessions.SessionProcess;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Done;
import io.sluice.remoting.control.HostMessage.Left;
import io.sluice.remoting.control.HostMessage.Shared;
import io.sluice.remoting.control.Order.AddSegment;
import io.sluice.remoting.control.Order.Approach;
import io.sluice.remoting.control.Order.EndSession;
import io.sluice.remoting.control.Order.EndTrial;
import io.sluice.remoting.control.Order.GoOn;
import io.sluice.remoting.control.Order.Halt;
import io.sluice.remoting.control.Order.Leave;
import io.sluice.remoting.control.Order.Part;
import io.sluice.remoting.control.Order.Stay;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.SessionMemory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session of a process in a machine. It lives in one host; while it moves, another has its memory
 * too. It is gone when each of them has said that nothing of it is left, or has no process any
 * more.
 */
final class HostedSession implements ApiSessions.Opened {
  private static final Logger LOG = LoggerFactory.getLogger(HostedSession.class);

  /** How long a host may take to end a session before it is ended with it. */
  private static final Duration END_PATIENCE = Duration.ofSeconds(2);

  /** How long a host may leave an order unanswered that takes it moments. */
  private static final Duration ORDER_PATIENCE = Duration.ofSeconds(10);

  /** The most that counts from one look at an order to the next: beyond it nobody looked. */
  private static final Duration MOST_OF_A_LOOK = Duration.ofSeconds(1);

  /** How long a segment waits for the session to arrive where it moves to. */
  private static final Duration MOVE_PATIENCE = Duration.ofSeconds(1);

  private final long number;
  private final Consumer<HostedSession> onGone;
  private final Object lock = new Object();

  /**
   * Those that may reach its memory: as often as it was there, or was to come, and they have not
   * said that nothing is left of that.
   */
  @GuardedBy("lock")
  private final Multiset<SessionProcess> holders = HashMultiset.create();

  /** Where it lives. */
  @GuardedBy("lock")
  private SessionProcess home;

  /** Whether a host has told the guest of its end. */
  @GuardedBy("lock")
  private boolean isReported;

  private final CompletableFuture<Void> gone = new CompletableFuture<>();
  private final Map<SessionProcess, Asked> asked = new ConcurrentHashMap<>();
  private volatile CompletableFuture<Void> move = CompletableFuture.completedFuture(null);
  private volatile boolean ending;
  private volatile @Nullable SessionProcess triedAt;
  private volatile Consumer<Errno> ended = _ -> {};

  /** The order to end it, whose answer does not wait for what the session has begun. */
  private static final class Asked {
    private final CompletableFuture<?> answer;

    @GuardedBy("this")
    private long lookedNs;

    @GuardedBy("this")
    private long waitedNs;

    Asked(CompletableFuture<?> answer, long nowNs) {
      this.answer = answer;
      lookedNs = nowNs;
    }

    /** Looks whether it is unanswered for too long; who did not look has not waited. */
    synchronized boolean lookOverdue(long nowNs) {
      waitedNs += Math.clamp(nowNs - lookedNs, 0, MOST_OF_A_LOOK.toNanos());
      lookedNs = nowNs;
      return !answer.isDone() && waitedNs > ORDER_PATIENCE.toNanos();
    }
  }

  /**
   * @param number of the session
   * @param home where it has been opened
   * @param onGone hears once that it is gone
   */
  HostedSession(SessionProcess home, long number, Consumer<HostedSession> onGone) {
    this.home = home;
    this.number = number;
    this.onGone = onGone;
    holders.add(home);
  }

  long number() {
    return number;
  }

  /** Who is told when no host can tell the guest. */
  void tellEnd(Consumer<Errno> listener) {
    ended = listener;
  }

  // ---- hosts ----

  /** Another host is about to have its memory. */
  void onMoving(SessionProcess to) {
    synchronized (lock) {
      holders.add(to);
    }
    move = new CompletableFuture<>();
    if (to.isGone()) {
      onHostGone(to);
    }
  }

  /** It lives in another host from now on. */
  void onArrived(SessionProcess to) {
    synchronized (lock) {
      home = to;
    }
    boolean _ = move.complete(null);
    if (ending) { // it was not there yet when it was asked to end it
      askToEnd(to);
    }
  }

  /**
   * A host has let go of it: it ended there, has moved from there, or did not come. It may have
   * come back before the host says that it had left.
   */
  void onEnded(SessionProcess host, boolean guestKnows) {
    release(host, 1, guestKnows);
  }

  /** A host has no process any more; whoever waits for that goes on first. */
  void onHostGone(SessionProcess host) {
    release(host, Integer.MAX_VALUE, false);
  }

  private void release(SessionProcess host, int times, boolean guestKnows) {
    boolean unreported;
    synchronized (lock) {
      if (holders.remove(host, times) == 0) {
        return;
      }
      isReported |= guestKnows;
      if (!holders.isEmpty()) {
        return;
      }
      unreported = !isReported;
    }
    boolean _ = gone.complete(null);
    boolean _ = move.complete(null);
    onGone.accept(this);
    if (unreported) {
      ended.accept(Errno.EPIPE);
    }
  }

  private SessionProcess home() {
    synchronized (lock) {
      return home;
    }
  }

  private List<SessionProcess> holders() {
    synchronized (lock) {
      return List.copyOf(holders.elementSet());
    }
  }

  // ---- the device asks ----

  @Override
  public void add(int index, SessionMemory memory) {
    if (gone.isDone() || ending) {
      throw HostedSessions.refused(Errno.EPIPE, "the session has ended, number=" + number);
    }
    SessionProcess at = home();
    Optional<HostMessage> answer = add(at, index, memory);
    if (isMoving(answer) && Patience.await(move, MOVE_PATIENCE) && home() != at) {
      answer = add(home(), index, memory);
    }
    HostedSessions.check(answer, Errno.EPIPE);
  }

  private Optional<HostMessage> add(SessionProcess at, int index, SessionMemory memory) {
    return at.ask(
        id ->
            new AddSegment(id, number, index, memory.files().size(), HostedSessions.pieces(memory)),
        memory.files());
  }

  private static boolean isMoving(Optional<HostMessage> answer) {
    return answer.orElse(null) instanceof Shared shared
        && (shared.errno() == Errno.EAGAIN.number() || shared.errno() == Errno.EPIPE.number());
  }

  // ---- it moves with its machine ----

  @Override
  public CompletableFuture<ApiSessions.Standing> leave(Fd stream) {
    return home()
        .tell(id -> new Leave(id, number, false), List.of(stream))
        .handle((answer, failure) -> standing(answer));
  }

  @Override
  public boolean canStay() {
    return true;
  }

  @Override
  public String livesAt() {
    return home().place();
  }

  @Override
  public CompletableFuture<ApiSessions.Standing> part(Fd stream) {
    return home()
        .tell(id -> new Part(id, number), List.of(stream))
        .handle((answer, failure) -> standing(answer));
  }

  @Override
  public CompletableFuture<Void> tryOut(Fd stream) {
    SessionProcess at = home();
    triedAt = at;
    return at.tell(id -> new Leave(id, number, true), List.of(stream))
        .handle((answer, failure) -> standing(answer))
        .thenAccept(_ -> {});
  }

  private ApiSessions.Standing standing(@Nullable HostMessage answer) {
    if (!(answer instanceof Left left)) {
      throw HostedSessions.refused(Errno.EPIPE, "session " + number + ": its host has ended");
    }
    if (!left.error().isEmpty()) {
      String why = left.obstacles().isEmpty() ? left.error() : String.join("; ", left.obstacles());
      throw HostedSessions.refused(Errno.EBUSY, "session " + number + ": " + why);
    }
    return new ApiSessions.Standing(
        left.sentBytes(),
        left.stoppedNs(),
        left.pages().stream()
            .map(
                range -> new ApiSessions.WrittenPages(range.index(), range.offset(), range.bytes()))
            .collect(ImmutableList.toImmutableList()));
  }

  @Override
  public CompletableFuture<?> endTrial() {
    SessionProcess at = triedAt; // the session may live elsewhere by now
    return (at == null ? home() : at).tell(id -> new EndTrial(id, number), List.of());
  }

  @Override
  public CompletableFuture<?> approach() {
    return home().tell(id -> new Approach(id, number), List.of());
  }

  @Override
  public void halt() {
    var _ = home().tell(id -> new Halt(id, number), List.of());
  }

  @Override
  public void stay() {
    var _ = home().tell(id -> new Stay(id, number), List.of());
  }

  @Override
  public boolean goOn() {
    return !gone.isDone()
        && home().ask(id -> new GoOn(id, number), List.of()).orElse(null) instanceof Done done
        && done.error().isEmpty();
  }

  @Override
  public boolean isGone() {
    return gone.isDone();
  }

  // ---- its end ----

  @Override
  public boolean end() {
    ending = true;
    for (SessionProcess holder : holders()) {
      Asked before = asked.get(holder);
      if (before == null) {
        askToEnd(holder);
      } else if (before.lookOverdue(holder.nanoTime())) {
        holder.end("it does not answer, session=" + number);
      }
    }
    return gone.isDone();
  }

  private void askToEnd(SessionProcess holder) {
    CompletableFuture<?> answer = holder.tell(id -> new EndSession(id, number), List.of());
    asked.put(holder, new Asked(answer, holder.nanoTime()));
  }

  /** Ends its host, and all that lives there with it, when this one does not end. */
  @Override
  public void close() {
    if (end() || Patience.await(gone, END_PATIENCE)) {
      return;
    }
    holders()
        .forEach(holder -> holder.end("a session of the machine does not end, number=" + number));
    if (!Patience.await(gone, Patience.OF_A_KILL)) {
      LOG.atError()
          .addKeyValue("session", number)
          .log("a session host that was killed is still there, and may reach its guest's memory");
    }
  }
}
