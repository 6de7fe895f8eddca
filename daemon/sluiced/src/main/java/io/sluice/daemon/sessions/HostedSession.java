package io.sluice.daemon.sessions;

import io.sluice.abi.Errno;
import io.sluice.remoting.control.Order.AddSegment;
import io.sluice.remoting.control.Order.EndSession;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.SessionMemory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session of a process in a machine, in the host that has it. It is gone when its host has said
 * that nothing of it is left, or has no process any more.
 */
final class HostedSession implements ApiSessions.Opened {
  private static final Logger LOG = LoggerFactory.getLogger(HostedSession.class);

  /** How long a host may take to end a session before it is ended with it. */
  private static final Duration END_PATIENCE = Duration.ofSeconds(2);

  /** How long a host may leave an order unanswered that takes it moments. */
  private static final Duration ORDER_PATIENCE = Duration.ofSeconds(10);

  private final HostedSessions.Host host;
  private final long number;
  private final CompletableFuture<Void> gone = new CompletableFuture<>();
  private final AtomicReference<@Nullable Asked> asked = new AtomicReference<>();
  private volatile Consumer<Errno> ended = _ -> {};

  /**
   * The order to end it.
   *
   * @param answer which does not wait for what the session has begun
   */
  private record Asked(CompletableFuture<?> answer, long atNs) {}

  /**
   * @param number of the session
   */
  HostedSession(HostedSessions.Host host, long number) {
    this.host = host;
    this.number = number;
  }

  /** Who is told when the host cannot tell the guest. */
  void tellEnd(Consumer<Errno> listener) {
    ended = listener;
  }

  /** The host has let go of it, and has told the guest. */
  void onEnded() {
    boolean _ = gone.complete(null);
  }

  /** The host has no process any more; whoever waits for that goes on first. */
  void onHostGone() {
    if (gone.complete(null)) {
      ended.accept(Errno.EPIPE);
    }
  }

  @Override
  public void add(int index, SessionMemory memory) {
    if (gone.isDone() || asked.get() != null) {
      throw HostedSessions.refused(Errno.EPIPE, "the session has ended, number=" + number);
    }
    HostedSessions.check(
        host.ask(
            id ->
                new AddSegment(
                    id, number, index, memory.files().size(), HostedSessions.pieces(memory)),
            memory.files()),
        Errno.EPIPE);
  }

  @Override
  public boolean end() {
    Asked before = asked.get();
    if (gone.isDone()) {
      return true;
    }
    if (before == null) {
      CompletableFuture<?> answer = host.tell(id -> new EndSession(id, number));
      asked.set(new Asked(answer, host.nanoTime()));
    } else if (!before.answer().isDone()
        && host.nanoTime() - before.atNs() > ORDER_PATIENCE.toNanos()) {
      host.end("it does not answer, session=" + number);
    }
    return gone.isDone();
  }

  /** Ends the host, and all sessions of the guest with it, when this one does not end. */
  @Override
  public void close() {
    if (end() || Patience.await(gone, END_PATIENCE)) {
      return;
    }
    host.end("a session of the machine does not end, number=" + number);
    if (!Patience.await(gone, Patience.OF_A_KILL)) {
      LOG.atError()
          .addKeyValue("session", number)
          .log("a session host that was killed is still there, and may reach its guest's memory");
    }
  }
}
