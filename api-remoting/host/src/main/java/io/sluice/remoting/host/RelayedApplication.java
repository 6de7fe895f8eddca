package io.sluice.remoting.host;

import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.Order.Depart;
import io.sluice.remoting.relay.SessionRelay;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.Leaving;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.session.Session;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.StateStage;
import io.sluice.remoting.state.UnmovableException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An application whose session lives on another machine: its near end. */
final class RelayedApplication implements Application {
  private final SessionRelay relay;
  private final EndableService service;
  private final @Nullable StateLink comes;
  private final CompletableFuture<Boolean> go = new CompletableFuture<>();
  private boolean came; // asked by the thread that serves it

  /**
   * @param relay owned, and told to go on
   */
  RelayedApplication(SessionRelay relay) {
    this(relay, null);
    boolean _ = go.complete(true);
  }

  private RelayedApplication(SessionRelay relay, @Nullable StateLink comes) {
    this.relay = relay;
    this.comes = comes;
    service = new EndableService(relay.linked(), this::serveOnceHere, relay::end, relay::close);
  }

  /**
   * One whose near end comes with its machine.
   *
   * @param relay owned
   * @param comes the stream by which it comes; stays the caller's
   */
  static RelayedApplication comes(SessionRelay relay, StateLink comes) {
    return new RelayedApplication(relay, comes);
  }

  /** None that moves as others do: it is {@linkplain #recalled called back}. */
  @Override
  public @Nullable ServedSession session() {
    return null;
  }

  /** What is here of it: the way to the application, and its memory. */
  ServedSession near() {
    return relay.linked();
  }

  @Override
  public String serve() {
    String why = service.serve();
    if (!came) {
      return MachineApplication.NOT_COME;
    }
    boolean lost = why.equals(EndableService.LEFT) && relay.isLost();
    return lost ? "the host that it lived on is gone" : why;
  }

  private void serveOnceHere() {
    came = comes == null || hasCome(comes);
    if (came) {
      relay.serve();
    }
  }

  private boolean hasCome(StateLink stream) {
    boolean complete = false;
    String why = "it failed";
    try {
      relay.awaitComplete();
      complete = true;
      if (!go.join()) {
        return false;
      }
      relay.goOn();
      return true;
    } catch (StateException | RuntimeException refused) {
      why = String.valueOf(refused.getMessage());
      System.err.println("session host: a near end does not come: " + why);
      return false;
    } finally {
      if (!complete) {
        ArrivalRefusal.tell(stream, why, relay.linked().settings().nanoTime());
      }
    }
  }

  /** The machine is here: serves it, or ends it if it has not come. */
  boolean goOn() {
    return go.complete(true);
  }

  @Override
  public void end() {
    boolean _ = go.complete(false);
    service.end();
  }

  @Override
  public SessionContent content() {
    Session session = relay.linked().session();
    List<ObjectKind> kinds = relay.linked().api().kinds();
    List<Long> counts = relay.objectCounts();
    Map<String, Long> objects = new LinkedHashMap<>();
    for (int i = 0; i < Math.min(kinds.size(), counts.size()); i++) {
      if (counts.get(i) > 0) {
        objects.put(kinds.get(i).name(), counts.get(i));
      }
    }
    return new SessionContent(
        relay.linked().api().name(),
        "",
        objects,
        relay.chargedBytes(),
        session.calls(),
        0,
        Map.of()); // the host that it lives on knows
  }

  /**
   * Has the session come to another host of this machine.
   *
   * @param link to that
   * @param entered is told each stage as it begins
   */
  Moved recalled(Depart order, StateLink link, Consumer<StateStage> entered) {
    if (!go.getNow(false)) {
      return Moved.not(order.id(), "it comes with its machine", List.of());
    }
    try {
      Departure.Result result = relay.recall(link, order.checkOnly(), entered);
      return new Moved(
          order.id(), "", List.of(), result.rounds(), result.sentBytes(), result.stoppedNs());
    } catch (UnmovableException unmovable) {
      return Moved.not(order.id(), "it cannot be moved as it is", unmovable.reasons());
    } catch (StateException | RuntimeException lost) {
      return Moved.not(order.id(), String.valueOf(lost.getMessage()), List.of());
    }
  }

  /** Gives up that it is called back; false when it is not. */
  boolean stay() {
    return relay.stay();
  }

  /** Its move away with its machine, by a stream to where that goes. */
  Leaving leaving(StateLink link, Consumer<StateStage> entered) {
    return relay.leaving(link, entered);
  }
}
