package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.Order.ListSessions;
import io.sluice.remoting.control.SessionReport;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A session host's process that is connected: its link, until nothing of the process is left. */
final class ServingHost implements HostedSessions.SessionProcess {
  private static final Logger LOG = LoggerFactory.getLogger(ServingHost.class);

  /** A machine waits 20 s for a call, and ending a host that does not answer takes time, too. */
  private static final Duration MACHINE_PATIENCE = Duration.ofSeconds(3);

  /** How long lists wait for it, all together, before it is ended. */
  private static final Duration LIST_PATIENCE = Duration.ofSeconds(10);

  private final String guest;
  private final HostLink link;
  private final LongSupplier nanoTime;
  private final CompletableFuture<Void> gone = new CompletableFuture<>();
  private volatile String place = "";
  private volatile String asked = ""; // why this daemon has ended it, if it has

  /** For a list of its sessions. */
  @GuardedBy("this")
  private CompletableFuture<HostMessage> listing = CompletableFuture.completedFuture(null);

  @GuardedBy("this")
  private Duration missed = Duration.ZERO;

  /** When it was asked to list, or a list has waited for it last. */
  @GuardedBy("this")
  private long missedNs;

  private volatile List<SessionReport> listed = List.of();

  /**
   * @param guest whose sessions live there
   */
  ServingHost(String guest, HostLink link, LongSupplier nanoTime) {
    this.guest = guest;
    this.link = link;
    this.nanoTime = nanoTime;
  }

  HostLink link() {
    return link;
  }

  /** Names it: by its implementation, or by where its sessions live. */
  void setPlace(String name) {
    place = name;
  }

  @Override
  public String place() {
    return place;
  }

  /** Nothing is left of its process. */
  void onGone() {
    boolean _ = gone.complete(null);
  }

  @Override
  public boolean isGone() {
    return gone.isDone();
  }

  /** Its answer to an order; none when it has ended. One that does not answer in time is ended. */
  Optional<HostMessage> ask(LongFunction<Order> order, List<Fd> files, Duration patience) {
    return await(link.ask(order, files), patience);
  }

  /** As {@link #ask}, of an order that was given; a patience that is over waits for nothing. */
  Optional<HostMessage> await(CompletableFuture<HostMessage> answer, Duration patience) {
    if (!Patience.await(answer, patience)) {
      LOG.atWarn().addKeyValue("guest", guest).log("a session host does not answer, and is ended");
      link.end();
      return Optional.empty();
    }
    return answer.isCompletedExceptionally() ? Optional.empty() : Optional.of(answer.join());
  }

  @Override
  public Optional<HostMessage> ask(LongFunction<Order> order, List<Fd> files) {
    Optional<HostMessage> answer = ask(order, files, MACHINE_PATIENCE);
    if (answer.isEmpty() && !Patience.await(gone, Patience.OF_A_KILL)) {
      LOG.atError()
          .addKeyValue("guest", guest)
          .log("a session host that was killed is still there");
    }
    return answer;
  }

  /** Gives it an order without descriptors, and does not wait. */
  CompletableFuture<HostMessage> tell(LongFunction<Order> order) {
    return tell(order, List.of());
  }

  @Override
  public CompletableFuture<HostMessage> tell(LongFunction<Order> order, List<Fd> files) {
    return link.ask(order, files);
  }

  /** Asks for its sessions, for a list; one that has yet to answer is not asked again. */
  synchronized CompletableFuture<HostMessage> askToList() {
    if (listing.isDone()) {
      missed = Duration.ZERO;
      missedNs = nanoTime.getAsLong();
      listing = tell(ListSessions::new).thenApply(this::keep);
    }
    return listing;
  }

  private HostMessage keep(HostMessage answer) {
    if (answer instanceof Sessions sessions) {
      listed = List.copyOf(sessions.sessions());
    }
    return answer;
  }

  /** What it said last when it was asked to list. */
  List<SessionReport> listed() {
    return gone.isDone() ? List.of() : listed;
  }

  /**
   * A list has waited for it for so long in vain; after some of them it is ended. Lists at the same
   * time count as one.
   */
  void missed(Duration waited) {
    synchronized (this) {
      long nowNs = nanoTime.getAsLong();
      missed = missed.plusNanos(Math.min(waited.toNanos(), nowNs - missedNs));
      missedNs = nowNs;
      if (missed.compareTo(LIST_PATIENCE) < 0) {
        return;
      }
    }
    end("it does not say what sessions it has");
  }

  /** Whether it has yet to say what sessions it has, and a list has waited for that in vain. */
  synchronized boolean isSilent() {
    return !listing.isDone() && !missed.isZero();
  }

  @Override
  public long nanoTime() {
    return nanoTime.getAsLong();
  }

  @Override
  public void end(String why) {
    if (asked.isEmpty()) { // it may go on to deserve it until it is gone
      asked = why;
      LOG.atWarn()
          .addKeyValue("guest", guest)
          .addKeyValue("reason", why)
          .log("a session host is ended");
    }
    link.end();
  }

  /**
   * Why it ended.
   *
   * @param seen as its link tells
   */
  String reason(String seen) {
    return asked.isEmpty() ? seen : asked;
  }
}
