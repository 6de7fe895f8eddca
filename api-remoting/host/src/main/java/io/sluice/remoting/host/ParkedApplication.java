package io.sluice.remoting.host;

import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.Order.Unpark;
import io.sluice.remoting.park.ParkedSession;
import io.sluice.remoting.session.Departure;
import io.sluice.remoting.session.ServedSession;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateLink;
import io.sluice.remoting.state.StateStage;
import io.sluice.remoting.state.UnmovableException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An application whose session is in a file: its calls wait until it is made again. */
final class ParkedApplication implements Application {
  /** Why it does not move as others do. */
  static final String IN_A_FILE = "it is in a file: sluicectl session restore makes it again";

  private final ParkedSession parked;
  private final String key;
  private final AtomicReference<@Nullable StateLink> leaving = new AtomicReference<>();
  private final EndableService service;

  /**
   * @param parked owned, and told to go on
   * @param key of the file that it is in
   */
  ParkedApplication(ParkedSession parked, String key) {
    this.parked = parked;
    service =
        new EndableService(parked.served(), parked::serve, parked.served()::end, parked::close);
    this.key = key;
  }

  /** None that moves as others do. */
  @Override
  public @Nullable ServedSession session() {
    return null;
  }

  /** The way to its application. */
  ServedSession served() {
    return parked.served();
  }

  @Override
  public String serve() {
    return service.serve();
  }

  @Override
  public void end() {
    service.end();
  }

  @Override
  public SessionContent content() {
    return SessionContent.of(served().api(), served().session(), "");
  }

  /**
   * Has another host serve the session.
   *
   * @param to that host
   * @param file that it was put into
   * @param entered is told each stage as it begins
   */
  Moved leave(Unpark order, StateLink to, StateLink file, Consumer<StateStage> entered) {
    if (!order.key().equals(key)) {
      return Moved.not(order.id(), "the file is of another session, or of another time", List.of());
    }
    if (!leaving.compareAndSet(null, to)) {
      return Moved.not(order.id(), "it is being moved", List.of());
    }
    try {
      Departure.Result result = parked.leave(to, file, entered);
      return new Moved(
          order.id(), "", List.of(), result.rounds(), result.sentBytes(), result.stoppedNs());
    } catch (UnmovableException unmovable) {
      return Moved.not(order.id(), "it cannot be made there as it is", unmovable.reasons());
    } catch (StateException | RuntimeException lost) {
      return Moved.not(order.id(), String.valueOf(lost.getMessage()), List.of());
    } finally {
      leaving.set(null);
    }
  }

  /** Gives up that it leaves; false when it does not. */
  boolean stay() {
    StateLink to = leaving.get();
    if (to != null) {
      to.end();
    }
    return to != null;
  }
}
