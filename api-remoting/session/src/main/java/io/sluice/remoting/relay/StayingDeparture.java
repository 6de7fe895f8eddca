package io.sluice.remoting.relay;

import io.sluice.abi.sys.Fd;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.Leaving;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.RemotedApi;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.session.SharedMemory;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.MemoryRange;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.UnmovableException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The move of a machine without its session: what goes with the machine is the session's near end.
 * It is the session's move with the machine, whose stream the near end there hands on to where the
 * session stays. The machine's memory is not there before the machine is; so the bytes that calls
 * wait to read, and those that are objects' storage, go with the stream.
 */
public final class StayingDeparture implements Leaving, AutoCloseable {
  private final ServedSession here;
  private final CallRanges ranges;
  private final PendingRanges pending = new PendingRanges();
  private final StateLink link;
  private final StateLink out;
  private final StateLink in;
  private final Leaving session;

  private StayingDeparture(
      ServedSession here, CallRanges ranges, StateLink link, Function<StateLink, Leaving> moves) {
    this.here = here;
    this.ranges = ranges;
    this.link = link;
    List<Fd> pair = here.settings().kernel().socketpair();
    out = new StateLink(here.settings().kernel(), pair.get(0));
    in = new StateLink(here.settings().kernel(), pair.get(1));
    session = moves.apply(out);
  }

  /**
   * The move of a session's near end.
   *
   * @param here the session, or what is here of it
   * @param link to the host that gets the near end; stays the caller's
   * @param moves makes the session's move with its machine, over a stream
   * @throws UnmovableException when it cannot live elsewhere than its application
   */
  public static StayingDeparture of(
      ServedSession here, StateLink link, Function<StateLink, Leaving> moves)
      throws UnmovableException {
    return new StayingDeparture(here, ranges(here.api()), link, moves);
  }

  private static CallRanges ranges(RemotedApi api) throws UnmovableException {
    return switch (api) {
      case RelayApi away -> away.freshRanges();
      case RelayableApi relayable -> relayable.ranges();
      default -> throw new UnmovableException(List.of("sessions of " + api.name() + " stay alone"));
    };
  }

  @Override
  public void leave(Consumer<Departure.HaltedSession> halted)
      throws UnmovableException, StateException {
    Thread pump = thread(this::pump);
    Thread answers = thread(this::answer);
    try {
      session.leave(halted);
    } finally {
      out.end(); // behind what was written
      link.end();
      ThreadEnds.join(pump);
      ThreadEnds.join(answers);
      close();
    }
  }

  /** Closes what is its own; done when it has left, and to be done when it is not to leave. */
  @Override
  public void close() {
    out.close();
    in.close();
  }

  private Thread thread(Runnable work) {
    Thread thread = here.settings().threads().newThread(work);
    thread.start();
    return thread;
  }

  /** Hands the stream on. */
  private void pump() {
    try {
      while (true) {
        handOn(in.read());
      }
    } catch (StateException | ProtocolException _) {
      link.end(); // at its end, or nobody takes it
      in.end();
    }
  }

  private void handOn(StateItem item) throws StateException {
    switch (item) {
      case StateItem.Open open -> open(open);
      case StateItem.Complete _ -> {
        SharedMemory memory = here.memory();
        for (MemoryRange range : ranges.storage()) { // nobody has written there since
          RelayedCalls.write(range, memory, new PendingRanges(), link);
        }
        ask(item);
      }
      case StateItem.Prepared _ -> ask(item);
      default -> {
        ranges.take(item);
        link.write(item);
      }
    }
  }

  /** A call that waits for the application: what it reads goes with it. */
  private void open(StateItem.Open open) throws StateException {
    CallRanges.NamedRanges named = ranges.of(open);
    for (MemoryRange range : named.read()) {
      RelayedCalls.write(range, here.memory(), pending, link);
    }
    pending.add(-open.call().serial(), named.written());
    link.write(open);
  }

  private void ask(StateItem question) throws StateException {
    link.write(question);
    link.flush();
  }

  /** Hands on what the other host answers. */
  private void answer() {
    try {
      while (true) {
        in.write(link.read());
        in.flush();
      }
    } catch (StateException | ProtocolException _) {
      in.end();
    }
  }

  /** Whether the near end's host can have it is not asked beforehand. */
  @Override
  public Departure.Result tryOut() throws StateException {
    throw new StateException("a near end is not tried out");
  }

  @Override
  public CompletableFuture<?> approach() {
    return session.approach();
  }

  @Override
  public void halt() {
    session.halt();
  }

  @Override
  public void giveUp() {
    session.giveUp();
  }
}
