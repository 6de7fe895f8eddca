package io.sluice.remoting.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.ProtocolException;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.StateStage;
import io.sluice.remoting.state.UnmovableException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The return of a session to the host of its application, as the far end sees it: an ordinary
 * {@link Departure}, whose stream goes over the network. Before it stops the session it has the
 * near end hold calls, and lets the session take what was sent.
 */
final class MirrorDeparture {
  private static final int HOLD_MS = 20_000;

  private final ServedSession linked;
  private final MirrorOutbox outbox;
  private final SessionSettings settings;
  private final StateLink out;
  private final StateLink in;
  private final Departure departure;
  private final CompletableFuture<Boolean> held = new CompletableFuture<>();
  private final Object closing = new Object();

  @GuardedBy("closing")
  private boolean closed;

  private volatile boolean gone; // the near end was told to go on
  private StateItem.@Nullable Kept kept; // when it stays; by the thread that runs it

  MirrorDeparture(SessionSettings settings, ServedSession linked, MirrorOutbox outbox) {
    this.settings = settings;
    this.linked = linked;
    this.outbox = outbox;
    List<Fd> pair = settings.kernel().socketpair();
    out = new StateLink(settings.kernel(), pair.get(0));
    in = new StateLink(settings.kernel(), pair.get(1));
    departure = new Departure(linked, out, this::entered);
  }

  /** Moves the session, or looks whether it could be moved. */
  void run(boolean checkOnly) {
    Thread pump = settings.threads().newThread(this::pump);
    pump.start();
    StateItem.Kept result = new StateItem.Kept("it failed", List.of());
    try {
      Departure.Result _ = departure.run(checkOnly);
      result = new StateItem.Kept("", List.of());
    } catch (UnmovableException unmovable) {
      result = new StateItem.Kept("it cannot be moved as it is", unmovable.reasons());
    } catch (StateException | RuntimeException lost) {
      result = new StateItem.Kept(String.valueOf(lost.getMessage()), List.of());
    } finally {
      out.end(); // behind what was written
      ThreadEnds.join(pump);
      kept = result;
      synchronized (closing) {
        closed = true;
        out.close();
        in.close();
      }
    }
  }

  /** Tells the near end that the session stays, if it does. */
  void tell() {
    StateItem.Kept result = kept;
    if (!gone && result != null) {
      outbox.add(result);
    }
  }

  /** Gives it up, unless the near end was told to go on. */
  void giveUp() {
    held.cancel(false);
    departure.giveUp();
  }

  private void entered(StateStage stage) {
    outbox.add(new StateItem.Stage(stage.ordinal()));
    if (stage == StateStage.STOP) {
      holdCalls();
    } else if (stage == StateStage.ABORTED) {
      outbox.add(new StateItem.Resume());
    }
  }

  /** What was sent before calls were held is taken before the session stops. */
  private void holdCalls() {
    outbox.add(new StateItem.Hold());
    try {
      boolean _ = held.get(HOLD_MS, TimeUnit.MILLISECONDS);
      while (!linked.session().ask(() -> linked.session().submissions().isEmpty()).get()) {
        Thread.onSpinWait(); // each look is behind some calls that were taken
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      departure.giveUp();
    } catch (ExecutionException | TimeoutException | CancellationException _) {
      departure.giveUp();
    }
  }

  /** Hears what the near end says of the move. */
  void hear(StateItem item) throws StateException {
    switch (item) {
      case StateItem.Ready _, StateItem.Refused _ -> answer(item);
      case StateItem.Held _ -> {
        boolean _ = held.complete(true);
      }
      case StateItem.Stay _ -> giveUp();
      default -> throw new StateException("an item that is out of place, item=" + item);
    }
  }

  /** Nobody takes the answer any more when the move has been given up meanwhile. */
  private void answer(StateItem item) {
    synchronized (closing) {
      if (closed) {
        return;
      }
      try {
        in.write(item);
        in.flush();
      } catch (StateException _) {
        in.end(); // the departure sees that, if it still waits
      }
    }
  }

  /** Hands the stream on; what the session said before goes before. */
  private void pump() {
    try {
      while (true) {
        StateItem item = in.read();
        switch (item) {
          case StateItem.Segment _ -> {} // the near end has the application's own
          case StateItem.Complete _ -> {
            settle();
            outbox.addState(item);
          }
          case StateItem.Go _ -> {
            gone = true;
            outbox.addState(item);
          }
          default -> outbox.addState(item);
        }
      }
    } catch (StateException | ProtocolException _) {
      in.end(); // at its end, or nobody takes it
    }
  }

  private void settle() throws StateException {
    try {
      boolean _ =
          linked
              .session()
              .ask(() -> {
                linked.session().context().settle();
                return true;
              })
              .get();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new StateException("the move was interrupted");
    } catch (CancellationException | ExecutionException ended) {
      throw new StateException("the session has ended: " + ended.getMessage());
    }
  }
}
