package io.sluice.daemon.sessions;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.turns.TurnSeat;
import io.sluice.remoting.control.ControlCodec;
import io.sluice.remoting.control.ControlLink;
import io.sluice.remoting.control.HostMessage;
import io.sluice.remoting.control.HostMessage.Done;
import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Left;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.HostMessage.Moving;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.HostMessage.Serving;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.HostMessage.Shared;
import io.sluice.remoting.control.HostMessage.Turns;
import io.sluice.remoting.control.LinkException;
import io.sluice.remoting.control.Order;
import io.sluice.remoting.control.Order.Serve;
import io.sluice.remoting.control.Order.Stand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The daemon's end of a session host's link. One thread {@linkplain #run hears} the host until the
 * link ends; any may {@linkplain #ask ask}.
 */
final class HostLink implements AutoCloseable {
  /** How long a host may leave its link full. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** The listener to what a host tells by itself, on the thread that runs the link. */
  interface Listener {
    void onServing(Serving serving);

    void onOpened(Opened opened);

    void onEnded(Ended ended);

    void onMoving(Moving moving);

    /** Something has changed about the guest's turns at devices. */
    void onTurns();
  }

  private final ControlLink link;
  private final LinkPace pace;
  private final AtomicLong ids = new AtomicLong();
  private final Map<Long, CompletableFuture<HostMessage>> asked = new ConcurrentHashMap<>();
  private final CompletableFuture<@Nullable Void> ending = new CompletableFuture<>();
  private final CompletableFuture<@Nullable Void> serves = new CompletableFuture<>();
  private volatile boolean over;

  /**
   * @param pace at which the host is heard; the link's, too
   */
  HostLink(ControlLink link, LinkPace pace) {
    this.link = link;
    this.pace = pace;
  }

  /**
   * The link of a host that has connected.
   *
   * @param connection owned from now on
   * @param custody how descriptors that the host sends are closed
   */
  static HostLink of(
      Kernel kernel, Fd connection, LongSupplier nanoTime, UnaryOperator<Fd> custody) {
    LinkPace pace = new LinkPace(nanoTime);
    return new HostLink(new ControlLink(kernel, connection, PATIENCE, pace::read, custody), pace);
  }

  /** Has the host serve. */
  void serve(Serve order, Fd listener, TurnSeat seat, HostMemory memory) {
    List<Fd> files = new ArrayList<>();
    files.add(listener);
    files.addAll(seat.files());
    files.add(memory.file());
    link.send(ControlCodec.write(order), files);
  }

  /** Has the host serve sessions that come from others. */
  void stand(Stand order, TurnSeat seat, HostMemory memory) {
    List<Fd> files = new ArrayList<>(seat.files());
    files.add(memory.file());
    link.send(ControlCodec.write(order), files);
  }

  /**
   * Sends an order; its answer comes later, or the failure that the link is at its end.
   *
   * @param order makes it of its id
   * @param files go with it; stay the caller's
   */
  CompletableFuture<HostMessage> ask(LongFunction<Order> order, List<Fd> files) {
    long id = ids.incrementAndGet();
    CompletableFuture<HostMessage> answer = new CompletableFuture<>();
    asked.put(id, answer);
    try {
      link.send(ControlCodec.write(order.apply(id)), files);
    } catch (SyscallException | IllegalStateException e) { // at its end, full, or without means
      answer.completeExceptionally(e);
      end(); // who asked takes the host for ended
    }
    if (over) {
      answer.completeExceptionally(new LinkException("the session host has ended"));
    }
    return answer.whenComplete((_, _) -> asked.remove(id));
  }

  /**
   * Hears the host until the link ends.
   *
   * @return why it ended, in words
   */
  String run(Listener listener) {
    try {
      for (Optional<String> line = link.receive(); line.isPresent(); line = link.receive()) {
        link.refuseDescriptors();
        pace.line();
        hear(ControlCodec.readMessage(line.get()), listener);
      }
      return "its process ended";
    } catch (LinkException e) {
      return "it broke the rules of its link: " + e.getMessage();
    } catch (SyscallException e) {
      return "its link failed: " + e.getMessage();
    } finally {
      close();
    }
  }

  /** Nobody hears the host any more; again, it does nothing. */
  @Override
  public void close() {
    over = true;
    boolean _ = ending.complete(null);
    asked
        .values()
        .forEach(answer ->
            answer.completeExceptionally(new LinkException("the session host has ended")));
    link.close();
  }

  private void hear(HostMessage message, Listener listener) throws LinkException {
    switch (message) {
      case Serving serving -> {
        if (!serves.complete(null)) {
          throw new LinkException("it says twice that it serves");
        }
        listener.onServing(serving);
      }
      case Opened opened -> listener.onOpened(opened);
      case Ended ended -> listener.onEnded(ended);
      case Moving moving -> listener.onMoving(moving);
      case Turns _ -> listener.onTurns();
      case Moved moved -> answer(moved.id(), moved);
      case Left left -> answer(left.id(), left);
      case Done done -> answer(done.id(), done);
      case Sessions sessions -> answer(sessions.id(), sessions);
      case Shared shared -> answer(shared.id(), shared);
    }
  }

  /** One that nobody waits for any more is late; one that nobody asked for breaks the rules. */
  private void answer(long id, HostMessage message) throws LinkException {
    if (id > ids.get()) {
      throw new LinkException("an answer to nothing, id=" + id);
    }
    CompletableFuture<HostMessage> waiting = asked.remove(id);
    if (waiting != null) {
      waiting.complete(message);
    }
  }

  /** Whether the host serves, or is to end, in time. */
  boolean awaitServing(Duration patience) {
    return Patience.await(CompletableFuture.anyOf(serves, ending), patience);
  }

  /** Waits until the link is over, or is to end, whatever the thread that hears does. */
  void awaitEnd() throws InterruptedException {
    try {
      Object _ = ending.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e); // it does not fail
    }
  }

  /** Ends the link, and the host by that. */
  void end() {
    boolean _ = ending.complete(null);
    if (!over) {
      link.end();
    }
  }
}
